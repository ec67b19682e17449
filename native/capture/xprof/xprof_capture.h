#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::xprof {

enum class Tool : uint8_t { None, MemoryProfile, MemoryViewer };

/// Which tool's result a JSON is, by the names of its members.
Tool recognise(std::span<const uint8_t> bytes);

/// Reads the result of a tool. Errors: CaptureError, Cancelled.
Trace read(Tool tool, std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::xprof
