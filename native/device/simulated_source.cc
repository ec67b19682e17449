#include "device/simulated_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata::device {
namespace {

constexpr double kGiB = 1073741824.0;
constexpr double kTotal = 80 * kGiB, kReserved = 0.6 * kGiB, kContext = 0.5 * kGiB;
constexpr double kIdleWatts = 74, kMostWatts = 640, kLimitWatts = 700;
constexpr double kCoolest = 34, kWarmest = 67;

constexpr std::pair<Scenario, const char*> kScenarios[] = {
    {Scenario::TrainingLoop, "training-loop"},
    {Scenario::SlowLeak, "slow-leak"},
    {Scenario::EightGpus, "eight-gpus"},
    {Scenario::LostGpu, "lost-gpu"},
};

/// What a program does at one moment.
struct Work {
  double bytes = 0;  ///< held by its process
  double busy = 0;   ///< 0 to 1
};

/// A training loop: nothing for 5 s, then steps of 15 s that fill up, stay, and give back.
Work trainingAt(double seconds, double most) {
  if (seconds < 5) return {0, 0};
  const double phase = std::fmod(seconds - 5, 15);
  const double lowest = 0.8 * most;
  const double rise = std::clamp(phase / 2, 0.0, 1.0);
  const double fall = std::clamp((phase - 11) / 2, 0.0, 1.0);
  const double bytes = lowest + (most - lowest) * (rise - fall);
  // A small unevenness that is the same each time, as real utilisation has.
  const double unevenness = 0.03 * std::sin(seconds * 7.3) + 0.02 * std::sin(seconds * 17.9);
  return {bytes, std::clamp((phase < 11 ? 0.95 : 0.4) + unevenness, 0.0, 1.0)};
}

Work leakAt(double seconds) {
  constexpr double kStart = 12 * kGiB, kPerSecond = 40.0 * 1024 * 1024;
  const double room = kTotal - kReserved - kContext - kStart;
  const double phase = std::fmod(seconds, room / kPerSecond);
  return {kStart + std::floor(phase) * kPerSecond, 0.6 + 0.1 * std::sin(seconds)};
}

bool isLostAt(Scenario scenario, size_t gpu, double seconds) {
  return scenario == Scenario::LostGpu && gpu == 1 && std::fmod(seconds, 30) >= 20;
}

}  // namespace

std::optional<Scenario> scenarioOf(std::string_view name) {
  for (const auto& [scenario, known] : kScenarios) {
    if (known == name) return scenario;
  }
  return std::nullopt;
}

const char* nameOf(Scenario scenario) {
  for (const auto& [known, name] : kScenarios) {
    if (known == scenario) return name;
  }
  return "";
}

void SimulatedSource::add(const std::string& name, std::optional<uint32_t> parent) {
  GpuIdentity identity;
  identity.id = "simulated-" + std::to_string(identities_.size());
  identity.name = name;
  identity.vendor = "simulated";
  identity.parent = parent;
  identity.slowdownTemperature = 87;
  identities_.push_back(std::move(identity));
  wasLost_.push_back(false);
}

LookedFor SimulatedSource::open(CallWatch&) {
  const size_t gpus = scenario_ == Scenario::EightGpus ? 8 : scenario_ == Scenario::LostGpu ? 2 : 1;
  for (size_t i = 0; i < gpus; ++i) {
    add("Simulated GPU", std::nullopt);
    if (scenario_ != Scenario::EightGpus || i > 0) continue;
    for (int slot = 0; slot < 2; ++slot) add("Simulated MIG 3g.40gb", 0u);
  }
  LookedFor report;
  report.kind = "simulated";
  report.outcome = LookedFor::Outcome::Found;
  report.code = "found";
  report.what = strata::device::nameOf(scenario_);
  return report;
}

GpuReadings SimulatedSource::readingsOf(size_t gpu, double seconds) const {
  const bool isInstance = identities_[gpu].parent.has_value();
  const double total = isInstance ? kTotal / 2 : kTotal;
  const double reserved = isInstance ? kReserved / 2 : kReserved;
  const double most = total * (0.85 - 0.07 * static_cast<double>(gpu % 8));
  // GPUs of one job start one after another.
  const double own = seconds - 1.5 * static_cast<double>(gpu);
  const Work work = scenario_ == Scenario::SlowLeak ? leakAt(own) : trainingAt(own, most);
  const double used = kContext + work.bytes;
  GpuReadings readings;
  const auto set = [&](GpuMetric metric, double value) { readings[metric] = std::llround(value); };
  set(GpuMetric::Total, total);
  set(GpuMetric::Reserved, reserved);
  set(GpuMetric::Used, used);
  readings[GpuMetric::Free] =
      *readings[GpuMetric::Total] - *readings[GpuMetric::Reserved] - *readings[GpuMetric::Used];
  readings.accounting = MemoryAccounting::ReservedApart;
  readings.processes.emplace();
  if (work.bytes > 0) {
    const auto bytes = static_cast<int64_t>(std::llround(work.bytes));
    readings.processes->push_back(
        {static_cast<uint32_t>(41877 + gpu), "python (simulated)", bytes, std::llround(100 * work.busy)});
  }
  if (isInstance) return readings;  // as MIG: memory and processes only
  set(GpuMetric::Busy, 100 * work.busy);
  set(GpuMetric::MemoryBusy, 40 * work.busy);
  const double warmth = work.bytes > 0 ? 1 - std::exp(-std::max(0.0, own - 5) / 30) : 0;
  set(GpuMetric::Temperature, kCoolest + (kWarmest - kCoolest) * warmth);
  set(GpuMetric::Power, 1000 * (kIdleWatts + (kMostWatts - kIdleWatts) * work.busy));
  set(GpuMetric::PowerLimit, 1000 * kLimitWatts);
  set(GpuMetric::CoreClock, work.busy > 0 ? 1830 : 345);
  set(GpuMetric::MemoryClock, 2619);
  return readings;
}

void SimulatedSource::sample(int64_t now, std::span<GpuReadings> readings, CallWatch&) {
  if (!start_) start_ = now;
  const double seconds = static_cast<double>(now - *start_) / 1e9;
  for (size_t gpu = 0; gpu < identities_.size(); ++gpu) {
    const bool isLost = isLostAt(scenario_, gpu, seconds);
    readings[gpu] = isLost ? GpuReadings{} : readingsOf(gpu, seconds);
    readings[gpu].isLost = isLost;
    if (isLost == wasLost_[gpu]) continue;
    wasLost_[gpu] = isLost;
    const std::string name = "Simulated GPU " + std::to_string(gpu);
    notes_.push_back({isLost ? "gpu-lost" : "gpu-back",
                      name + (isLost ? " is lost: it does not answer any more." : " answers again."),
                      static_cast<uint32_t>(gpu)});
  }
}

std::vector<Note> SimulatedSource::takeNotes() { return std::exchange(notes_, {}); }

}  // namespace strata::device
