// Feeds arbitrary bytes to the reader of TensorFlow's logs, past the search for its first line. What opens
// must be a trace whose rows refer to rows that exist, whose blocks and regions never contradict each other,
// and whose index can be built. Run with -rss_limit_mb=1024 -timeout=10 -max_len=65536.

#include <span>

#include "capture/bfc_log.h"
#include "capture/capture.h"
#include "check_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace strata;
  try {
    const std::optional<Trace> trace = readBfcLog(std::span<const uint8_t>(data, size), 0, {});
    if (!trace) return 0;
    fuzz::require(!trace->devices.empty());
    for (const Device& device : trace->devices) {
      fuzz::checkPlaced(*trace, device);
      fuzz::checkLayout(device);
      fuzz::checkIndex(*trace, device);
    }
  } catch (const CaptureError& error) {
    fuzz::require(!error.code.empty() && !error.remedy.empty());
  }
  return 0;
}
