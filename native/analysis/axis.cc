#include "analysis/axis.h"

#include <algorithm>
#include <cmath>

namespace strata {

EventIndex AxisScale::firstAtOrAfter(double position, EventIndex from) const {
  if (!times_) {
    const double event = std::ceil(position);
    return static_cast<EventIndex>(std::clamp(event, static_cast<double>(from), static_cast<double>(count_)));
  }
  // Columns come in order and mostly near one another: double the step until it is passed, then search.
  EventIndex low = from;
  for (int64_t step = 64;; step *= 4) {
    const int64_t probe = static_cast<int64_t>(low) + step;
    if (probe >= count_ || static_cast<double>((*times_)[static_cast<size_t>(probe)]) >= position) {
      const auto end = times_->begin() + std::min<int64_t>(probe, count_);
      const auto found =
          std::lower_bound(times_->begin() + low, end, position,
                           [](int64_t time, double wanted) { return static_cast<double>(time) < wanted; });
      return static_cast<EventIndex>(found - times_->begin());
    }
    low = static_cast<EventIndex>(probe);
  }
}

ColumnMoments::ColumnMoments(const AxisScale& scale, const Window& window)
    : first_(window.columns), last_(window.columns) {
  const double width = std::max(0.0, window.to - window.from);
  EventIndex next = scale.firstAtOrAfter(window.from);
  double edge = window.from;
  for (uint32_t column = 0; column < window.columns; ++column) {
    const bool startsWithEvent = next < scale.count() && scale.position(next) <= edge;
    first_[column] = startsWithEvent ? next : next - 1;
    edge = window.from + width * (column + 1.0) / window.columns;
    next = scale.firstAtOrAfter(edge, next);
    last_[column] = std::max(first_[column], next - 1);
  }
}

}  // namespace strata
