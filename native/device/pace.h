#pragma once

#include <algorithm>
#include <cstdint>

namespace strata::device {

inline constexpr int64_t kSecond = 1'000'000'000;

/// When a call is made next. One that fails is tried again after 1 s, 2 s, 4 s, … 60 s, and the first failure
/// in a row is the one to tell about.
class Pace {
 public:
  explicit Pace(int64_t period = 0) : period_(period) {}

  bool isDue(int64_t now) const { return !isNever_ && now >= next_; }
  /// Not offered: it is never tried again.
  void never() { isNever_ = true; }
  void worked(int64_t now) {
    failures_ = 0;
    next_ = now + period_;
  }
  /// Answers whether this is the first failure in a row.
  bool failed(int64_t now) {
    next_ = now + std::max(period_, std::min(kSecond << std::min(failures_, 6), 60 * kSecond));
    return failures_++ == 0;
  }
  bool isFailing() const { return failures_ > 0; }

 private:
  int64_t period_;
  int64_t next_ = 0;
  int failures_ = 0;
  bool isNever_ = false;
};

}  // namespace strata::device
