#pragma once

#include <span>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// What each event changes, found once so that everything else can replay events in order.
///
///   event   0      1      2        3            4
///   flags   birth  birth  release  -            death | listed
///   row     12     13     12       kNone        (in the list: block 12 dies, segment 3 dies, segment 7 is
///   born)
///
/// An event that changes one block (all but a few) needs one byte here and EventColumns::row. Whatever else
/// an event changes (segments, several blocks, a block that its row does not name) is listed apart.
/// Moments come from the block and segment columns, never from the action, so any format's trace works.
/// Where no segments are known (DeviceLayout::Blocks, Totals) only blocks change.
/// 1 byte an event, 12 bytes a listed change.
class Changes {
 public:
  /// In the order in which they happen within one event: room is given back before it is taken.
  enum Kind : uint32_t { BlockDeath, SegmentDeath, SegmentBirth, BlockBirth, BlockRelease };

  explicit Changes(const Device& device);

  /// How much one change moves. requested is 0 for segments.
  struct Amount {
    Region region;
    uint64_t bytes, requested;
  };

  EventIndex eventCount() const { return static_cast<EventIndex>(flags_.size()); }
  bool isEmpty(EventIndex event) const { return flags_[event] == 0; }

  /// Calls visit(kind, row, amount) for each change of an event, in order.
  template <typename Visit>
  void visit(EventIndex event, Visit&& visit) const {
    const uint8_t flags = flags_[event];
    if (flags == 0) return;
    if (flags & kListed) {
      for (const Listed& change : listed(event)) {
        visit(change.kind, change.row, amountOf(change.kind, change.row));
      }
      return;
    }
    const uint32_t row = row_[event];
    const Amount amount = {static_cast<Region>((flags & kRegionBits) >> kRegionShift), amounts_[event].bytes,
                           amounts_[event].requested};
    if (flags & bit(BlockDeath)) visit(BlockDeath, row, amount);
    if (flags & bit(BlockBirth)) visit(BlockBirth, row, amount);
    if (flags & bit(BlockRelease)) visit(BlockRelease, row, amount);
  }
  Amount amountOf(Kind kind, uint32_t row) const;

  size_t bytes() const;

 private:
  struct ShortAmount {
    uint32_t bytes = 0, requested = 0;
  };
  struct Listed {
    EventIndex event;
    Kind kind;
    uint32_t row;
    auto operator<=>(const Listed&) const = default;
  };

  static constexpr uint8_t kListed = 0x80;
  /// Segment changes are always listed, so their bits hold the block's region.
  static constexpr uint8_t kRegionBits = 0x06;
  static constexpr int kRegionShift = 1;
  static constexpr uint8_t bit(Kind kind) { return static_cast<uint8_t>(1u << kind); }

  void addBlocks();
  void addSegments();
  void addBlockChange(EventIndex event, Kind kind, uint32_t block);
  void listFlaggedChanges();
  std::span<const Listed> listed(EventIndex event) const;

  const BlockColumns& blocks_;
  const SegmentColumns& segments_;
  std::span<const uint32_t> row_;
  std::vector<uint8_t> flags_;
  std::vector<ShortAmount> amounts_;
  std::vector<Listed> listed_;
};

/// The event at which a block stops being allocated (it may stay active): its free request, or its death
/// when that was not recorded; kBeforeFirst when it was already waiting at the start.
EventIndex releaseOf(const BlockColumns& blocks, uint32_t block);

/// Whether a block or segment is there after an event.
inline bool isAlive(EventIndex birth, EventIndex death, EventIndex event) {
  return birth <= event && event < death;
}

}  // namespace strata
