#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "analysis/axis.h"
#include "analysis/changes.h"
#include "analysis/index.h"

namespace strata {

/// All metrics of one region at one moment. Bytes are whole numbers below 2^53 and so exact.
struct Metrics {
  double value[kMetricCount];
};

/// The five byte counters of one region at one moment, in the order of Metric.
struct Counters {
  static constexpr int kCount = 5;
  uint64_t value[kCount] = {};

  uint64_t& operator[](Metric metric) { return value[static_cast<int>(metric)]; }
  uint64_t operator[](Metric metric) const { return value[static_cast<int>(metric)]; }
  /// 1 - largest free / free, 0 when nothing is free.
  double fragmentation() const;
  Metrics metrics() const;
};

/// Smallest and largest of every metric over some moments of one region.
struct Extent {
  Metrics min, max;

  static Extent of(const Metrics& metrics) { return {metrics, metrics}; }
  void include(const Metrics& metrics);
  void include(const Extent& other);
};

/// All counters over all moments, as extents over moments in groups of 32 and pyramids of 4 above them.
///
///   level 2   [ 512 moments                               ] ...
///   level 1   [ 128 moments        ] [ 128 moments        ] ...        min, max of each metric and region
///   level 0   [32][32][32][32] ...                                     and the counters at the first moment
///   moments   0 = the start, m = after event m - 1                     replayed from the events when needed
///
/// Single moments are not stored (only the changes of largestFree, which events do not tell): a query replays
/// at most 32 events at each edge of a column. About 15 bytes an event for two regions, besides 12 bytes for
/// each change of a region's largest hole.
class Series {
 public:
  using Tick = std::function<void(EventIndex done)>;  ///< called now and then; may throw to stop

  /// O(events * log holes).
  Series(const Device& device, const Changes& changes, const Tick& tick);

  /// O(columns * log events).
  SeriesWindow window(const ColumnMoments& columns) const;
  /// For each column the moment with the most active bytes in all regions, the first among equals.
  std::vector<PeakPoint> peaksActive(const ColumnMoments& columns) const;
  const Extremes& extremes() const { return extremes_; }
  size_t bytes() const;

 private:
  static constexpr int kGroups = kRegionCount + 1;
  static constexpr uint32_t kBucketBits = 5, kFanoutBits = 2;
  static constexpr uint32_t kBucket = 1u << kBucketBits, kFanout = 1u << kFanoutBits;

  struct Start {
    uint64_t value[4];
    uint32_t largestIndex;  ///< changes of largestFree up to and including this moment
  };
  struct LargestChanges {
    std::vector<uint32_t> moment;
    std::vector<uint64_t> bytes;
  };
  struct State;
  class Cursor;
  class ActiveCursor;
  class Builder;

  void buildPyramid();
  PeakPoint peakActive(ActiveCursor& cursor, uint32_t first, uint32_t last) const;
  uint32_t momentOfMost(uint32_t level, uint32_t bucket) const;
  void includeBuckets(uint32_t from, uint32_t to, Extent* extents) const;
  template <typename Visit>
  void coverBuckets(uint32_t from, uint32_t to, Visit&& visit) const;

  const Device& device_;
  const Changes& changes_;
  uint32_t momentCount_;
  bool isUsed_[kGroups] = {};                          ///< a region without blocks and segments is all zero
  std::vector<std::vector<Extent>> extents_[kGroups];  ///< [level][bucket]
  std::vector<Start> starts_[kRegionCount];
  std::vector<uint8_t> peakOffset_;  ///< of the first moment with most active bytes in each level-0 bucket
  LargestChanges largest_[kRegionCount];
  Extremes extremes_;
};

}  // namespace strata
