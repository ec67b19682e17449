#pragma once

#include "allocator/request_trace.h"

namespace strata {

/// The peak of what a program had asked for and not yet freed: no allocator that moves nothing needs less.
struct LiveBound {
  uint64_t bytes = 0;      ///< requested bytes, not rounded; 2^64 - 1 stands for that much or more
  int64_t operation = -1;  ///< the first operation after which it is reached; -1 when nothing is asked for
};

/// Requests above kLargestRequest never live: every allocator refuses them. O(operations).
LiveBound liveBound(const RequestTrace& trace);

}  // namespace strata
