#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "device/gpu.h"

namespace strata::device {

/// What the simulated source plays.
enum class Scenario : uint8_t {
  TrainingLoop,  ///< one GPU, a peak every 15 s
  SlowLeak,      ///< 40 MiB more each second until nothing is left, then from the start
  EightGpus,     ///< eight, the first cut into MIG instances
  LostGpu,       ///< two; the second is lost for 10 s of every 30 s
};
std::optional<Scenario> scenarioOf(std::string_view name);
const char* nameOf(Scenario scenario);

/// GPUs that do not exist, to try and to teach the view with. Every reading is a function of the time since
/// the first look and says so: the vendor is "simulated", and so are the names.
class SimulatedSource final : public GpuSource {
 public:
  explicit SimulatedSource(Scenario scenario) : scenario_(scenario) {}

  LookedFor open(CallWatch& watch) override;
  const std::vector<GpuIdentity>& gpus() const override { return identities_; }
  void sample(int64_t now, std::span<GpuReadings> readings, CallWatch& watch) override;
  std::vector<Note> takeNotes() override;

 private:
  void add(const std::string& name, std::optional<uint32_t> parent);
  GpuReadings readingsOf(size_t gpu, double seconds) const;

  Scenario scenario_;
  std::vector<GpuIdentity> identities_;
  std::vector<bool> wasLost_;
  std::vector<Note> notes_;
  std::optional<int64_t> start_;
};

}  // namespace strata::device
