#include "device/limit_events.h"

#include <cmath>
#include <string>
#include <utility>

namespace strata::device {
namespace {

struct Quantity {
  const char* kind;
  const char* unit;
  std::optional<double> Limits::*limit;
};
constexpr Quantity kKinds[] = {
    {"memory-limit", "%", &Limits::memory},
    {"temperature-limit", "°C", &Limits::temperature},
    {"power-limit", "W", &Limits::power},
};

std::optional<double> measured(const GpuReadings& readings, size_t quantity) {
  const auto part = [](Reading value, double of) {
    return value ? std::optional(static_cast<double>(*value) / of) : std::nullopt;
  };
  if (quantity == 1) return part(readings[GpuMetric::Temperature], 1);
  if (quantity == 2) return part(readings[GpuMetric::Power], 1000);
  const Reading total = readings[GpuMetric::Total];
  return total && *total > 0 ? part(readings[GpuMetric::Used], static_cast<double>(*total) / 100)
                             : std::nullopt;
}

std::string written(double value) {
  std::string text = std::to_string(std::round(value * 10) / 10);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

void LimitEvents::set(std::vector<Limits> limits) {
  if (limits_.size() != limits.size()) states_.assign(limits.size(), {});
  for (size_t gpu = 0; gpu < limits.size(); ++gpu) {
    for (size_t i = 0; i < kQuantities && gpu < limits_.size(); ++i) {
      const auto limit = kKinds[i].limit;
      if (limits_[gpu].*limit != limits[gpu].*limit) states_[gpu][i] = {};
    }
  }
  limits_ = std::move(limits);
}

std::vector<Event> LimitEvents::next(const Sample& sample) {
  std::vector<Event> events;
  for (uint32_t gpu = 0; gpu < sample.gpus.size() && gpu < limits_.size(); ++gpu) {
    for (size_t i = 0; i < kQuantities; ++i) {
      const auto& [kind, unit, member] = kKinds[i];
      const std::optional<double> limit = limits_[gpu].*member;
      const std::optional<double> value = measured(sample.gpus[gpu], i);
      if (!limit || !value) continue;
      State& state = states_[gpu][i];
      if (*value < *limit) {
        if (sample.time - state.passedAt >= kCalmNs) state.isPassed = false;
        continue;
      }
      state.passedAt = sample.time;
      if (std::exchange(state.isPassed, true)) continue;
      const std::string text = written(*value) + " " + unit + " ≥ " + written(*limit) + " " + unit;
      events.push_back({0, sample.time, kind, gpu, text, std::nullopt, {}});
    }
  }
  return events;
}

}  // namespace strata::device
