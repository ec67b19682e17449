#include "analysis/changes.h"

#include <algorithm>
#include <limits>

namespace strata {

EventIndex releaseOf(const BlockColumns& blocks, uint32_t block) {
  return std::min(std::max(blocks.freeRequested[block], blocks.birth[block]), blocks.death[block]);
}

Changes::Changes(const Device& device)
    : blocks_(device.blocks),
      segments_(device.segments),
      row_(device.events.row),
      flags_(device.events.count(), 0),
      amounts_(device.events.count()) {
  addBlocks();
  if (device.layout == DeviceLayout::Segments) addSegments();
  std::sort(listed_.begin(), listed_.end());
  listFlaggedChanges();
}

void Changes::addBlocks() {
  const auto count = static_cast<uint32_t>(blocks_.count());
  for (uint32_t block = 0; block < count; ++block) {
    if (blocks_.birth[block] >= blocks_.death[block]) continue;  // never there
    addBlockChange(blocks_.birth[block], BlockBirth, block);
    addBlockChange(releaseOf(blocks_, block), BlockRelease, block);
    addBlockChange(blocks_.death[block], BlockDeath, block);
  }
}

void Changes::addBlockChange(EventIndex event, Kind kind, uint32_t block) {
  if (event < 0 || event >= eventCount()) return;
  constexpr uint64_t kLongest = std::numeric_limits<uint32_t>::max();
  const uint64_t bytes = blocks_.bytes[block], requested = blocks_.requested[block];
  const bool isNamed = static_cast<size_t>(event) < row_.size() && row_[event] == block;
  if (!isNamed || bytes > kLongest || requested > kLongest) {
    listed_.push_back({event, kind, block});
    return;
  }
  flags_[event] |= bit(kind) | static_cast<uint8_t>(static_cast<int>(blocks_.region[block]) << kRegionShift);
  amounts_[event] = {static_cast<uint32_t>(bytes), static_cast<uint32_t>(requested)};
}

void Changes::addSegments() {
  const auto count = static_cast<uint32_t>(segments_.count());
  for (uint32_t segment = 0; segment < count; ++segment) {
    const EventIndex birth = segments_.birth[segment], death = segments_.death[segment];
    if (birth >= death) continue;
    if (birth >= 0 && birth < eventCount()) listed_.push_back({birth, SegmentBirth, segment});
    if (death >= 0 && death < eventCount()) listed_.push_back({death, SegmentDeath, segment});
  }
}

Changes::Amount Changes::amountOf(Kind kind, uint32_t row) const {
  if (kind == SegmentBirth || kind == SegmentDeath) return {segments_.region[row], segments_.bytes[row], 0};
  return {blocks_.region[row], blocks_.bytes[row], blocks_.requested[row]};
}

/// An event with anything listed has everything listed, so that the order within it is kept.
void Changes::listFlaggedChanges() {
  const size_t sorted = listed_.size();
  for (size_t i = 0; i < sorted; ++i) {
    const EventIndex event = listed_[i].event;
    for (const Kind kind : {BlockDeath, BlockBirth, BlockRelease}) {
      if (flags_[event] & bit(kind)) listed_.push_back({event, kind, row_[event]});
    }
    flags_[event] = kListed;
  }
  std::sort(listed_.begin() + static_cast<ptrdiff_t>(sorted), listed_.end());
  std::inplace_merge(listed_.begin(), listed_.begin() + static_cast<ptrdiff_t>(sorted), listed_.end());
  listed_.shrink_to_fit();
}

std::span<const Changes::Listed> Changes::listed(EventIndex event) const {
  const auto from = std::lower_bound(listed_.begin(), listed_.end(), event,
                                     [](const Listed& change, EventIndex e) { return change.event < e; });
  auto to = from;
  while (to != listed_.end() && to->event == event) ++to;
  return {from, to};
}

size_t Changes::bytes() const {
  return flags_.capacity() + amounts_.capacity() * sizeof(ShortAmount) + listed_.capacity() * sizeof(Listed);
}

}  // namespace strata
