#include "capture/text_capture.h"

#include "capture/content.h"
#include "capture/generic_text.h"
#include "capture/rmm_log.h"

namespace strata {

Trace readTextCapture(std::span<const uint8_t> bytes, const Progress& progress) {
  if (looksLikeGeneric(bytes)) return readGeneric(bytes, progress);
  if (looksLikeRmmLog(bytes)) return readRmmLog(bytes, progress);
  refuseUnknown(bytes);
}

}  // namespace strata
