// Feeds arbitrary bytes to the readers of serialised messages: the first byte picks one, so that each is
// reached whatever the rest looks like. What opens must be a trace whose rows refer to rows that exist and
// whose index can be built; anything else must be refused with a CaptureError.

#include <span>

#include "capture/capture.h"
#include "capture/protobuf/hlo_reader.h"
#include "capture/protobuf/memory_dump.h"
#include "capture/protobuf/pprof.h"
#include "capture/protobuf/protobuf_capture.h"
#include "capture/protobuf/xspace_reader.h"
#include "check_trace.h"

namespace {

strata::Trace readAs(uint8_t reader, std::span<const uint8_t> bytes) {
  using namespace strata::protobuf;
  switch (reader % 5) {
    case 0:
      return readXSpace(bytes, {});
    case 1:
      return readMemoryDump(bytes, {});
    case 2:
      return readPprof(bytes, {});
    case 3:
      return readHlo(bytes, {});
    default:
      return isCapture(bytes) ? readCapture(bytes, {}) : strata::Trace{};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace strata;
  if (size == 0) return 0;
  try {
    const Trace trace = readAs(data[0], std::span<const uint8_t>(data + 1, size - 1));
    for (const Device& device : trace.devices) {
      fuzz::checkPlaced(trace, device);
      fuzz::checkLayout(device);
      fuzz::checkIndex(trace, device);
    }
  } catch (const CaptureError& error) {
    fuzz::require(!error.code.empty() && !error.remedy.empty());
  }
  return 0;
}
