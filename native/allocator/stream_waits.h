#pragma once

#include <algorithm>
#include <vector>

#include "allocator/slot_table.h"

namespace strata {

/// Which stream waits for what: for every two streams, up to which moment the work of the one is known to be
/// done before anything that is given to the other from now on. Streams are counted in order of first use.
class StreamWaits {
 public:
  uint32_t positionOf(uint32_t stream) {
    const uint32_t position = order_.positionOf(stream);
    if (position >= seen_.size()) seen_.resize(position + 1);
    return position;
  }
  uint32_t count() const { return order_.count(); }

  /// Up to when `stream` is ordered after the work of `other`.
  uint64_t seen(uint32_t stream, uint32_t other) const {
    const std::vector<uint64_t>& times = seen_[stream];
    return other < times.size() ? times[other] : 0;
  }
  /// From here on `stream` comes after what was given to `other` up to a time.
  void wait(uint32_t stream, uint32_t other, uint64_t time) {
    std::vector<uint64_t>& times = seen_[stream];
    if (other >= times.size()) times.resize(other + 1);
    times[other] = std::max(times[other], time);
  }
  /// The same for everything up to now, and so for all that `other` itself comes after.
  void waitForAll(uint32_t stream, uint32_t other, uint64_t now) {
    wait(stream, other, now);
    for (uint32_t third = 0; third < seen_[other].size(); ++third)
      if (seen_[other][third] > 0) wait(stream, third, seen_[other][third]);
  }

 private:
  StreamOrder order_;
  std::vector<std::vector<uint64_t>> seen_;
};

}  // namespace strata
