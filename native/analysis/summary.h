#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace strata {

/// The four counters of a device, in bytes.
struct Totals {
  uint64_t allocated = 0, active = 0, reserved = 0, requested = 0;
};

/// The few facts of a device that need one look at all of its rows.
struct Summary {
  uint64_t allocations = 0;      ///< alloc events
  uint64_t finalSegments = 0;    ///< of the final state
  int64_t lastTime = 0;          ///< ns; 0 without a clock
  bool uses[kRegionCount] = {};  ///< regions that ever held a segment, or a block where those do not tell
  Totals possible;               ///< Device::possible, over all regions
  Totals storedEnd;              ///< the final state as the capture states it
};

/// O(events + segments).
Summary summarise(const Device& device);

}  // namespace strata
