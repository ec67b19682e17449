#pragma once

#include "allocator/simulator.h"

namespace strata {

/// "rmm-pool", "rmm-arena", "rmm-fixed" and "rmm-binning", over RMM's device resource or a pool. Knobs are
/// the arguments of the classes in RMM's Python documentation (rmm.mr), with its defaults.
std::vector<Simulator> rmmSimulators();

}  // namespace strata
