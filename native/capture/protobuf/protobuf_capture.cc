#include "capture/protobuf/protobuf_capture.h"

#include "capture/protobuf/hlo_reader.h"
#include "capture/protobuf/memory_dump.h"
#include "capture/protobuf/pprof.h"
#include "capture/protobuf/recognise.h"
#include "capture/protobuf/xspace_reader.h"

namespace strata::protobuf {

bool isCapture(std::span<const uint8_t> bytes) { return recognise(bytes) != Schema::None; }

std::string_view nameOf(std::span<const uint8_t> bytes) {
  switch (recognise(bytes)) {
    case Schema::XSpace:
      return "xplane";
    case Schema::MemoryDump:
      return "tensorflow-memory-dump";
    case Schema::Pprof:
      return "jax-memory-profile";
    case Schema::HloProto:
      return "xla-hlo";
    case Schema::None:
      break;
  }
  return {};
}

Trace readCapture(std::span<const uint8_t> bytes, const Progress& progress) {
  switch (recognise(bytes)) {
    case Schema::XSpace:
      return readXSpace(bytes, progress);
    case Schema::MemoryDump:
      return readMemoryDump(bytes, progress);
    case Schema::Pprof:
      return readPprof(bytes, progress);
    case Schema::HloProto:
      return readHlo(bytes, progress);
    case Schema::None:
      break;
  }
  return {};
}

}  // namespace strata::protobuf
