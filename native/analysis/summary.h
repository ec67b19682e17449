#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace strata {

/// The few facts of a device that need one look at all of its rows.
struct Summary {
  uint64_t allocations = 0;       ///< alloc events
  int64_t lastTime = 0;           ///< ns; 0 without a clock
  bool uses[kRegionCount] = {};   ///< regions that ever held a segment
  uint64_t possibleReserved = 0;  ///< sums of Device::possible over the regions
  uint64_t possibleAllocated = 0;
  uint64_t possibleActive = 0;
  uint64_t possibleRequested = 0;
};

/// O(events + segments).
Summary summarise(const Device& device);

}  // namespace strata
