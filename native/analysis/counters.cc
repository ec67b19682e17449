#include "analysis/counters.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

int64_t momentAfter(int64_t time) { return time == std::numeric_limits<int64_t>::max() ? time : time + 1; }

}  // namespace

// fmin and fmax pass over NaN.
void CounterIndex::Extent::include(const Extent& other) {
  min = std::fmin(min, other.min);
  max = std::fmax(max, other.max);
}

CounterIndex::CounterIndex(const Counter& counter, int64_t end)
    : counter_(counter), end_(std::max(end, counter.time.empty() ? end : momentAfter(counter.time.back()))) {
  for (size_t below = counter.value.size(); below > kFanout; below = levels_.back().size()) {
    std::vector<Extent> level((below + kFanout - 1) / kFanout, Extent{kUnknown, kUnknown});
    for (size_t i = 0; i < below; ++i) level[i / kFanout].include(extentAt(levels_.size(), i));
    levels_.push_back(std::move(level));
  }
}

/// A group of the level below `level`; level 0 stands on the points.
CounterIndex::Extent CounterIndex::extentAt(size_t level, size_t group) const {
  if (level > 0) return levels_[level - 1][group];
  return {counter_.value[group], counter_.value[group]};
}

size_t CounterIndex::firstAfter(double time, size_t from) const {
  const auto& times = counter_.time;
  const auto begin = times.begin() + static_cast<std::ptrdiff_t>(std::min(from, times.size()));
  const auto found = std::partition_point(begin, times.end(),
                                          [=](int64_t point) { return static_cast<double>(point) <= time; });
  return static_cast<size_t>(found - times.begin());
}

/// Of points [first, last): single ones up to whole groups, then the level above.
CounterIndex::Extent CounterIndex::extentOf(size_t first, size_t last) const {
  Extent extent{kUnknown, kUnknown};
  for (size_t level = 0; first < last; ++level) {
    const bool isTop = level == levels_.size();
    while (first < last && (isTop || first % kFanout != 0)) extent.include(extentAt(level, first++));
    while (first < last && last % kFanout != 0) extent.include(extentAt(level, --last));
    first /= kFanout;
    last /= kFanout;
  }
  return extent;
}

double CounterIndex::at(double time) const {
  const size_t next = firstAfter(time, 0);
  return next == 0 || time >= static_cast<double>(end_) ? kUnknown : counter_.value[next - 1];
}

SeriesColumns CounterIndex::window(double from, double to, uint32_t columns) const {
  SeriesColumns result;
  result.min.reserve(columns);
  result.max.reserve(columns);
  result.last.reserve(columns);
  const double width = (to - from) / columns;
  size_t next = 0;
  for (uint32_t column = 0; column < columns; ++column) {
    const double left = from + width * column;
    const double right = column + 1 == columns ? to : left + width;
    const size_t inForce = firstAfter(left, next);  // the point before it
    // Points exactly on the right edge belong to the next column, which the last of all does not have.
    next = firstAfter(std::nextafter(right, -std::numeric_limits<double>::infinity()), inForce);
    if (column + 1 == columns && next + 1 == counter_.time.size()) next = firstAfter(right, next);
    const bool isOver = left >= static_cast<double>(end_);
    const Extent extent =
        isOver ? Extent{kUnknown, kUnknown} : extentOf(inForce == 0 ? 0 : inForce - 1, next);
    result.min.push_back(extent.min);
    result.max.push_back(extent.max);
    result.last.push_back(isOver || next == 0 ? kUnknown : counter_.value[next - 1]);
  }
  return result;
}

}  // namespace strata
