#pragma once

#include <optional>

#include "allocator/pytorch_config.h"
#include "allocator/simulator.h"
#include "trace/trace.h"

namespace strata::what_if {

/// The settings of a recorded PyTorch allocator as a user would write them, one key each; empty for its
/// defaults. None where the recording has another allocator, or settings that cannot be written that way.
std::optional<WrittenSettings> recordedSettings(const Trace& trace, const Device& device);

}  // namespace strata::what_if
