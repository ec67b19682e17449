#pragma once

#include <cstdint>

namespace strata::device {

/// How often samples really come, beside how often they were asked for. A driver that needs longer than a
/// period for its answers makes a slower pace, not a row of gaps: only what comes late at that pace has a gap
/// before it.
class SamplingRate {
 public:
  explicit SamplingRate(int64_t period) : period_(period) {}

  /// Asked for from now on, ns.
  void setPeriod(int64_t period) {
    period_ = period;
    mean_ = 0;
  }
  int64_t period() const { return period_; }

  /// A sample came so long after the one before it. Answers whether there is a gap between them.
  bool add(int64_t interval) {
    const bool isGap = interval > 5 * pace() / 2;
    // A single long wait is a gap and says little of the pace.
    const auto counted = static_cast<double>(isGap ? 5 * pace() / 2 : interval);
    mean_ = mean_ == 0 ? counted : mean_ + (counted - mean_) / kMeanOver;
    return isGap;
  }

  /// The period, or the power of two of it that samples keep to.
  int64_t pace() const {
    int64_t pace = period_;
    while (mean_ > kTolerance * static_cast<double>(pace)) pace *= 2;
    return pace;
  }

  /// Samples a second as they come; 0 when not known yet.
  double hz() const { return mean_ == 0 ? 0 : 1e9 / mean_; }

 private:
  static constexpr double kMeanOver = 5;     ///< samples, about
  static constexpr double kTolerance = 1.5;  ///< of the pace, that may be waited for a sample in the mean

  int64_t period_;
  double mean_ = 0;  ///< ns between samples
};

}  // namespace strata::device
