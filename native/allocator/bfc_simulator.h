#pragma once

#include "allocator/simulator.h"

namespace strata {

/// "bfc". Knobs are the members of BFCAllocator::Options and the limit it is built with (tsl's
/// bfc_allocator.h); coalescing of regions is what a sub-allocator with virtual memory allows.
std::vector<Simulator> bfcSimulators();

}  // namespace strata
