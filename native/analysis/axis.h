#pragma once

#include <vector>

#include "analysis/index.h"

namespace strata {

/// Where events lie on an axis: event e at e, or at its time. Without a clock the time axis counts events.
class AxisScale {
 public:
  AxisScale(const EventColumns& events, Axis axis)
      : count_(static_cast<EventIndex>(events.count())),
        times_(axis == Axis::Time && !events.time.empty() ? &events.time : nullptr) {}

  double position(EventIndex event) const {
    return times_ ? static_cast<double>((*times_)[event]) : static_cast<double>(event);
  }
  EventIndex count() const { return count_; }
  bool isTime() const { return times_ != nullptr; }
  /// The first event at or behind a position, not before `from`.
  EventIndex firstAtOrAfter(double position, EventIndex from = 0) const;

 private:
  EventIndex count_;
  const std::vector<int64_t>* times_;
};

/// A window's columns as events. The state after an event is in force from its position up to that of the
/// next event; a column shows every state that is in force somewhere in it. That is the state after each of
/// its events and, unless an event lies exactly on its left edge, the one it starts with.
///
///   edges    |       |       |           moments of column 0: before 4 (carried in), 4, 5
///   events     4  5  6                                column 1: 6       column 2: 6 (carried in)
class ColumnMoments {
 public:
  ColumnMoments(const AxisScale& scale, const Window& window);

  uint32_t count() const { return static_cast<uint32_t>(first_.size()); }
  /// The first and last moment (state after an event; kBeforeFirst) of a column; never empty.
  EventIndex first(uint32_t column) const { return first_[column]; }
  EventIndex last(uint32_t column) const { return last_[column]; }

 private:
  std::vector<EventIndex> first_, last_;
};

}  // namespace strata
