#include "capture/event_rows.h"

#include <algorithm>

#include "capture/capture.h"

namespace strata {

EventIndex EventRows::add(const Entry& entry) {
  const size_t event = columns_.action.size();
  if (event >= static_cast<size_t>(kNever) - 1) {
    throw CaptureError("capture-too-many-events", "This capture holds more than 2,147,483,646 events.",
                       "Record a shorter part of the program.");
  }
  int64_t time = entry.time;
  if (time != kNoTime && time < latest_) ++backwards_;
  latest_ = std::max(latest_, time);
  columns_.action.push_back(entry.action);
  columns_.address.push_back(entry.address);
  columns_.size.push_back(entry.bytes);
  columns_.time.push_back(latest_);
  columns_.stack.push_back(entry.stack);
  columns_.stream.push_back(streams_.rowOf(entry.stream));
  columns_.row.push_back(kNone);
  if (entry.label != kNone && !hasLabel_) {
    hasLabel_ = true;
    columns_.label.assign(event, kNone);
  }
  if (hasLabel_) columns_.label.push_back(entry.label);
  return static_cast<EventIndex>(event);
}

void EventRows::expect(size_t events) {
  columns_.action.reserve(events);
  columns_.address.reserve(events);
  columns_.size.reserve(events);
  columns_.time.reserve(events);
  columns_.stack.reserve(events);
  columns_.stream.reserve(events);
  columns_.row.reserve(events);
}

void EventRows::finish(Device& device) {
  columns_.pool.assign(columns_.count(), 0);
  device.hasHistory = columns_.count() > 0;
  device.events = std::move(columns_);
  device.streams = streams_.take();
  if (device.streams.empty()) device.streams.push_back(0);
  device.pools = {{0, 0}};
}

void setClockOfRows(Trace& trace, bool hasOrigin, int64_t earliest) {
  int64_t origin = earliest;
  for (const Device& device : trace.devices) {
    const auto& times = device.events.time;
    const auto first = std::upper_bound(times.begin(), times.end(), EventRows::kNoTime);
    if (first == times.end()) continue;
    origin = origin == EventRows::kNoTime ? *first : std::min(origin, *first);
  }
  trace.hasClock = origin != EventRows::kNoTime;
  trace.hasOrigin = trace.hasClock && hasOrigin;
  trace.originNs = trace.hasOrigin ? origin : 0;
  for (Device& device : trace.devices) {
    if (!trace.hasClock) device.events.time = {};
    for (int64_t& time : device.events.time) time = std::max(time, origin) - origin;
  }
}

Region regionBySize(uint64_t bytes) {
  constexpr uint64_t kPooledFrom = 2 << 20;
  return bytes < kPooledFrom ? Region::Immediate : Region::Pooled;
}

}  // namespace strata
