#include "capture/clock.h"

#include <algorithm>

namespace strata {
namespace {

constexpr int64_t kNsPerUs = 1000;
constexpr int64_t kLatest = std::numeric_limits<int64_t>::max() / kNsPerUs;

int64_t earliestEvent(const Trace& trace) {
  int64_t earliest = EventSink::kNoTime;
  for (const Device& device : trace.devices) {
    for (const int64_t time : device.events.time) {
      if (!isUsableTime(time)) continue;
      if (earliest == EventSink::kNoTime || time < earliest) earliest = time;
    }
  }
  return earliest;
}

void setTimes(std::vector<int64_t>& times, int64_t origin, ClockOddities& oddities) {
  int64_t latest = 0;
  for (int64_t& time : times) {
    if (isUsableTime(time)) {
      const int64_t fromOrigin = (time - origin) * kNsPerUs;
      if (fromOrigin < latest) ++oddities.backwards;
      latest = std::max(latest, fromOrigin);
    } else if (time != EventSink::kNoTime) {
      ++oddities.outOfRange;
    }
    time = latest;
  }
}

}  // namespace

bool isUsableTime(int64_t microseconds) { return microseconds > 0 && microseconds <= kLatest; }

ClockOddities setClock(Trace& trace, int64_t earliest) {
  ClockOddities oddities;
  const int64_t first = earliestEvent(trace);
  const int64_t origin = first != EventSink::kNoTime ? first : earliest;
  trace.hasClock = origin != EventSink::kNoTime;
  if (trace.hasClock) trace.originNs = origin * kNsPerUs;
  for (Device& device : trace.devices) {
    if (trace.hasClock) {
      setTimes(device.events.time, origin, oddities);
    } else {
      oddities.outOfRange += device.events.time.size();
      device.events.time = {};
    }
  }
  return oddities;
}

}  // namespace strata
