#pragma once

#include <cstdint>

/// What Strata uses of NVML, NVIDIA's management library: layouts, versions and codes of its C interface,
/// which has kept them since each function appeared. Source: NVIDIA, "NVML API Reference", nvml.h 11 to 13.
namespace strata::device::nvml {

struct Device;  ///< opaque
using Handle = Device*;

enum Code : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kInsufficientPower = 8,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kIrqIssue = 11,
  kLibraryNotFound = 12,
  kFunctionNotFound = 13,
  kCorruptedInforom = 14,
  kGpuLost = 15,
  kResetRequired = 16,
  kOperatingSystem = 17,
  kVersionMismatch = 18,
  kInUse = 19,
  kMemory = 20,
  kNoData = 21,
  kInsufficientResources = 23,
  kArgumentVersionMismatch = 25,
  kUnknown = 999,
};

/// A size that is not available is all ones, never zero.
inline constexpr uint64_t kNotAvailable = ~uint64_t{0};

struct Memory {
  uint64_t total, free, used;
};
static_assert(sizeof(Memory) == 24);

struct MemoryV2 {
  uint32_t version;
  uint64_t total, reserved, free, used;
};
static_assert(sizeof(MemoryV2) == 40);
inline constexpr uint32_t kMemoryV2 = 40 | 2u << 24;

struct Utilization {
  uint32_t gpu, memory;
};
static_assert(sizeof(Utilization) == 8);

/// As the calls that end in _v2 and _v3 fill it.
struct ProcessInfo {
  uint32_t pid;
  uint64_t usedGpuMemory;
  uint32_t gpuInstanceId, computeInstanceId;
};
static_assert(sizeof(ProcessInfo) == 24);

/// As the first version of the calls fills it.
struct ProcessInfoV1 {
  uint32_t pid;
  uint64_t usedGpuMemory;
};
static_assert(sizeof(ProcessInfoV1) == 16);

struct ProcessUtilizationSample {
  uint32_t pid;
  uint64_t timeStamp;  ///< µs
  uint32_t smUtil, memUtil, encUtil, decUtil;
};
static_assert(sizeof(ProcessUtilizationSample) == 32);

struct PciInfo {
  char busIdLegacy[16];
  uint32_t domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};
static_assert(sizeof(PciInfo) == 68);

inline constexpr unsigned kInitAllowsNoGpus = 1;
inline constexpr unsigned kNameBytes = 96, kUuidBytes = 96, kVersionBytes = 80, kProcessNameBytes = 1024;
inline constexpr int kTemperatureOfGpu = 0, kThresholdSlowdown = 1;
inline constexpr int kClockSm = 1, kClockMemory = 2;
inline constexpr int kPcieSent = 0, kPcieReceived = 1;

}  // namespace strata::device::nvml
