#pragma once

#include <vector>

#include "analysis/index.h"
#include "trace/trace.h"

namespace strata {

/// Answers windows over one counter. A value is in force from its time to that of the next; a column shows
/// every value in force somewhere in it, and NaN where nothing is known in all of it.
///
///   level 1   [ 256 points                  ] ...    smallest and largest of 16 groups
///   level 0   [16][16][16][16] ...                   of 16 points
///   points    the counter's own columns, not copied
class CounterIndex {
 public:
  /// Keeps a reference to the counter, which must outlive it. `end`: where its last value stops to be known;
  /// a value read right there is known for that nanosecond. O(points).
  CounterIndex(const Counter& counter, int64_t end);

  /// Columns of [from, to) in ns; the last point counts also where `to` is its very time, as the end of a
  /// trace is. O(columns * log points).
  SeriesColumns window(double from, double to, uint32_t columns) const;
  /// The value in force at a time, NaN when there is none. O(log points).
  double at(double time) const;
  const Counter& counter() const { return counter_; }

 private:
  static constexpr size_t kFanout = 16;

  /// NaN in both when no point of the group is known.
  struct Extent {
    double min, max;
    void include(const Extent& other);
  };

  size_t firstAfter(double time, size_t from) const;
  Extent extentOf(size_t first, size_t last) const;
  Extent extentAt(size_t level, size_t group) const;

  const Counter& counter_;
  int64_t end_;
  std::vector<std::vector<Extent>> levels_;
};

}  // namespace strata
