#include "allocator/pytorch_ledger.h"

#include <algorithm>

namespace strata::pytorch {

void Ledger::reserveBlocks(size_t count) {
  blocks_.address.reserve(count);
  blocks_.bytes.reserve(count);
  blocks_.requested.reserve(count);
  blocks_.birth.reserve(count);
  blocks_.freeRequested.reserve(count);
  blocks_.death.reserve(count);
  blocks_.stack.reserve(count);
  blocks_.segment.reserve(count);
  blocks_.region.reserve(count);
  blocks_.stream.reserve(count);
  blocks_.pool.reserve(count);
}

uint32_t Ledger::blockBorn(const Block& block, EventIndex event) {
  blocks_.address.push_back(block.address);
  blocks_.bytes.push_back(block.bytes);
  // What contradicts itself may ask for more than there is room for.
  blocks_.requested.push_back(std::min(block.requested, block.bytes));
  blocks_.birth.push_back(event);
  blocks_.freeRequested.push_back(kNever);
  blocks_.death.push_back(kNever);
  blocks_.stack.push_back(block.stack);
  blocks_.segment.push_back(block.segment);
  blocks_.region.push_back(block.region);
  blocks_.stream.push_back(block.stream);
  blocks_.pool.push_back(block.pool);
  return static_cast<uint32_t>(blocks_.count() - 1);
}

uint32_t Ledger::segmentBorn(const Segment& segment, EventIndex event) {
  const auto row = static_cast<uint32_t>(segments_.count());
  segments_.address.push_back(segment.address);
  segments_.bytes.push_back(segment.bytes);
  segments_.birth.push_back(event);
  segments_.death.push_back(kNever);
  segments_.stack.push_back(segment.stack);
  segments_.range.push_back(segment.range == kNone ? row : segment.range);
  segments_.region.push_back(regionOf(segment.isExpandable, isPrivate(segment.pool), segment.isLarge));
  segments_.stream.push_back(segment.stream);
  segments_.pool.push_back(segment.pool);
  segments_.isLarge.push_back(segment.isLarge);
  segments_.isExpandable.push_back(segment.isExpandable);
  return row;
}

Ledger::Segment Ledger::segment(uint32_t row) const {
  Segment segment;
  segment.address = segments_.address[row];
  segment.bytes = segments_.bytes[row];
  segment.stack = segments_.stack[row];
  segment.range = segments_.range[row];
  segment.stream = segments_.stream[row];
  segment.pool = segments_.pool[row];
  segment.isLarge = segments_.isLarge[row] != 0;
  segment.isExpandable = segments_.isExpandable[row] != 0;
  return segment;
}

}  // namespace strata::pytorch
