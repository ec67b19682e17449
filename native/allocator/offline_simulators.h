#pragma once

#include "allocator/simulator.h"

namespace strata {

/// "offline-greedy" and "offline-stalloc": plans made with all requests known. `alignment` is what requests
/// are rounded up to; `phase_turn` is OfflinePlanOptions::turn.
std::vector<Simulator> offlineSimulators();

}  // namespace strata
