#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::protobuf {

/// Whether this is one of the serialised messages that are read here.
bool isCapture(std::span<const uint8_t> bytes);

/// Its format as Trace::format names it, or empty.
std::string_view nameOf(std::span<const uint8_t> bytes);

/// Reads it. Errors: those of its reader.
Trace readCapture(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::protobuf
