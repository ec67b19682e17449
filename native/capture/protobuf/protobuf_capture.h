#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::protobuf {

/// Whether this is one of the serialised messages that are read here.
bool isCapture(std::span<const uint8_t> bytes);

/// Reads it. Errors: those of its reader.
Trace readCapture(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::protobuf
