#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "capture/event_rows.h"
#include "capture/touched_ranges.h"
#include "trace/trace.h"

namespace strata {

/// The segments of PlacedBlocks. Virtual ones that touch are pieces of one range, in which blocks may lie
/// across borders and of which any part may be given back. No two that are live at once overlap: of two rows
/// that contradict each other the later one counts. O(log n) for each row.
class PlacedSegments {
 public:
  using Entry = EventRows::Entry;

  /// How a range lies to the segments that are live.
  enum class Fit : uint8_t { Outside, Inside, Across };
  struct Around {
    Fit fit;
    uint32_t row;  ///< the segment it lies inside
  };

  /// Which segments that touch are pieces of one range.
  enum class Pieces : uint8_t { Virtual, All };
  explicit PlacedSegments(Pieces pieces = Pieces::Virtual) : pieces_(pieces) {}

  bool isEmpty() const { return columns_.count() == 0; }
  Around around(uint64_t from, uint64_t to) const;
  Region regionOf(uint32_t row) const { return columns_.region[row]; }
  bool isOlder(uint32_t row) const { return columns_.birth[row] == kBeforeFirst; }
  /// Whether a range begins or ends inside live virtual memory, and touches no other.
  bool isVirtual(uint64_t from, uint64_t to) const;
  /// The live segment that is just this range, or kNone.
  uint32_t same(uint64_t address, uint64_t bytes) const;
  /// The live segments that lie in a range with any part of them, highest address first.
  std::vector<uint32_t> overlapping(uint64_t from, uint64_t to) const;
  /// The live segment at an address, or kNone.
  uint32_t at(uint64_t address) const;
  /// Whether a segment was taken or given back in a range since the recording began.
  bool wasTaken(uint64_t from, uint64_t to) const { return taken_.touches(from, to); }
  uint64_t startOf(uint32_t row) const { return columns_.address[row]; }
  uint64_t endOf(uint32_t row) const { return columns_.address[row] + columns_.bytes[row]; }

  /// A new segment; none that is live overlaps it.
  uint32_t take(const Entry& entry, Region region, uint16_t stream, EventIndex event);
  /// One that was there before the recording; none that is live overlaps it.
  uint32_t hold(const Entry& entry, Region region, uint16_t stream);
  void end(uint32_t row, EventIndex event);
  /// Ends the part of live virtual segments that lies in a range; what of them lies outside lives on as new
  /// rows.
  void unmap(uint64_t from, uint64_t to, EventIndex event);
  /// A segment that was there before the recording, at the event that gave it back.
  void addOlder(const Entry& entry, Region region, uint16_t stream, EventIndex event);

  /// The live segments in a range are pieces of one range from now on, whatever region they are of.
  void join(uint64_t from, uint64_t to);
  /// The rows so far, in the order of their calls, for a reader that settles them itself.
  SegmentColumns& columns() { return columns_; }
  const SegmentColumns& columns() const { return columns_; }

  /// Gives blocks that have no segment the one that was there before the recording, or a row of their own,
  /// and hands the columns over in order of birth. A segment from before the recording that blocks contradict
  /// is dropped.
  struct Settled {
    SegmentColumns columns;
    uint64_t dropped = 0;        ///< segments
    uint64_t outsideBlocks = 0;  ///< in no segment
  };
  Settled settle(BlockColumns& blocks);

 private:
  using Live = std::map<uint64_t, uint32_t>;  ///< address to row

  uint64_t placeInOlder(BlockColumns& blocks);
  uint32_t segmentBefore(Live& older, const BlockColumns& blocks, size_t block);
  void order(BlockColumns& blocks);
  void joinPieces();

  Pieces pieces_;
  SegmentColumns columns_;
  Live live_;
  TouchedRanges taken_;
  std::vector<bool> isDropped_;
};

}  // namespace strata
