#pragma once

#include "allocator/pytorch_config.h"
#include "allocator/simulator.h"

namespace strata {

/// "pytorch". Knobs are the whole of PYTORCH_CUDA_ALLOC_CONF as users write it, and its keys one by one; a
/// key given by itself wins over the same key in the string.
std::vector<Simulator> pytorchSimulators();

/// The settings of such a run in the form the allocator reads: the string with the single keys behind it.
/// Errors: ReplayError "bad-setting".
PytorchConfig pytorchConfigOf(const Settings& settings);

}  // namespace strata
