#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "analysis/counters.h"
#include "trace/trace.h"

namespace strata {

/// What of an allocator a driver's figure is compared with.
enum class Subtracted : uint8_t {
  Reserved,  ///< the bytes of its segments
  Stated,    ///< the reserved bytes that the capture states beside its events ("Total Reserved")
  Active,    ///< the bytes of its live blocks: the capture does not say what was reserved
};

/// What a driver counts on a GPU beyond what one allocator holds there: context and libraries, other
/// allocators, other processes, and what the driver keeps for itself.
///
///   at each sample of the driver, taken at time t:  value = driver(t) - allocator(after its last event <= t)
///
/// The value holds until the next sample. Nothing is known where the driver's figure is absent, before the
/// allocator's first event and behind its last: a capture does not say what was held then. A negative value
/// is kept as it is: the two clocks differ, or it is another GPU.
///
/// The driver's list of processes is read more rarely than the rest (device/nvml_source.h): a figure of one
/// process counts as read where it changed, and at the first sample a second after it was read last.
struct Difference {
  Counter counter;
  Subtracted subtracted = Subtracted::Reserved;
  uint64_t known = 0;     ///< samples for which there is a value
  uint64_t negative = 0;  ///< those below zero
  double smallest = 0, largest = 0;
};

/// `driver`: row of Trace::counters, in bytes. O(samples + events that change the device's reserved bytes).
Difference differenceOf(const Trace& trace, const Device& device, const Counter& driver);

/// A difference, ready for windows.
struct IndexedDifference {
  Difference difference;
  CounterIndex index;

  IndexedDifference(Difference computed, int64_t end)
      : difference(std::move(computed)), index(difference.counter, end) {}
  IndexedDifference(const IndexedDifference&) = delete;
};

/// The differences of one trace that were asked for, each computed once. Safe from several threads.
class Differences {
 public:
  /// `device` and `counter` are rows of the trace, which stays the same from call to call.
  std::shared_ptr<const IndexedDifference> of(const Trace& trace, size_t device, size_t counter) const;

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::pair<size_t, size_t>, std::shared_ptr<const IndexedDifference>> known_;
};

}  // namespace strata
