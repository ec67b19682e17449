#include "analysis/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace strata {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kBetweenProcessLists = 1'000'000'000;

/// Bytes that a device holds after each of the times at which they change, between its first and last event.
struct Held {
  std::vector<int64_t> time;
  std::vector<double> bytes;
  int64_t first = 0, last = -1;  ///< nothing is known outside

  double at(int64_t moment) const {
    if (moment < first || moment > last) return kUnknown;
    const auto next = std::upper_bound(time.begin(), time.end(), moment);
    return next == time.begin() ? kUnknown : bytes[static_cast<size_t>(next - time.begin()) - 1];
  }
};

struct Change {
  EventIndex event;
  int64_t bytes;
};

/// The bytes of rows that live in [birth, death), after the events that change them.
template <typename Rows>
Held heldBy(const Rows& rows, const std::vector<int64_t>& times) {
  Held held;
  if (times.empty()) return held;
  held.first = times.front();
  held.last = times.back();
  int64_t now = 0;
  std::vector<Change> changes;
  for (size_t row = 0; row < rows.count(); ++row) {
    const auto bytes = static_cast<int64_t>(rows.bytes[row]);
    if (rows.birth[row] == kBeforeFirst) {
      now += bytes;
    } else {
      changes.push_back({rows.birth[row], bytes});
    }
    if (rows.death[row] != kNever) changes.push_back({rows.death[row], -bytes});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& one, const Change& other) { return one.event < other.event; });
  const auto tell = [&](int64_t time) {
    if (!held.time.empty() && held.time.back() == time) {
      held.bytes.back() = static_cast<double>(now);  // of one moment the last counts
      return;
    }
    held.time.push_back(time);
    held.bytes.push_back(static_cast<double>(now));
  };
  tell(held.first);
  for (const Change& change : changes) {
    now += change.bytes;
    tell(times[static_cast<size_t>(std::max(change.event, EventIndex{0}))]);
  }
  return held;
}

/// The counter in which the device's own file states what was reserved, if it does.
const Counter* statedReserved(const Trace& trace, const Device& device) {
  const std::string group = "GPU " + std::to_string(device.ordinal);
  for (const Counter& counter : trace.counters) {
    if (counter.part != device.part || device.kind == DeviceKind::Host) continue;
    if (trace.strings.at(counter.name) != "Total Reserved") continue;
    const std::string_view own = trace.strings.at(counter.group);
    // a merge adds the file's name in parentheses
    if (own == group || own.substr(0, group.size() + 2) == group + " (") return &counter;
  }
  return nullptr;
}

Held statedBy(const Counter& counter) {
  Held held;
  held.time = counter.time;
  held.bytes = counter.value;
  // a merge ends the counter with an unknown value
  while (!held.bytes.empty() && std::isnan(held.bytes.back())) {
    held.bytes.pop_back();
    held.time.pop_back();
  }
  if (held.time.empty()) return held;
  held.first = held.time.front();
  held.last = held.time.back();
  return held;
}

/// The times at which a driver's counter was read.
std::vector<int64_t> readingsOf(const Trace& trace, const Counter& driver) {
  const std::vector<int64_t>& samples =
      trace.parts.empty() ? trace.sampleTimes : trace.parts[driver.part].sampleTimes;
  if (!driver.isProcess) return samples.empty() ? driver.time : samples;
  std::vector<int64_t> read;
  auto change = driver.time.begin();
  for (const int64_t sample : samples) {
    bool hasChanged = false;
    for (; change != driver.time.end() && *change <= sample; ++change) hasChanged = true;
    if (change == driver.time.begin()) continue;  // the process is not there yet
    if (hasChanged || read.empty() || sample - read.back() >= kBetweenProcessLists) read.push_back(sample);
  }
  return samples.empty() ? driver.time : read;
}

/// The readings, and where the counter says that nothing is known from there on.
std::vector<int64_t> pointsOf(const Trace& trace, const Counter& driver) {
  std::vector<int64_t> points = readingsOf(trace, driver);
  const size_t read = points.size();
  for (size_t i = 0; i < driver.time.size(); ++i) {
    if (std::isnan(driver.value[i])) points.push_back(driver.time[i]);
  }
  std::inplace_merge(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(read), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

void push(Counter& counter, int64_t time, double value) {
  const double before = counter.value.empty() ? kUnknown : counter.value.back();
  const bool isSame = before == value || (std::isnan(before) && std::isnan(value));
  if (isSame) return;
  counter.time.push_back(time);
  counter.value.push_back(value);
}

Held heldBy(const Trace& trace, const Device& device, Subtracted& subtracted) {
  subtracted = Subtracted::Reserved;
  if (device.layout == DeviceLayout::Segments) return heldBy(device.segments, device.events.time);
  if (const Counter* stated = statedReserved(trace, device)) {
    subtracted = Subtracted::Stated;
    return statedBy(*stated);
  }
  subtracted = Subtracted::Active;
  return heldBy(device.blocks, device.events.time);
}

}  // namespace

Difference differenceOf(const Trace& trace, const Device& device, const Counter& driver) {
  Difference result;
  result.counter.group = driver.group;
  result.counter.name = driver.name;
  result.counter.unit = CounterUnit::Bytes;
  result.counter.part = driver.part;
  const Held held = heldBy(trace, device, result.subtracted);
  size_t next = 0;
  for (const int64_t time : pointsOf(trace, driver)) {
    while (next < driver.time.size() && driver.time[next] <= time) ++next;
    const double used = next == 0 ? kUnknown : driver.value[next - 1];
    const double value = used - held.at(time);
    push(result.counter, time, value);
    if (std::isnan(value)) continue;
    if (value < 0) ++result.negative;
    result.smallest = result.known == 0 ? value : std::min(result.smallest, value);
    result.largest = result.known == 0 ? value : std::max(result.largest, value);
    ++result.known;
  }
  return result;
}

std::shared_ptr<const IndexedDifference> Differences::of(const Trace& trace, size_t device,
                                                         size_t counter) const {
  const std::scoped_lock lock(mutex_);
  auto& found = known_[{device, counter}];
  if (found == nullptr) {
    found = std::make_shared<const IndexedDifference>(
        differenceOf(trace, trace.devices[device], trace.counters[counter]), trace.countersEnd);
  }
  return found;
}

}  // namespace strata
