#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/call_watch.h"

namespace strata::device {

/// What can be read of a GPU. The order is that of recordings: new ones are only added at the end.
enum class GpuMetric : uint8_t {
  Total,         ///< bytes
  Used,          ///< bytes; whether the driver's own are in it: MemoryAccounting
  Reserved,      ///< bytes that the driver keeps for itself
  Free,          ///< bytes
  Busy,          ///< percent of the product's own window in which anything ran; not how full it was
  MemoryBusy,    ///< percent of that window in which memory was read or written; not how full it is
  Temperature,   ///< °C
  Power,         ///< mW
  PowerLimit,    ///< mW
  CoreClock,     ///< MHz
  MemoryClock,   ///< MHz
  PcieSent,      ///< bytes a second
  PcieReceived,  ///< bytes a second
  Energy,        ///< mJ since the driver was loaded
};
inline constexpr size_t kGpuMetricCount = 14;

/// Stable words, for programs and files.
const char* nameOf(GpuMetric metric);

/// A reading is absent when the driver does not offer it or did not answer. It is never zero instead.
using Reading = std::optional<int64_t>;

/// What the driver counts as used.
enum class MemoryAccounting : uint8_t {
  Unknown,         ///< nothing was read
  ReservedApart,   ///< used + reserved + free = total
  ReservedInUsed,  ///< used + free = total, and used holds what the driver keeps for itself
  SumOfProcesses,  ///< used is what the processes that can be seen hold; total and free are not known
};
const char* nameOf(MemoryAccounting accounting);

struct GpuProcess {
  uint32_t pid = 0;
  std::string name;  ///< empty when it cannot be told, as in a container
  Reading bytes;
  Reading busy;  ///< percent of the time since the last look
  bool operator==(const GpuProcess&) const = default;
};

/// One GPU, or one MIG instance of one.
struct GpuIdentity {
  std::string id;                  ///< stable: the UUID, else the bus address
  std::string name;                ///< "NVIDIA H200"
  std::string vendor;              ///< "nvidia", "amd", "intel", "other", "simulated"
  std::string bus;                 ///< PCI address, or empty
  std::string driver;              ///< name or version of the driver, or empty
  std::optional<uint32_t> parent;  ///< of a MIG instance: position of its GPU in the list
  Reading slowdownTemperature;     ///< °C at which the hardware slows itself down
  bool operator==(const GpuIdentity&) const = default;
};

/// One look at one GPU.
struct GpuReadings {
  std::array<Reading, kGpuMetricCount> values;
  MemoryAccounting accounting = MemoryAccounting::Unknown;
  bool isLost = false;  ///< it fell off the bus, or its driver does not answer for it any more
  /// Absent when they cannot be listed. Kept from the last look when they are looked at less often.
  std::optional<std::vector<GpuProcess>> processes;

  Reading& operator[](GpuMetric metric) { return values[static_cast<size_t>(metric)]; }
  Reading operator[](GpuMetric metric) const { return values[static_cast<size_t>(metric)]; }
};

/// What was looked for to find GPUs of one kind, for the person who sees none.
struct LookedFor {
  enum class Outcome : uint8_t { Found, Missing, Failed };
  std::string kind;  ///< "nvidia", "amd", "drm", "simulated"
  Outcome outcome = Outcome::Missing;
  std::string code;                ///< stable: "library-not-found", "driver-not-loaded", …
  std::string what;                ///< "libnvidia-ml.so.1"
  std::vector<std::string> where;  ///< paths that were tried
  std::string detail;              ///< in the words of the loader or the driver, or empty
  std::string version;             ///< of the driver, or empty
};

/// Something that went wrong while sampling, said once.
struct Note {
  std::string code;     ///< stable: "reading-failed", "gpu-lost", "gpu-back", …
  std::string message;  ///< one plain English sentence
  std::optional<uint32_t> gpu;
};

/// The GPUs that one driver interface knows. Used by one thread at a time; any call may block, even for ever.
class GpuSource {
 public:
  virtual ~GpuSource() = default;
  /// Looks for GPUs. Called once, before anything else.
  virtual LookedFor open(CallWatch& watch) = 0;
  virtual const std::vector<GpuIdentity>& gpus() const = 0;
  /// Reads all GPUs, one entry each. `now`: monotonic ns.
  virtual void sample(int64_t now, std::span<GpuReadings> readings, CallWatch& watch) = 0;
  /// What went wrong since the last call; each thing is said once until it has worked again.
  virtual std::vector<Note> takeNotes() = 0;
};

}  // namespace strata::device
