#pragma once

#include "allocator/simulator.h"

namespace strata {

/// "cuda-async", "tf-vmm" and "gmlake": the allocators that map physical memory into ranges of addresses.
/// Knobs are the attributes of CUDA's memory pools, the members of BFCAllocator::Options with what TensorFlow
/// gives the sub-allocator, and GMLake's environment variables.
std::vector<Simulator> virtualSimulators();

}  // namespace strata
