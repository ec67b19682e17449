#pragma once

#include <vector>

#include "allocator/what_if/run.h"

namespace strata::what_if {

/// The runs worth trying on a recording, in the order a user should meet them: its own settings first, one
/// change of them at a time after that, then every other allocator, preallocating ones with what the device
/// has or, without a limit, with what the recording held. Each run once.
std::vector<RunRequest> worthTrying(const Recording& recording, const Capacity& capacity);

}  // namespace strata::what_if
