#pragma once

#include <cstdint>
#include <span>

namespace strata {

/// What the first bytes of a file say it is.
enum class Content { Pickle, Json, Html };

/// Errors: CaptureError for anything that is not read here, saying what it seems to be.
Content recogniseContent(std::span<const uint8_t> bytes);

}  // namespace strata
