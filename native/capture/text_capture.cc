#include "capture/text_capture.h"

#include <utility>

#include "capture/bfc_log.h"
#include "capture/content.h"
#include "capture/generic_text.h"
#include "capture/rmm_log.h"

namespace strata {

Trace readTextCapture(std::span<const uint8_t> bytes, const Progress& progress) {
  if (looksLikeGeneric(bytes)) return readGeneric(bytes, progress);
  if (looksLikeRmmLog(bytes)) return readRmmLog(bytes, progress);
  if (const auto line = findBfcLine(bytes, progress)) {
    if (std::optional<Trace> trace = readBfcLog(bytes, *line, progress)) return std::move(*trace);
  }
  refuseUnknown(bytes);
}

std::string_view recogniseText(std::span<const uint8_t> bytes) {
  if (looksLikeGeneric(bytes)) return "generic-events";
  if (looksLikeRmmLog(bytes)) return "rmm-log";
  const auto line = findBfcLine(bytes, {});
  return line && readBfcLog(bytes, *line, {}) ? "tensorflow-log" : std::string_view();
}

}  // namespace strata
