#include "capture/text_capture.h"

#include "capture/content.h"

namespace strata {

Trace readTextCapture(std::span<const uint8_t> bytes, const Progress&) { refuseUnknown(bytes); }

}  // namespace strata
