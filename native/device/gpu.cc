#include "device/gpu.h"

namespace strata::device {

const char* nameOf(GpuMetric metric) {
  constexpr const char* kNames[kGpuMetricCount] = {
      "total", "used",        "reserved",   "free",         "busy",      "memory-busy",   "temperature",
      "power", "power-limit", "core-clock", "memory-clock", "pcie-sent", "pcie-received", "energy"};
  return kNames[static_cast<size_t>(metric)];
}

const char* nameOf(MemoryAccounting accounting) {
  switch (accounting) {
    case MemoryAccounting::ReservedApart:
      return "reserved-apart";
    case MemoryAccounting::ReservedInUsed:
      return "reserved-in-used";
    case MemoryAccounting::SumOfProcesses:
      return "sum-of-processes";
    default:
      return "unknown";
  }
}

}  // namespace strata::device
