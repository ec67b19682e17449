#pragma once

#include "allocator/simulator.h"

namespace strata {

/// "tiered", a teaching model. Knobs are the members of TieredOptions; `virtual_from` is off unless set.
std::vector<Simulator> tieredSimulators();

}  // namespace strata
