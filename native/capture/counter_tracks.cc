#include "capture/counter_tracks.h"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

bool isSame(double one, double other) { return one == other || (std::isnan(one) && std::isnan(other)); }

}  // namespace

uint32_t CounterTracks::add(const std::string& group, const std::string& name, CounterUnit unit,
                            bool isProcess) {
  Counter counter;
  counter.group = trace_.strings.intern(group);
  counter.name = trace_.strings.intern(name);
  counter.unit = unit;
  counter.isProcess = isProcess;
  trace_.counters.push_back(std::move(counter));
  return static_cast<uint32_t>(trace_.counters.size() - 1);
}

void CounterTracks::push(uint32_t at, int64_t time, double value) {
  Counter& counter = trace_.counters[at];
  if (!counter.time.empty() && counter.time.back() >= time) {
    counter.value.back() = value;
    return;
  }
  const double before = counter.value.empty() ? std::nan("") : counter.value.back();
  if (isSame(before, value)) return;
  counter.time.push_back(time);
  counter.value.push_back(value);
}

void CounterTracks::expect(double times) {
  constexpr size_t kLong = 4096;
  for (Counter& counter : trace_.counters) {
    if (counter.time.size() < kLong) continue;
    const auto wanted = static_cast<size_t>(times * static_cast<double>(counter.time.size()));
    counter.time.reserve(wanted);
    counter.value.reserve(wanted);
  }
}

/// By group, in the order in which groups were first named; totals before processes.
void CounterTracks::finish() {
  auto& counters = trace_.counters;
  std::erase_if(counters, [](const Counter& counter) { return counter.time.empty(); });
  std::map<uint32_t, size_t> order;
  for (const Counter& counter : counters) order.try_emplace(counter.group, order.size());
  std::stable_sort(counters.begin(), counters.end(), [&](const Counter& one, const Counter& other) {
    const size_t left = order[one.group], right = order[other.group];
    return left != right ? left < right : one.isProcess < other.isProcess;
  });
}

}  // namespace strata
