#pragma once

#include <cstdint>
#include <cstdlib>

#include "analysis/index.h"
#include "trace/trace.h"

namespace strata::fuzz {

inline void require(bool isTrue) {
  if (!isTrue) std::abort();
}

inline void checkRows(const std::vector<uint32_t>& rows, size_t count) {
  for (const uint32_t row : rows) require(row == kNone || row < count);
}

/// Aborts when rows of a device that its reader placed refer to nothing, or its columns are not in order.
inline void checkPlaced(const Trace& trace, const Device& device) {
  const EventColumns& events = device.events;
  const BlockColumns& blocks = device.blocks;
  const SegmentColumns& segments = device.segments;
  const size_t count = events.count();
  require(device.isPlaced && events.row.size() == count && events.stack.size() == count);
  require(events.time.empty() || events.time.size() == count);
  require(events.label.empty() || events.label.size() == count);
  for (size_t i = 1; i < events.time.size(); ++i) require(events.time[i - 1] <= events.time[i]);
  for (const uint16_t stream : events.stream) require(stream < device.streams.size());
  checkRows(events.stack, trace.stacks.count());
  checkRows(events.label, trace.strings.count());
  checkRows(events.row, blocks.count());
  checkRows(blocks.stack, trace.stacks.count());
  require(blocks.segment.size() == blocks.count() && blocks.pool.size() == blocks.count());
  for (size_t i = 0; i < blocks.count(); ++i) {
    require(blocks.birth[i] < blocks.death[i] && (i == 0 || blocks.birth[i - 1] <= blocks.birth[i]));
    require(blocks.requested[i] <= blocks.bytes[i] &&
            blocks.address[i] + blocks.bytes[i] >= blocks.address[i]);
    require(device.layout == DeviceLayout::Totals || blocks.segment[i] < segments.count());
  }
  for (size_t i = 1; i < segments.count(); ++i) require(segments.birth[i - 1] <= segments.birth[i]);
}

/// The index must be built of any trace that opens, and its totals must agree with the blocks.
inline void checkIndex(const Trace& trace, const Device& device) {
  const Index index(trace, device);
  const auto last = static_cast<EventIndex>(device.events.count()) - 1;
  uint64_t active = 0, sum = 0;
  for (size_t i = 0; i < device.blocks.count(); ++i) {
    if (device.blocks.death[i] == kNever) active += device.blocks.bytes[i];
  }
  for (const RegionMoment& region : index.moment(last).regions) sum += region.active;
  // What contradicts itself in a capture is resolved by its reader: nothing is more free than what is
  // reserved.
  for (int part = 0; part <= 8; ++part) {
    for (const RegionMoment& region : index.moment(last * part / 8).regions) {
      require(region.reserved >= region.active);
      require(region.reserved - region.active >= region.cachedWhole);
    }
  }
  require(sum == active && index.extremes().final[kAllRegions][1] == active);
}

}  // namespace strata::fuzz
