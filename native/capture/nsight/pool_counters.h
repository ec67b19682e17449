#pragma once

#include <cstdint>

#include "capture/nsight/lanes.h"
#include "capture/nsight/memory_events.h"
#include "trace/trace.h"

namespace strata::nsight {

/// Adds what CUDA says of its stream-ordered pools as counters of their GPU: how large each is, and how much
/// of it is used; its release threshold goes to the settings. `from`: the trace's start, in ns since the
/// session began. At most kMostPools pools.
void addPoolCounters(const MemoryEvents& read, const Lanes& lanes, int64_t from, Trace& trace);

inline constexpr size_t kMostPools = 256;

}  // namespace strata::nsight
