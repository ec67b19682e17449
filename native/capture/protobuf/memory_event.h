#pragma once

#include <cstdint>
#include <string_view>

#include "capture/protobuf/xplane.h"

namespace strata::protobuf {

/// One allocation or free, as an allocator told the profiler; views into the file.
struct MemoryEvent {
  int64_t timeNs = 0;
  bool isFree = false;
  bool hasAddress = false;
  bool hasTotals = false;
  uint64_t at = 0;  ///< position in the file
  std::string_view allocator;
  int64_t memory = -1;  ///< older TPU runtimes number their memories instead of naming them
  uint64_t address = 0;
  uint64_t requested = 0;  ///< bytes asked for
  uint64_t bytes = 0;      ///< bytes of the block
  uint64_t stack = 0;      ///< totals after the event, in bytes: kept for the program's stack,
  uint64_t inUse = 0;      ///< in blocks,
  uint64_t available = 0;  ///< and left
  std::string_view op, regionType, shape;
  int64_t dataType = 0;
  int64_t step = -1;
};

MemoryEvent readMemoryEvent(const Plane& plane, const Line& line, const Event& event, bool isFree);

/// TensorFlow's name of a data type, "float32"; empty for 0 and for numbers it does not define.
/// Source: tensorflow/core/framework/types.proto.
std::string_view dataTypeName(int64_t number);

}  // namespace strata::protobuf
