#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace strata {

/// One row of BlockColumns, as most readers need it: what they do not say is what it is by default.
struct BlockRow {
  uint64_t address = 0, bytes = 0, requested = 0;
  EventIndex birth = kBeforeFirst, freeRequested = kNever, death = kNever;
  uint32_t stack = kNone, segment = kNone;
  Region region = Region::Pooled;
  uint16_t stream = 0;
};

/// One row of SegmentColumns: a range of its own, in the default pool.
struct SegmentRow {
  uint64_t address = 0, bytes = 0;
  EventIndex birth = kBeforeFirst, death = kNever;
  uint32_t stack = kNone;
  Region region = Region::Pooled;
  uint16_t stream = 0;
};

/// Answers the number of the new row.
inline uint32_t appendRow(BlockColumns& blocks, const BlockRow& row) {
  blocks.address.push_back(row.address);
  blocks.bytes.push_back(row.bytes);
  blocks.requested.push_back(row.requested);
  blocks.birth.push_back(row.birth);
  blocks.freeRequested.push_back(row.freeRequested);
  blocks.death.push_back(row.death);
  blocks.stack.push_back(row.stack);
  blocks.segment.push_back(row.segment);
  blocks.region.push_back(row.region);
  blocks.stream.push_back(row.stream);
  blocks.pool.push_back(0);
  return static_cast<uint32_t>(blocks.count() - 1);
}

/// Answers the number of the new row.
inline uint32_t appendRow(SegmentColumns& segments, const SegmentRow& row) {
  const auto number = static_cast<uint32_t>(segments.count());
  segments.address.push_back(row.address);
  segments.bytes.push_back(row.bytes);
  segments.birth.push_back(row.birth);
  segments.death.push_back(row.death);
  segments.stack.push_back(row.stack);
  segments.range.push_back(number);
  segments.region.push_back(row.region);
  segments.stream.push_back(row.stream);
  segments.pool.push_back(0);
  segments.isLarge.push_back(1);
  segments.isExpandable.push_back(0);
  return number;
}

}  // namespace strata
