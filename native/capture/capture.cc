#include "capture/capture.h"

#include <new>

#include "capture/content.h"
#include "capture/generic_text.h"
#include "capture/gpu_recording.h"
#include "capture/html_page.h"
#include "capture/json_reader.h"
#include "capture/kineto_trace.h"
#include "capture/mapped_file.h"
#include "capture/nsight/export_reader.h"
#include "capture/pickle_reader.h"
#include "capture/protobuf/protobuf_capture.h"
#include "capture/snapshot.h"
#include "capture/text_capture.h"
#include "capture/xprof/xprof_capture.h"

namespace strata {
namespace {

Trace readContent(std::span<const uint8_t> bytes, const Progress& progress) {
  if (isGpuRecording(bytes)) return readGpuRecording(bytes, progress);
  switch (recogniseContent(bytes)) {
    case Content::Pickle:
      return readSnapshot(bytes, readPickle, progress);
    case Content::Protobuf:
      return protobuf::readCapture(bytes, progress);
    case Content::Json:
      if (looksLikeGeneric(bytes)) return readGeneric(bytes, progress);
      if (looksLikeChromeTrace(bytes)) return readChromeTrace(bytes, progress);
      if (const auto tool = xprof::recognise(bytes); tool != xprof::Tool::None)
        return xprof::read(tool, bytes, progress);
      return readSnapshot(bytes, readJson, progress);
    case Content::Html:
      return readHtmlPage(bytes, progress);
    case Content::Database:
      return nsight::readExport(bytes, progress);
    case Content::Text:
      return readTextCapture(bytes, progress);
  }
  return {};
}

std::string_view recogniseJson(std::span<const uint8_t> start) {
  if (looksLikeGeneric(start)) return "generic-events";
  if (looksLikeChromeTrace(start)) return "kineto-trace";
  switch (xprof::recognise(start)) {
    case xprof::Tool::MemoryProfile:
      return "tensorboard-memory-profile";
    case xprof::Tool::MemoryViewer:
      return "xla-memory-viewer";
    case xprof::Tool::None:
      break;
  }
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  const bool isSnapshot = text.find("\"segments\"") != std::string_view::npos ||
                          text.find("\"device_traces\"") != std::string_view::npos;
  return isSnapshot ? "pytorch-snapshot" : "json";
}

std::string_view recogniseContentOf(std::span<const uint8_t> start) {
  if (isGpuRecording(start)) return "gpu-recording";
  switch (recogniseContent(start)) {
    case Content::Pickle:
      return "pytorch-snapshot";
    case Content::Protobuf:
      return protobuf::nameOf(start);
    case Content::Json:
      return recogniseJson(start);
    case Content::Html:
      return "html";
    case Content::Database:
      return "nsight-export";
    case Content::Text:
      return recogniseText(start);
  }
  return {};
}

}  // namespace

std::string_view recogniseStart(std::span<const uint8_t> start) {
  try {
    return recogniseContentOf(start);
  } catch (const CaptureError&) {  // known as something else
    return {};
  }
}

Trace readCapture(std::span<const uint8_t> bytes, const Progress& progress) {
  try {
    Trace trace = readContent(bytes, progress);
    trace.fileBytes = bytes.size();
    return trace;
  } catch (const std::bad_alloc&) {
    throw CaptureError("capture-out-of-memory", "There is not enough memory to open this capture.",
                       "Close other programs, or open it on a machine with more memory.");
  } catch (const std::length_error&) {
    throw CaptureError("capture-out-of-memory",
                       "This capture needs more memory than this program can address.",
                       "It is damaged, or too large for this machine.");
  }
}

Trace readCapture(const std::string& path, const Progress& progress) {
  const MappedFile file(path);
  const auto refuseChanged = [&] {
    if (!file.hasShrunk()) return;
    throw CaptureError("capture-changed", "This file was cut short by another program while it was read.",
                       "Wait until it is written completely, then open it again.");
  };
  try {
    Trace trace = readCapture(file.bytes(), progress);
    refuseChanged();
    if (nsight::isDatabase(file.bytes())) nsight::warnOfLog(path, trace);
    return trace;
  } catch (const CaptureError&) {
    refuseChanged();  // whatever the zeros behind the cut looked like
    throw;
  }
}

}  // namespace strata
