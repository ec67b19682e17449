#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "capture/event_rows.h"
#include "capture/numbered_lines.h"
#include "capture/touched_ranges.h"
#include "trace/trace.h"

namespace strata {

/// What contradicted itself among allocations and frees.
struct PlacementOddities {
  TextOddity freedTwice;         ///< a free of what is free already
  TextOddity freedUnknown;       ///< a free of what was never handed out, of unknown size
  TextOddity handedOutTwice;     ///< an allocation at the start of a block that is live: the older one ends
  TextOddity overlapping;        ///< an allocation that overlaps a live block elsewhere
  TextOddity sizeDiffers;        ///< a free that says another size than its allocation
  TextOddity unknownSegment;     ///< a return of a segment that was never taken, of unknown size
  uint64_t outsideSegments = 0;  ///< blocks that lie in no segment, though the capture has segments
};

/// Turns allocations and frees with addresses into events and blocks, for formats that say where every block
/// lies. A free of an address that was never handed out is that of a block older than the recording. Without
/// segment events the device has DeviceLayout::Blocks: each block is also a segment row of its own.
/// O(log n) for each event.
class PlacedBlocks {
 public:
  using Entry = EventRows::Entry;

  /// entry.bytes is what the block takes up; requested what was asked for. The region is that of the segment
  /// around it, or else the one given, or else by size.
  void allocate(const Entry& entry, uint64_t requested, TextPlace place,
                std::optional<Region> region = std::nullopt);
  /// entry.bytes may be 0 when the format does not say.
  void free(const Entry& entry, TextPlace place);
  void takeSegment(const Entry& entry, Region region);
  void returnSegment(const Entry& entry, Region region, TextPlace place);
  /// An event that changes no block: a failure, a marker.
  EventIndex note(const Entry& entry) { return rows_.add(entry); }

  EventIndex eventCount() const { return rows_.count(); }
  uint64_t backwards() const { return rows_.backwards(); }
  /// Complete after finish().
  const PlacementOddities& oddities() const { return oddities_; }

  /// Fills the device; nothing may be added afterwards.
  void finish(Device& device);

 private:
  struct Live {
    uint64_t end;
    uint32_t row;
  };

  uint32_t append(BlockColumns& to, const Entry& entry, uint64_t requested, EventIndex birth,
                  EventIndex event);
  void makeRoom(const Entry& entry, EventIndex event, TextPlace place);
  void freeOlder(const Entry& entry, EventIndex event, TextPlace place);
  void joinOlder();
  void assignSegments();
  uint32_t segmentAround(uint32_t block) const;
  uint32_t mirror(uint32_t block);
  void orderSegments();

  EventRows rows_;
  BlockColumns blocks_, older_;    ///< older than the recording: their rows have kOlder set until the end
  std::map<uint64_t, Live> live_;  ///< by address
  TouchedRanges touched_;          ///< where any block ever was
  SegmentColumns segments_;
  std::map<uint64_t, uint32_t> liveSegments_;
  PlacementOddities oddities_;
};

/// Adds a warning for each kind of oddity, counted, with the place of the first.
void warnOfPlacement(const PlacementOddities& oddities, Trace& trace);

}  // namespace strata
