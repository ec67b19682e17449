#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

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
  for (size_t i = 0; i < count; ++i) {
    const bool isOfSegment =
        events.action[i] == Action::SegmentAlloc || events.action[i] == Action::SegmentFree;
    require(events.row[i] == kNone || events.row[i] < (isOfSegment ? segments.count() : blocks.count()));
  }
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

/// Aborts when at any moment segments overlap, blocks overlap, or a block is not whole in segments that touch
/// and are of one range. O(n log n).
inline void checkLayout(const Device& device) {
  if (device.layout == DeviceLayout::Totals) return;
  const BlockColumns& blocks = device.blocks;
  const SegmentColumns& segments = device.segments;
  const auto segmentEnd = [&](uint32_t row) { return segments.address[row] + segments.bytes[row]; };
  const auto blockEnd = [&](uint32_t row) { return blocks.address[row] + blocks.bytes[row]; };
  std::map<uint64_t, uint32_t> live, mapped;
  const auto put = [](auto& rows, uint64_t address, uint32_t row, const auto& endOf) {
    const auto next = rows.lower_bound(address);
    require(next == rows.end() || next->first >= endOf(row));
    require(next == rows.begin() || endOf(std::prev(next)->second) <= address);
    rows.emplace_hint(next, address, row);
  };
  const auto checkInside = [&](uint32_t block) {
    auto segment = mapped.upper_bound(blocks.address[block]);
    require(segment != mapped.begin());
    --segment;
    const uint32_t range = segments.range[segment->second];
    uint64_t reached = segmentEnd(segment->second);
    while (reached < blockEnd(block)) {
      ++segment;
      require(segment != mapped.end() && segment->first == reached);
      require(segments.range[segment->second] == range);
      reached = segmentEnd(segment->second);
    }
    require(reached > blocks.address[block]);
  };
  // What happens at one event, deaths before births.
  struct Turn {
    EventIndex event;
    bool isBirth, isBlock;
    uint32_t row;
  };
  std::vector<Turn> turns;
  const auto add = [&](const auto& columns, bool isBlock) {
    for (uint32_t row = 0; row < columns.count(); ++row) {
      if (columns.bytes[row] == 0 || columns.birth[row] >= columns.death[row]) continue;
      turns.push_back({columns.birth[row], true, isBlock, row});
      if (columns.death[row] != kNever) turns.push_back({columns.death[row], false, isBlock, row});
    }
  };
  add(segments, false);
  add(blocks, true);
  std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    return std::tuple(a.event, a.isBirth, a.isBlock) < std::tuple(b.event, b.isBirth, b.isBlock);
  });
  std::vector<std::pair<uint64_t, uint64_t>> ended;
  for (size_t i = 0; i < turns.size(); ++i) {
    const Turn& turn = turns[i];
    const uint64_t address = turn.isBlock ? blocks.address[turn.row] : segments.address[turn.row];
    if (turn.isBirth && turn.isBlock) put(live, address, turn.row, blockEnd);
    if (turn.isBirth && !turn.isBlock) put(mapped, address, turn.row, segmentEnd);
    if (!turn.isBirth && turn.isBlock) live.erase(address);
    if (!turn.isBirth && !turn.isBlock) {
      mapped.erase(address);
      ended.emplace_back(address, segmentEnd(turn.row));
    }
    if (turn.isBirth && turn.isBlock) checkInside(turn.row);
    const bool isLast = i + 1 == turns.size() || turns[i + 1].event != turn.event;
    if (!isLast) continue;
    for (const auto& [from, to] : ended) {
      auto block = live.lower_bound(from);
      if (block != live.begin() && blockEnd(std::prev(block)->second) > from) --block;
      for (; block != live.end() && block->first < to; ++block) checkInside(block->second);
    }
    ended.clear();
  }
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
      require(region.active >= region.allocated && region.active >= region.requested);
    }
  }
  require(sum == active && index.extremes().final[kAllRegions][1] == active);
}

}  // namespace strata::fuzz
