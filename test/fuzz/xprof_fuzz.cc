// Feeds arbitrary bytes to the readers of what TensorBoard's profiler tools write as JSON, whatever tool they
// look like. What opens must be a trace whose rows refer to rows that exist and whose index can be built;
// anything else must be refused with a CaptureError.

#include <span>

#include "capture/capture.h"
#include "capture/xprof/xprof_capture.h"
#include "check_trace.h"

namespace {

void readAs(strata::xprof::Tool tool, std::span<const uint8_t> bytes) {
  using namespace strata;
  try {
    const Trace trace = xprof::read(tool, bytes, {});
    for (const Device& device : trace.devices) {
      fuzz::checkPlaced(trace, device);
      fuzz::checkIndex(trace, device);
      const auto last = static_cast<EventIndex>(device.events.count()) - 1;
      fuzz::require(device.peak == kNever || (device.peak >= 0 && device.peak <= last));
    }
  } catch (const CaptureError& error) {
    fuzz::require(!error.code.empty() && !error.remedy.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace strata;
  const std::span<const uint8_t> bytes(data, size);
  xprof::recognise(bytes);
  readAs(xprof::Tool::MemoryProfile, bytes);
  readAs(xprof::Tool::MemoryViewer, bytes);
  return 0;
}
