#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "device/nvml_library.h"
#include "device/nvml_processes.h"
#include "device/pace.h"

namespace strata::device {

struct NvmlOptions {
  std::string library;  ///< the only file to try, for tests and unusual installations; empty: the usual
  std::string procRoot = "/proc";
  bool withPcie = false;  ///< each of its calls takes about 20 ms, so one is made a look, in turn
};

/// NVIDIA GPUs and their MIG instances, over NVML.
///
/// Memory, utilisation, temperature and power are read at every look; clocks, limits, energy and processes
/// once a second. A call that a GPU does not offer is not made again; one that fails is retried at a slower
/// pace and said once. A GPU that is lost has no readings until it answers again.
class NvmlSource final : public GpuSource {
 public:
  explicit NvmlSource(NvmlOptions options);
  ~NvmlSource() override;

  LookedFor open(CallWatch& watch) override;
  const std::vector<GpuIdentity>& gpus() const override { return identities_; }
  void sample(int64_t now, std::span<GpuReadings> readings, CallWatch& watch) override;
  std::vector<Note> takeNotes() override;

 private:
  enum Step : size_t {
    MemoryStep,
    UtilizationStep,
    TemperatureStep,
    PowerStep,
    PowerLimitStep,
    CoreClockStep,
    MemoryClockStep,
    EnergyStep,
    PcieSentStep,
    PcieReceivedStep,
    ProcessesStep,
    kSteps,
  };
  struct Gpu;

  void addGpu(unsigned index, CallWatch& watch);
  void addInstances(nvml::Handle parent, uint32_t position, CallWatch& watch);
  GpuIdentity identify(nvml::Handle handle, const std::string& fallback, CallWatch& watch) const;

  void sampleGpu(Gpu& gpu, int64_t now, CallWatch& watch);
  template <typename Read>
  void attempt(Gpu& gpu, Step step, const char* name, int64_t now, const Read& read);
  void forget(Gpu& gpu, Step step);
  void lose(Gpu& gpu, int64_t now);
  int readMemory(Gpu& gpu, CallWatch& watch);
  void readSlowly(Gpu& gpu, int64_t now, CallWatch& watch);
  void readPcie(int64_t now, CallWatch& watch);
  std::string nameOf(const Gpu& gpu) const;

  NvmlOptions options_;
  nvml::Library library_;
  ProcessNames names_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<GpuIdentity> identities_;
  std::vector<Note> notes_;
  size_t nextPcie_ = 0;  ///< the call whose turn it is: two for each GPU
  Pace forgetting_{60 * kSecond};
};

}  // namespace strata::device
