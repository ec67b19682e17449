#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Reads a capture that is lines of text, by the first reader that finds lines of its own in it.
/// Errors: CaptureError, also for a text that none of them knows; Cancelled.
Trace readTextCapture(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata
