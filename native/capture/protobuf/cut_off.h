#pragma once

#include <string>

#include "capture/capture.h"
#include "capture/text.h"

namespace strata::protobuf {

/// The refusal of a message that ends before anything of use.
///   what: what would have come, "any allocation in it"
inline CaptureError cutOffBefore(const std::string& what, uint64_t at) {
  return CaptureError(
      "capture-truncated", "This file breaks off at byte " + grouped(at) + ", before " + what + ".",
      "Copy it again from where it was recorded; a program that was killed while writing leaves "
      "such files.",
      static_cast<int64_t>(at));
}

}  // namespace strata::protobuf
