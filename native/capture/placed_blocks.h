#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture/event_rows.h"
#include "capture/live_blocks.h"
#include "capture/numbered_lines.h"
#include "capture/placed_segments.h"
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
  TextOddity impossible;         ///< a size or an address that no memory has (possible_memory.h): left out
  TextOddity acrossSegments;     ///< an allocation that lies only partly in a segment: left out
  TextOddity takenTwice;         ///< a segment that is just the one that is there: nothing changes
  TextOddity heldLate;           ///< a segment from before the recording, behind a block in it: left out
  TextOddity takenOver;          ///< a segment taken over another: the older one ends
  TextOddity endedWithSegment;   ///< a block that was live where a segment was taken or given back: it ends
  TextOddity unknownSegment;     ///< a return of a segment that was never taken, of unknown size or place
  uint64_t outsideSegments = 0;  ///< blocks that lie in no segment, though the capture has segments
  uint64_t contradictedSegments =
      0;  ///< from before the recording, across whose border a block lies: left out
};

/// Turns allocations and frees with addresses into events and blocks, for formats that say where every block
/// lies. A free of an address that was never handed out is that of a block older than the recording. Without
/// segment events the device has DeviceLayout::Blocks: each block is also a segment row of its own. Blocks
/// that are live at once never overlap, nor do segments, and a block is whole in one segment for all of its
/// life: what contradicts that is resolved in favour of the later row, and counted. O(log n) for each event.
class PlacedBlocks {
 public:
  using Entry = EventRows::Entry;

  /// entry.bytes is what the block takes up; requested what was asked for. The region is that of the segment
  /// around it, or else the one given, or else by size.
  void allocate(const Entry& entry, uint64_t requested, TextPlace place,
                std::optional<Region> region = std::nullopt);
  /// A block that was there before the first event, which makes none. Where one was since, it is as
  /// allocate().
  void hold(const Entry& entry, uint64_t requested, TextPlace place,
            std::optional<Region> region = std::nullopt);
  /// The same for a segment; where one was since, nothing changes.
  void holdSegment(const Entry& entry, Region region, TextPlace place);
  /// The block is given back but waits for a stream; a free() ends it.
  void requestFree(const Entry& entry, TextPlace place);
  /// entry.bytes may be 0 when the format does not say. The region is that of a block older than the
  /// recording.
  void free(const Entry& entry, TextPlace place, std::optional<Region> region = std::nullopt);
  void takeSegment(const Entry& entry, Region region, TextPlace place);
  /// Of virtual memory any part may be returned.
  void returnSegment(const Entry& entry, Region region, TextPlace place);
  /// An event that changes no block: a failure, a marker.
  EventIndex note(const Entry& entry) { return rows_.add(entry); }

  /// Room for as many events as a reader expects; a wrong guess costs nothing but time.
  void expect(size_t events);

  /// Whether a block is live that starts at this address.
  bool isLive(uint64_t address) const { return live_.isLive(address); }
  EventIndex eventCount() const { return rows_.count(); }
  bool isEmpty() const { return rows_.count() == 0 && older_.count() == 0 && segments_.isEmpty(); }
  uint64_t backwards() const { return rows_.backwards(); }
  /// Complete after finish().
  const PlacementOddities& oddities() const { return oddities_; }

  /// Fills the device; nothing may be added afterwards.
  void finish(Device& device);

 private:
  uint32_t append(BlockColumns& to, const Entry& entry, uint64_t requested, EventIndex birth,
                  uint16_t stream);
  PlacedSegments::Around around(const Entry& entry) const;
  void setSegment(BlockColumns& blocks, uint32_t row, uint32_t segment);
  void bury(uint32_t row, EventIndex event);
  void putLive(const LiveBlocks::Block& block, EventIndex event, TextPlace place);
  void freeOlder(const Entry& entry, EventIndex event, TextPlace place, std::optional<Region> region);
  void joinOlder();
  bool isPossible(const Entry& entry, TextPlace place);
  void endWithin(uint64_t from, uint64_t to, EventIndex event, TextPlace place);
  void endSegment(uint32_t row, EventIndex event, TextPlace place);
  void mirrorEach(SegmentColumns& segments);

  EventRows rows_;
  BlockColumns blocks_, older_;  ///< older than the recording: their rows have kOlder set until the end
  LiveBlocks live_;
  TouchedRanges touched_;  ///< where any block ever was
  PlacedSegments segments_;
  PlacementOddities oddities_;
};

/// Adds a warning for each kind of oddity, counted, with the place of the first.
void warnOfPlacement(const PlacementOddities& oddities, Trace& trace);

}  // namespace strata
