#include "analysis/changes.h"

#include <algorithm>

namespace strata {

EventIndex releaseOf(const BlockColumns& blocks, uint32_t block) {
  return std::min(std::max(blocks.freeRequested[block], blocks.birth[block]), blocks.death[block]);
}

Changes::Changes(const Device& device) : row_(device.events.row), flags_(device.events.count(), 0) {
  addBlocks(device.blocks);
  addSegments(device.segments);
  std::sort(listed_.begin(), listed_.end());
  listFlaggedChanges();
}

void Changes::addBlocks(const BlockColumns& blocks) {
  const auto count = static_cast<uint32_t>(blocks.count());
  for (uint32_t block = 0; block < count; ++block) {
    if (blocks.birth[block] >= blocks.death[block]) continue;  // never there
    addBlockChange(blocks.birth[block], BlockBirth, block);
    addBlockChange(releaseOf(blocks, block), BlockRelease, block);
    addBlockChange(blocks.death[block], BlockDeath, block);
  }
}

void Changes::addBlockChange(EventIndex event, Kind kind, uint32_t block) {
  if (event < 0 || event >= eventCount()) return;
  if (static_cast<size_t>(event) < row_.size() && row_[event] == block) {
    flags_[event] |= bit(kind);
  } else {
    listed_.push_back({event, kind, block});
  }
}

void Changes::addSegments(const SegmentColumns& segments) {
  const auto count = static_cast<uint32_t>(segments.count());
  for (uint32_t segment = 0; segment < count; ++segment) {
    const EventIndex birth = segments.birth[segment], death = segments.death[segment];
    if (birth >= death) continue;
    if (birth >= 0 && birth < eventCount()) listed_.push_back({birth, SegmentBirth, segment});
    if (death >= 0 && death < eventCount()) listed_.push_back({death, SegmentDeath, segment});
  }
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

size_t Changes::bytes() const { return flags_.capacity() + listed_.capacity() * sizeof(Listed); }

}  // namespace strata
