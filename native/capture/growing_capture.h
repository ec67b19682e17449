#pragma once

#include <cstdint>
#include <mutex>
#include <span>

#include "capture/generic_rows.h"
#include "trace/trace.h"

namespace strata {

/// A capture in Strata's own format (GENERIC.md) that is still being written: its lines are read once, as
/// they arrive, and the trace of what has arrived can be made at any time. Reading costs what arrives, a
/// trace costs a copy of everything, so the caller makes one the less often the larger it is. Any thread may
/// call either; a trace that is being copied holds append() up.
class GrowingCapture {
 public:
  struct Counts {
    uint64_t lines = 0;
    uint64_t bytes = 0;
    uint64_t events = 0;   ///< as many as a trace of it would have now
    uint64_t held = 0;     ///< blocks that were there before the first of them
    uint64_t dropped = 0;  ///< events that the producer says are missing
    uint64_t gaps = 0;
    TextOddity unreadable;
  };

  /// Whole lines, each with its end. Answers with what has arrived so far.
  Counts append(std::span<const uint8_t> lines);
  /// Errors: CaptureError while no row has arrived.
  Trace trace() const;

 private:
  mutable std::mutex mutex_;
  GenericRows rows_{true};
  uint64_t lines_ = 0, bytes_ = 0;
};

}  // namespace strata
