#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Where the first line of a log stands that a TensorFlow, XLA, JAX or ONNX Runtime allocator may have
/// written; nothing when there is none. Errors: Cancelled.
std::optional<size_t> findBfcLine(std::span<const uint8_t> bytes, const Progress& progress);

/// Reads the dumps and events of all allocators in a log, from a line on; a device each. Nothing when no line
/// from there on is one of theirs. Errors: CaptureError, Cancelled.
std::optional<Trace> readBfcLog(std::span<const uint8_t> bytes, size_t from, const Progress& progress);

}  // namespace strata
