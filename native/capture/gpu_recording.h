#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Whether a file starts as recordings of GPUs do.
bool isGpuRecording(std::span<const uint8_t> bytes);

/// Reads what the sampler recorded (device/recording_format.h) into counters and marks; there are no blocks.
/// A recording that ends early or has a damaged frame is read up to there and from there on: the span that is
/// missing is a gap, and a warning says where.
/// Errors: CaptureError, Cancelled.
Trace readGpuRecording(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata
