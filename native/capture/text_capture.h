#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Reads a capture that is lines of text, by the first reader that finds lines of its own in it.
/// Errors: CaptureError, also for a text that none of them knows; Cancelled.
Trace readTextCapture(std::span<const uint8_t> bytes, const Progress& progress);

/// Which of them would read it, as Trace::format names it; empty when none would.
std::string_view recogniseText(std::span<const uint8_t> bytes);

}  // namespace strata
