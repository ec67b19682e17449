#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture/text_lines.h"

namespace strata {

/// Makes one axis of the times of day in a log of RMM, which have no date.
///
///   23:59:58  00:00:03  00:00:04  00:00:05     the rows behind stay: a midnight
///   10:00:07  00:00:07  10:00:08  10:00:08     the rows behind return: a damaged time
///
/// A row that is late by up to half a day keeps its time, for whoever orders the rows. One that is behind by
/// more, or more than a second ahead, is believed unless most of the next rows return to what was the latest
/// time; that is asked so seldom that the rows behind are then read twice.
class DayClock {
 public:
  /// The time of a row in ns since the midnight before the first row, negative for one that came late;
  /// nothing when it is not believed. behind: the lines from the next one on.
  std::optional<int64_t> timeOf(int64_t timeOfDay, const TextLines& behind);

 private:
  bool isBelieved(int64_t time, int64_t timeOfDay, const TextLines& behind) const;

  std::optional<int64_t> latest_;
  int64_t latestOfDay_ = 0;  ///< the same as a time of day
};

}  // namespace strata
