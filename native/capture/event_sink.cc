#include "capture/event_sink.h"

#include <algorithm>

namespace strata {

EventRow EventSink::at(uint32_t row) const {
  EventRow event;
  event.action = columns.action[row];
  event.address = columns.address[row];
  event.size = columns.size[row];
  event.stack = columns.stack[row];
  event.stream = streams.values()[columns.stream[row]];
  event.pool = pools.values()[columns.pool[row]];
  event.hasTime = hasTimes_ && columns.time[row] != kNoTime;
  if (event.hasTime) event.timeUs = columns.time[row];
  if (hasLabels_) event.label = columns.label[row];
  return event;
}

size_t EventSink::bytes() const {
  constexpr size_t kPlainRow = sizeof(Action) + 8 + 8 + 4 + 2 + 2;
  return sizeof(EventSink) + count() * kPlainRow + columns.time.size() * 8 + columns.label.size() * 4;
}

void EventSink::grow(uint64_t byte, uint64_t fileBytes) {
  // Too few to judge by, or a device that only ever had a handful.
  constexpr size_t kFewRows = 4096;
  constexpr double kFewestBytes = 24;  // of an event with nothing but its action, address and size
  size_t rows = std::max<size_t>(16, columns.count() * 2);
  if (columns.count() >= kFewRows && byte > firstByte_ && fileBytes > byte) {
    const double soFar = static_cast<double>(byte - firstByte_) / static_cast<double>(columns.count());
    const double bytesPerEvent = std::max(soFar, kFewestBytes);
    const double expected = static_cast<double>(fileBytes - byte) / bytesPerEvent * 1.02;
    rows = columns.count() + kFewRows + static_cast<size_t>(expected);
  }
  capacity_ = rows;
  columns.action.reserve(rows);
  columns.address.reserve(rows);
  columns.size.reserve(rows);
  columns.stack.reserve(rows);
  columns.stream.reserve(rows);
  columns.pool.reserve(rows);
  if (hasTimes_) columns.time.reserve(rows);
  if (hasLabels_) columns.label.reserve(rows);
}

void EventSink::startTimes() {
  hasTimes_ = true;
  columns.time.reserve(capacity_);
  columns.time.assign(columns.count(), kNoTime);
}

void EventSink::startLabels() {
  hasLabels_ = true;
  columns.label.reserve(capacity_);
  columns.label.assign(columns.count(), kNone);
}

}  // namespace strata
