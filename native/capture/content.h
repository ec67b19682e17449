#pragma once

#include <cstdint>
#include <span>

namespace strata {

/// What the first bytes of a file say it is. Text is whatever is none of the others and of no known kind of
/// file: a log, or something that only text_capture.h can tell to be unknown.
enum class Content { Pickle, Protobuf, Json, Html, Database, Text };

/// Errors: CaptureError for anything that is not read here, saying what it seems to be.
Content recogniseContent(std::span<const uint8_t> bytes);

/// Says what a file seems to be that no reader of texts knows. Errors: CaptureError, always.
[[noreturn]] void refuseUnknown(std::span<const uint8_t> bytes);

}  // namespace strata
