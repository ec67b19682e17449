#include "device/nvml_source.h"

#include <utility>

namespace strata::device {

using nvml::Library;

struct NvmlSource::Gpu {
  nvml::Handle handle = nullptr;
  unsigned index = 0;     ///< as NVML counts, for handles after a loss
  uint32_t position = 0;  ///< in gpus()
  bool isInstance = false;
  bool isV2Tried = false, isV2Used = false;
  std::array<Pace, kSteps> pace;
  Pace revival;
  nvml::ProcessList processes;
  GpuReadings readings;

  Gpu() {
    for (const Step step : {PowerLimitStep, CoreClockStep, MemoryClockStep, EnergyStep, ProcessesStep}) {
      pace[step] = Pace(kSecond);
    }
  }
};

NvmlSource::NvmlSource(NvmlOptions options) : options_(std::move(options)), names_(options_.procRoot) {}
NvmlSource::~NvmlSource() = default;

LookedFor NvmlSource::open(CallWatch& watch) {
  LookedFor report = library_.open(options_.library, watch);
  if (report.outcome != LookedFor::Outcome::Found) return report;
  unsigned count = 0;
  const int code = Library::call(watch, "nvmlDeviceGetCount", library_.getCount, &count);
  if (code != nvml::kSuccess) {
    report.outcome = LookedFor::Outcome::Failed;
    report.code = "driver-failed";
    report.detail = Library::words(code);
    return report;
  }
  for (unsigned index = 0; index < count; ++index) addGpu(index, watch);
  if (gpus_.empty()) {
    report.outcome = LookedFor::Outcome::Missing;
    report.code = "no-gpus";
  }
  for (GpuIdentity& identity : identities_) identity.driver = report.version;
  return report;
}

void NvmlSource::addGpu(unsigned index, CallWatch& watch) {
  nvml::Handle handle = nullptr;
  const int code =
      Library::call(watch, "nvmlDeviceGetHandleByIndex", library_.getHandleByIndex, index, &handle);
  const std::string fallback = "NVIDIA GPU " + std::to_string(index);
  const auto position = static_cast<uint32_t>(gpus_.size());
  auto gpu = std::make_unique<Gpu>();
  gpu->index = index;
  gpu->position = position;
  gpu->handle = handle;
  gpus_.push_back(std::move(gpu));
  if (code == nvml::kSuccess) {
    identities_.push_back(identify(handle, fallback, watch));
    addInstances(handle, position, watch);
    return;
  }
  // It is there, but cannot be looked at: shown as lost, and tried again.
  identities_.push_back({fallback, fallback, "nvidia", "", "", std::nullopt, std::nullopt});
  gpus_.back()->handle = nullptr;
  gpus_.back()->readings.isLost = true;
  notes_.push_back(
      {"gpu-unreachable", fallback + " cannot be read: " + Library::words(code) + ".", position});
}

void NvmlSource::addInstances(nvml::Handle parent, uint32_t position, CallWatch& watch) {
  unsigned most = 0;
  if (Library::call(watch, "nvmlDeviceGetMaxMigDeviceCount", library_.getMaxMigDeviceCount, parent, &most) !=
      nvml::kSuccess) {
    return;
  }
  for (unsigned slot = 0; slot < most; ++slot) {
    nvml::Handle handle = nullptr;
    const int code = Library::call(watch, "nvmlDeviceGetMigDeviceHandleByIndex", library_.getMigDeviceHandle,
                                   parent, slot, &handle);
    if (code != nvml::kSuccess) continue;  // an empty slot
    auto gpu = std::make_unique<Gpu>();
    gpu->handle = handle;
    gpu->position = static_cast<uint32_t>(gpus_.size());
    gpu->isInstance = true;
    gpus_.push_back(std::move(gpu));
    identities_.push_back(identify(handle, "MIG instance " + std::to_string(slot), watch));
    identities_.back().parent = position;
  }
}

GpuIdentity NvmlSource::identify(nvml::Handle handle, const std::string& fallback, CallWatch& watch) const {
  GpuIdentity identity;
  identity.vendor = "nvidia";
  identity.name = fallback;
  char text[nvml::kNameBytes] = {};
  if (Library::call(watch, "nvmlDeviceGetName", library_.getName, handle, text, nvml::kNameBytes - 1) ==
      nvml::kSuccess) {
    identity.name = text;
  }
  char uuid[nvml::kUuidBytes] = {};
  if (Library::call(watch, "nvmlDeviceGetUUID", library_.getUuid, handle, uuid, nvml::kUuidBytes - 1) ==
      nvml::kSuccess) {
    identity.id = uuid;
  }
  nvml::PciInfo pci{};
  if (Library::call(watch, "nvmlDeviceGetPciInfo", library_.getPciInfo, handle, &pci) == nvml::kSuccess) {
    pci.busId[sizeof(pci.busId) - 1] = 0;
    identity.bus = pci.busId;
  }
  unsigned slowdown = 0;
  if (Library::call(watch, "nvmlDeviceGetTemperatureThreshold", library_.getTemperatureThreshold, handle,
                    nvml::kThresholdSlowdown, &slowdown) == nvml::kSuccess) {
    identity.slowdownTemperature = slowdown;
  }
  if (identity.id.empty()) identity.id = identity.bus.empty() ? fallback : identity.bus;
  return identity;
}

std::string NvmlSource::nameOf(const Gpu& gpu) const {
  return gpu.isInstance ? identities_[gpu.position].name : "GPU " + std::to_string(gpu.index);
}

/// Nothing is known of what a step reads.
void NvmlSource::forget(Gpu& gpu, Step step) {
  GpuReadings& readings = gpu.readings;
  const auto clear = [&](std::initializer_list<GpuMetric> metrics) {
    for (const GpuMetric metric : metrics) readings[metric].reset();
  };
  switch (step) {
    case MemoryStep:
      readings.accounting = MemoryAccounting::Unknown;
      return clear({GpuMetric::Total, GpuMetric::Used, GpuMetric::Reserved, GpuMetric::Free});
    case UtilizationStep:
      return clear({GpuMetric::Busy, GpuMetric::MemoryBusy});
    case TemperatureStep:
      return clear({GpuMetric::Temperature});
    case PowerStep:
      return clear({GpuMetric::Power});
    case PowerLimitStep:
      return clear({GpuMetric::PowerLimit});
    case CoreClockStep:
      return clear({GpuMetric::CoreClock});
    case MemoryClockStep:
      return clear({GpuMetric::MemoryClock});
    case EnergyStep:
      return clear({GpuMetric::Energy});
    case PcieSentStep:
      return clear({GpuMetric::PcieSent});
    case PcieReceivedStep:
      return clear({GpuMetric::PcieReceived});
    default:
      readings.processes.reset();
  }
}

void NvmlSource::lose(Gpu& gpu, int64_t now) {
  const bool wasLost = gpu.readings.isLost;
  gpu.readings = {};
  gpu.readings.isLost = true;
  gpu.revival.failed(now);
  if (wasLost) return;
  notes_.push_back(
      {"gpu-lost", nameOf(gpu) + " is lost: it does not answer its driver any more.", gpu.position});
}

/// One call, if it is due, with what its answer means. `read` answers an NVML code.
template <typename Read>
void NvmlSource::attempt(Gpu& gpu, Step step, const char* name, int64_t now, const Read& read) {
  Pace& pace = gpu.pace[step];
  if (gpu.readings.isLost || !pace.isDue(now)) return;
  const int code = read();
  if (code == nvml::kSuccess) return pace.worked(now);
  if (code == nvml::kGpuLost || code == nvml::kResetRequired) return lose(gpu, now);
  forget(gpu, step);
  if (code == nvml::kNotSupported || code == nvml::kFunctionNotFound) return pace.never();
  if (!pace.failed(now)) return;
  notes_.push_back({"reading-failed",
                    std::string(name) + " of " + nameOf(gpu) + " failed: " + Library::words(code) +
                        ". It is tried again at a slower pace.",
                    gpu.position});
}

/// Version 2 tells what the driver keeps for itself; where it is missing or fails, version 1 counts that as
/// used.
int NvmlSource::readMemory(Gpu& gpu, CallWatch& watch) {
  GpuReadings& readings = gpu.readings;
  if (!gpu.isV2Tried || gpu.isV2Used) {
    nvml::MemoryV2 memory{};
    memory.version = nvml::kMemoryV2;
    const int code =
        Library::call(watch, "nvmlDeviceGetMemoryInfo_v2", library_.getMemoryV2, gpu.handle, &memory);
    if (code == nvml::kGpuLost || code == nvml::kResetRequired) return code;
    gpu.isV2Tried = true;
    gpu.isV2Used = gpu.isV2Used || code == nvml::kSuccess;
    if (gpu.isV2Used && code != nvml::kSuccess) return code;
    if (code == nvml::kSuccess) {
      readings[GpuMetric::Total] = memory.total;
      readings[GpuMetric::Used] = memory.used;
      readings[GpuMetric::Reserved] = memory.reserved;
      readings[GpuMetric::Free] = memory.free;
      // The manuals contradict each other; the sums tell.
      const bool isApart = memory.reserved + memory.used + memory.free == memory.total;
      const bool isInUsed = memory.used + memory.free == memory.total;
      readings.accounting = isApart    ? MemoryAccounting::ReservedApart
                            : isInUsed ? MemoryAccounting::ReservedInUsed
                                       : MemoryAccounting::Unknown;
      return code;
    }
  }
  nvml::Memory memory{};
  const int code = Library::call(watch, "nvmlDeviceGetMemoryInfo", library_.getMemory, gpu.handle, &memory);
  if (code != nvml::kSuccess) return code;
  readings[GpuMetric::Total] = memory.total;
  readings[GpuMetric::Used] = memory.used;
  readings[GpuMetric::Free] = memory.free;
  readings[GpuMetric::Reserved].reset();
  readings.accounting = MemoryAccounting::ReservedInUsed;
  return code;
}

void NvmlSource::sampleGpu(Gpu& gpu, int64_t now, CallWatch& watch) {
  if (gpu.readings.isLost) {
    if (!gpu.revival.isDue(now)) return;
    nvml::Handle handle = gpu.handle;
    const int found = gpu.isInstance ? nvml::kSuccess
                                     : Library::call(watch, "nvmlDeviceGetHandleByIndex",
                                                     library_.getHandleByIndex, gpu.index, &handle);
    if (found == nvml::kSuccess) gpu.handle = handle;
    if (found != nvml::kSuccess || readMemory(gpu, watch) != nvml::kSuccess) return lose(gpu, now);
    gpu.readings.isLost = false;
    gpu.revival.worked(now);
    for (Pace& pace : gpu.pace) pace.worked(now - kSecond);
    notes_.push_back({"gpu-back", nameOf(gpu) + " answers again.", gpu.position});
  }
  GpuReadings& readings = gpu.readings;
  attempt(gpu, MemoryStep, "nvmlDeviceGetMemoryInfo", now, [&] { return readMemory(gpu, watch); });
  attempt(gpu, UtilizationStep, "nvmlDeviceGetUtilizationRates", now, [&] {
    nvml::Utilization busy{};
    const int code =
        Library::call(watch, "nvmlDeviceGetUtilizationRates", library_.getUtilization, gpu.handle, &busy);
    if (code == nvml::kSuccess) {
      readings[GpuMetric::Busy] = busy.gpu;
      readings[GpuMetric::MemoryBusy] = busy.memory;
    }
    return code;
  });
  attempt(gpu, TemperatureStep, "nvmlDeviceGetTemperature", now, [&] {
    unsigned celsius = 0;
    const int code = Library::call(watch, "nvmlDeviceGetTemperature", library_.getTemperature, gpu.handle,
                                   nvml::kTemperatureOfGpu, &celsius);
    if (code == nvml::kSuccess) readings[GpuMetric::Temperature] = celsius;
    return code;
  });
  attempt(gpu, PowerStep, "nvmlDeviceGetPowerUsage", now, [&] {
    unsigned milliwatts = 0;
    const int code =
        Library::call(watch, "nvmlDeviceGetPowerUsage", library_.getPower, gpu.handle, &milliwatts);
    if (code == nvml::kSuccess) readings[GpuMetric::Power] = milliwatts;
    return code;
  });
  readSlowly(gpu, now, watch);
}

/// What is read once a second.
void NvmlSource::readSlowly(Gpu& gpu, int64_t now, CallWatch& watch) {
  GpuReadings& readings = gpu.readings;
  attempt(gpu, PowerLimitStep, "nvmlDeviceGetEnforcedPowerLimit", now, [&] {
    unsigned milliwatts = 0;
    const int code = Library::call(watch, "nvmlDeviceGetEnforcedPowerLimit", library_.getPowerLimit,
                                   gpu.handle, &milliwatts);
    if (code == nvml::kSuccess) readings[GpuMetric::PowerLimit] = milliwatts;
    return code;
  });
  const auto readClock = [&](int clock, GpuMetric metric) {
    unsigned megahertz = 0;
    const int code =
        Library::call(watch, "nvmlDeviceGetClockInfo", library_.getClock, gpu.handle, clock, &megahertz);
    if (code == nvml::kSuccess) readings[metric] = megahertz;
    return code;
  };
  attempt(gpu, CoreClockStep, "nvmlDeviceGetClockInfo", now,
          [&] { return readClock(nvml::kClockSm, GpuMetric::CoreClock); });
  attempt(gpu, MemoryClockStep, "nvmlDeviceGetClockInfo", now,
          [&] { return readClock(nvml::kClockMemory, GpuMetric::MemoryClock); });
  attempt(gpu, EnergyStep, "nvmlDeviceGetTotalEnergyConsumption", now, [&] {
    unsigned long long millijoules = 0;
    const int code = Library::call(watch, "nvmlDeviceGetTotalEnergyConsumption", library_.getEnergy,
                                   gpu.handle, &millijoules);
    if (code == nvml::kSuccess) readings[GpuMetric::Energy] = static_cast<int64_t>(millijoules);
    return code;
  });
  attempt(gpu, ProcessesStep, "nvmlDeviceGetComputeRunningProcesses", now, [&] {
    std::vector<GpuProcess> processes;
    const int code = gpu.processes.read(library_, gpu.handle, names_, watch, processes);
    if (code == nvml::kSuccess) readings.processes = std::move(processes);
    return code;
  });
}

/// One call a look, in turn, for each takes about 20 ms.
void NvmlSource::readPcie(int64_t now, CallWatch& watch) {
  if (!options_.withPcie || gpus_.empty()) return;
  nextPcie_ = (nextPcie_ + 1) % (gpus_.size() * 2);
  Gpu& gpu = *gpus_[nextPcie_ / 2];
  const bool isSent = nextPcie_ % 2 == 0;
  attempt(gpu, isSent ? PcieSentStep : PcieReceivedStep, "nvmlDeviceGetPcieThroughput", now, [&] {
    unsigned kilobytes = 0;
    const int code = Library::call(watch, "nvmlDeviceGetPcieThroughput", library_.getPcieThroughput,
                                   gpu.handle, isSent ? nvml::kPcieSent : nvml::kPcieReceived, &kilobytes);
    if (code == nvml::kSuccess) {
      gpu.readings[isSent ? GpuMetric::PcieSent : GpuMetric::PcieReceived] = int64_t{kilobytes} * 1000;
    }
    return code;
  });
}

void NvmlSource::sample(int64_t now, std::span<GpuReadings> readings, CallWatch& watch) {
  for (const auto& gpu : gpus_) sampleGpu(*gpu, now, watch);
  readPcie(now, watch);
  if (forgetting_.isDue(now)) {
    names_.forgetGone();  // much less often than names are asked for
    forgetting_.worked(now);
  }
  for (size_t i = 0; i < gpus_.size(); ++i) readings[i] = gpus_[i]->readings;
}

std::vector<Note> NvmlSource::takeNotes() { return std::exchange(notes_, {}); }

}  // namespace strata::device
