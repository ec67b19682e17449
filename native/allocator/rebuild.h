#pragma once

#include "allocator/pytorch_config.h"
#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Fills blocks, segments, events.row and exactness of every device that its reader has not placed:
/// undoes the events from the final state to find the first one, then runs them forwards with the allocator's
/// own rules. Sorts BlockColumns by birth. Devices whose reader knew the blocks (isPlaced) stay as they are.
/// Source: reference for the rules is c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6.
void rebuild(Trace& trace, const Progress& progress);

/// The settings that the allocator of a recorded device had: those the recording states, and what its events
/// show.
PytorchConfig recordedConfig(const Trace& trace, const Device& device);

}  // namespace strata
