// Feeds arbitrary bytes to the reader of GPU recordings: as they are, and cut into frames whose checksums are
// right, so that what is inside of a frame is reached. What opens must be counters in order of time that can
// be queried; anything else must be refused with a CaptureError.

#include <span>
#include <string>

#include "analysis/counters.h"
#include "capture/capture.h"
#include "capture/gpu_recording.h"
#include "check_trace.h"
#include "device/recording_writer.h"

namespace {

using namespace strata;
namespace recording = device::recording;

void check(std::span<const uint8_t> bytes) {
  try {
    const Trace trace = readGpuRecording(bytes, {});
    fuzz::require(trace.devices.empty());
    for (const Counter& counter : trace.counters) {
      fuzz::require(!counter.time.empty() && counter.time.size() == counter.value.size());
      for (size_t i = 1; i < counter.time.size(); ++i) fuzz::require(counter.time[i - 1] < counter.time[i]);
      fuzz::require(counter.name < trace.strings.count() && counter.group < trace.strings.count());
      CounterIndex(counter, trace.countersEnd).window(0, static_cast<double>(trace.countersEnd) + 1, 7);
    }
    for (const Mark& mark : trace.marks) {
      fuzz::require(mark.kind < trace.strings.count() && mark.text < trace.strings.count());
    }
  } catch (const CaptureError& error) {
    fuzz::require(!error.code.empty() && !error.remedy.empty());
  }
}

/// A recording of two GPUs whose frames hold the bytes: of each, its kind, its size, its payload.
std::string framed(std::span<const uint8_t> bytes) {
  device::RecordingHead head;
  head.gpus.resize(2);
  std::string file = device::RecordingWriter(head).beginPart(0);
  while (bytes.size() >= 2) {
    const auto kind = static_cast<recording::Kind>(bytes[0]);
    const size_t size = std::min<size_t>(bytes[1], bytes.size() - 2);
    recording::Payload payload;
    for (const uint8_t byte : bytes.subspan(2, size)) payload.number(byte & 0x7f);
    file += recording::frame(kind, payload);
    bytes = bytes.subspan(2 + size);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  check(bytes);
  const std::string file = framed(bytes);
  check({reinterpret_cast<const uint8_t*>(file.data()), file.size()});
  return 0;
}
