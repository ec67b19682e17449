#include "capture/protobuf/memory_event.h"

#include <array>
#include <charconv>

namespace strata::protobuf {
namespace {

constexpr int64_t kPicosecondsInNanosecond = 1000;

/// Number of one of the ways in which an integer may be written.
uint64_t whole(const Stat& stat) {
  if (stat.value.wire == Wire::Varint && stat.value.number != 7) return stat.value.value;
  uint64_t number = 0;
  std::from_chars(stat.text.data(), stat.text.data() + stat.text.size(), number);
  return number;
}

void take(const Stat& stat, MemoryEvent& event) {
  const std::string_view name = stat.name;
  if (name == "addr") {
    event.address = whole(stat);
    event.hasAddress = event.address != 0;
  } else if (name == "requested_bytes") {
    event.requested = whole(stat);
  } else if (name == "allocation_bytes") {
    event.bytes = whole(stat);
  } else if (name == "bytes_allocated") {
    event.inUse = whole(stat);
    event.hasTotals = true;
  } else if (name == "bytes_reserved") {
    event.stack = whole(stat);
  } else if (name == "bytes_available") {
    event.available = whole(stat);
  } else if (name == "allocator_name") {
    event.allocator = stat.text;
  } else if (name == "index_on_host" || name == "device_ordinal") {
    event.memory = static_cast<int64_t>(whole(stat));
  } else if (name == "tf_op") {
    event.op = stat.text;
  } else if (name == "region_type") {
    event.regionType = stat.text;
  } else if (name == "shape" || name == "tensor_shapes") {
    event.shape = stat.text;
  } else if (name == "data_type") {
    event.dataType = static_cast<int64_t>(whole(stat));
  } else if (name == "group_id" || (name == "id" && event.step < 0)) {
    event.step = static_cast<int64_t>(whole(stat));
  }
}

}  // namespace

MemoryEvent readMemoryEvent(const Plane& plane, const Line& line, const Event& event, bool isFree) {
  MemoryEvent read;
  read.isFree = isFree;
  read.at = event.whole.at;
  read.timeNs = line.timestampNs + event.offsetPs / kPicosecondsInNanosecond;
  eachStat(plane, event, [&](const Stat& stat) { take(stat, read); });
  return read;
}

std::string_view dataTypeName(int64_t number) {
  constexpr std::array<std::string_view, 33> kNames = {"",
                                                       "float32",
                                                       "float64",
                                                       "int32",
                                                       "uint8",
                                                       "int16",
                                                       "int8",
                                                       "string",
                                                       "complex64",
                                                       "int64",
                                                       "bool",
                                                       "qint8",
                                                       "quint8",
                                                       "qint32",
                                                       "bfloat16",
                                                       "qint16",
                                                       "quint16",
                                                       "uint16",
                                                       "complex128",
                                                       "float16",
                                                       "resource",
                                                       "variant",
                                                       "uint32",
                                                       "uint64",
                                                       "float8_e5m2",
                                                       "float8_e4m3fn",
                                                       "float8_e4m3fnuz",
                                                       "float8_e4m3b11fnuz",
                                                       "float8_e5m2fnuz",
                                                       "int4",
                                                       "uint4",
                                                       "int2",
                                                       "uint2"};
  return number >= 0 && static_cast<size_t>(number) < kNames.size() ? kNames[static_cast<size_t>(number)]
                                                                    : std::string_view{};
}

}  // namespace strata::protobuf
