// Feeds arbitrary bytes to the reader of SQLite databases and of Nsight Systems' exports. What opens must be
// a trace whose rows refer to rows that exist and whose index can be built; anything else must be refused
// with a CaptureError.

#include <span>

#include "capture/capture.h"
#include "capture/nsight/export_reader.h"
#include "check_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace strata;
  const std::span<const uint8_t> bytes(data, size);
  try {
    const Trace trace = nsight::readExport(bytes, {});
    for (const Device& device : trace.devices) {
      fuzz::checkPlaced(trace, device);
      fuzz::checkIndex(trace, device);
    }
  } catch (const CaptureError& error) {
    fuzz::require(!error.code.empty() && !error.remedy.empty());
  }
  return 0;
}
