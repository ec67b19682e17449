#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// What the x axis of a picture counts.
enum class Axis : uint8_t { Event, Time };

/// The quantities every region has over time, all in bytes but the last.
///   allocated: in live blocks   active: allocated or waiting for a stream   reserved: in segments
///   requested: asked for by active blocks   largestFree: largest hole
///   fragmentation: 1 - largestFree / (reserved - active); 0 when nothing is free
enum class Metric : uint8_t { Allocated, Active, Reserved, Requested, LargestFree, Fragmentation };
inline constexpr int kMetricCount = 6;
/// Index of the sum over regions in arrays of regions (largestFree: the maximum over regions).
inline constexpr int kAllRegions = kRegionCount;

/// A half-open window on an axis, cut into `columns` equal columns. Event axis: [from, to) in event
/// indices. Time axis: [from, to) in ns.
struct Window {
  Axis axis = Axis::Event;
  double from = 0;
  double to = 0;
  uint32_t columns = 1;
};

/// For each column the extremes and the last of all values in force somewhere inside it: those after each of
/// its events, and the one it starts with unless an event lies exactly on its left edge (axis.h). A column
/// without events holds the value that was in force (min = max = last).
struct SeriesColumns {
  std::vector<double> min, max, last;
};

/// One device's series over a window: [region or kAllRegions][metric].
struct SeriesWindow {
  SeriesColumns series[kRegionCount + 1][kMetricCount];
};

/// The live blocks of each column as a stack of runs, bottom to top, ordered by call site (rank), then age.
/// A run is one block, or what is too small to be drawn of one site ("aggregate"). Each column shows the
/// moment of its highest active bytes, so a peak is visible at every zoom. The heights of a column add up to
/// the active bytes at that moment.
struct LiveWindow {
  std::vector<EventIndex> moment;    ///< [columns]
  std::vector<uint32_t> firstRun;    ///< [columns + 1] offsets into the runs
  std::vector<uint32_t> block;       ///< Blocks row, or kNone for an aggregate
  std::vector<uint16_t> site;        ///< rank in sites(); the last rank is "other"
  std::vector<double> bytes;         ///< height
  std::vector<uint32_t> blockCount;  ///< 1, or how many blocks an aggregate holds
};

/// Address x time cells of one region, mixed by area, row 0 = lowest address.
struct MapWindow {
  std::vector<uint8_t> mapped;    ///< [rows * columns] share of the cell that is in segments, 0..255
  std::vector<uint8_t> occupied;  ///< [rows * columns] share of the cell in active blocks, 0..255
  std::vector<uint16_t>
      site;  ///< [rows * columns] rank of the site with most bytes in the cell, 0xffff when none
};

/// The addresses a region ever used, with the empty space between them folded away.
struct FoldedRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t offset = 0;  ///< position on the folded axis: sum of the bytes of the ranges before it
};

/// Segments and blocks at one moment, by address.
struct State {
  struct Segment {
    uint64_t address, bytes, active, largestFree;
    uint32_t row;         ///< Segments row of its first piece
    uint32_t firstBlock;  ///< range in `blocks`
    uint32_t blockCount;
    Region region;
  };
  std::vector<Segment> segments;
  std::vector<uint32_t> blocks;  ///< Blocks rows, by address within each segment
};

/// What lies at an address at a moment.
struct Hit {
  enum class Kind : uint8_t { Block, Hole, Unmapped } kind = Kind::Unmapped;
  uint32_t block = kNone;
  uint32_t segment = kNone;
  uint64_t address = 0;  ///< extent of the block, hole or unmapped gap
  uint64_t bytes = 0;
};

/// One hole-size class: holes with bytes in [2^exponent, 2^(exponent+1)).
struct HoleClass {
  int exponent = 0;
  uint64_t count = 0;
  uint64_t bytes = 0;
};

/// The numbers of one region at one moment.
struct RegionMoment {
  uint64_t allocated = 0, active = 0, reserved = 0, requested = 0;
  uint64_t largestFree = 0, holeCount = 0;
  uint64_t cachedWhole = 0, cachedWholeSegments = 0;  ///< wholly free segments (returnable); virtual: none
  uint64_t segments = 0, blocks = 0;
  std::vector<HoleClass> holes;
};

struct SiteShare {
  uint16_t site = 0;       ///< rank, or 0xffff for a site beyond the ranked ones
  uint32_t stack = kNone;  ///< a stack of the site that holds the most of it
  uint64_t bytes = 0;
  uint64_t blocks = 0;
  std::string name;
};

struct Moment {
  EventIndex event = kBeforeFirst;
  RegionMoment regions[kRegionCount];
  std::vector<SiteShare> sites;  ///< all call sites with live bytes, largest first
};

struct PeakPoint {
  uint64_t bytes = 0;
  EventIndex event = kBeforeFirst;  ///< first event after which it stood
};

/// Peak and final of the four counters; [region or kAllRegions][Allocated..Requested].
struct Extremes {
  PeakPoint peak[kRegionCount + 1][4];
  uint64_t final[kRegionCount + 1][4] = {};
};

/// A call site as coloured and named on screen: rank 0 is "before recording", then the largest at the peak,
/// the last is "other".
struct Site {
  std::string name;      ///< "optimizers.py:82", or a function name, or "before recording", "other"
  std::string function;  ///< of the frame that names it, may be empty
  std::string kind;      ///< "site" | "before" | "other" | "unknown"
  uint64_t bytesAtPeak = 0;
};

/// Everything that can be asked of one device of a finished trace. Immutable after construction; every query
/// is const and may run on any thread.
class Index {
 public:
  /// Keeps references to both, which must outlive it. Uses three threads; progress is called from this one.
  /// before: sites() of a shorter version of the same trace, whose ranks are kept.
  /// Errors: Cancelled.
  Index(const Trace& trace, const Device& device, const Progress& progress = {},
        const std::vector<Site>& before = {});
  ~Index();

  SeriesWindow series(const Window& window) const;
  LiveWindow liveBlocks(const Window& window, uint32_t pixelRows) const;
  MapWindow map(Region region, const Window& window, uint64_t fromOffset, uint64_t toOffset,
                uint32_t rows) const;
  const std::vector<FoldedRange>& ranges(Region region) const;

  State stateAt(EventIndex event) const;
  Hit hit(EventIndex event, uint64_t address) const;
  Moment moment(EventIndex event) const;
  const Extremes& extremes() const;
  const std::vector<Site>& sites() const;
  uint16_t siteOf(uint32_t block) const;

  /// The last event at or before a time; kBeforeFirst when there is none. Without a clock, times count
  /// events.
  EventIndex eventAtTime(int64_t time) const;
  size_t bytes() const;  ///< resident memory of the index

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace strata
