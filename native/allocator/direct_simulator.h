#pragma once

#include "allocator/simulator.h"

namespace strata {

/// "direct": a driver call for every request, as cudaMalloc and cudaFree without any caching.
std::vector<Simulator> directSimulators();

}  // namespace strata
