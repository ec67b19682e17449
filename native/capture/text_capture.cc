#include "capture/text_capture.h"

#include <string>
#include <utility>

#include "capture/bfc_log.h"
#include "capture/capture.h"
#include "capture/content.h"
#include "capture/generic_text.h"
#include "capture/rmm_log.h"

namespace strata {
namespace {

/// A table that may be meant for us says which columns it lacks. Errors: "generic-columns".
void explainTable(std::span<const uint8_t> bytes) {
  const std::string missing = missingGenericColumns(bytes);
  if (missing.empty()) return;
  throw CaptureError(
      "generic-columns", "This is a table, but its header has no column " + missing + ".",
      "Name its columns in the first line: action and bytes are needed, address, time, stream, "
      "device and stack are read too. Values are separated by commas, semicolons or tabs.",
      0);
}

}  // namespace

Trace readTextCapture(std::span<const uint8_t> bytes, const Progress& progress) {
  if (looksLikeGeneric(bytes)) return readGeneric(bytes, progress);
  if (looksLikeRmmLog(bytes)) return readRmmLog(bytes, progress);
  if (const auto line = findBfcLine(bytes, progress)) {
    if (std::optional<Trace> trace = readBfcLog(bytes, *line, progress)) return std::move(*trace);
  }
  explainTable(bytes);
  refuseUnknown(bytes);
}

std::string_view recogniseText(std::span<const uint8_t> bytes) {
  if (looksLikeGeneric(bytes)) return "generic-events";
  if (looksLikeRmmLog(bytes)) return "rmm-log";
  const auto line = findBfcLine(bytes, {});
  return line && readBfcLog(bytes, *line, {}) ? "tensorflow-log" : std::string_view();
}

}  // namespace strata
