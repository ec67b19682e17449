#pragma once

#include <utility>

#include "capture/dictionary.h"
#include "trace/trace.h"

namespace strata {

/// One event as its dict closes, before it becomes a row.
struct EventRow {
  Action action = Action::Other;
  uint64_t address = 0;
  uint64_t size = 0;
  int64_t timeUs = 0;
  bool hasTime = false;
  uint32_t stack = kNone;
  uint64_t stream = 0;
  std::pair<int64_t, int64_t> pool{0, 0};
  uint32_t label = kNone;
};

/// The columns of one list of events while it is read. Times are still microseconds of the file's clock.
/// Memory is asked for once, by the bytes an event takes so far, instead of by doubling: what is reserved
/// and not written costs nothing, what is copied costs twice.
class EventSink {
 public:
  /// Stands for the time of an event without one in a list where others have one.
  static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

  explicit EventSink(uint64_t firstByte) : firstByte_(firstByte) {}

  void append(const EventRow& row, uint64_t byte, uint64_t fileBytes) {
    if (columns.action.size() == capacity_) grow(byte, fileBytes);
    if (row.hasTime && !hasTimes_) startTimes();
    if (row.label != kNone && !hasLabels_) startLabels();
    columns.action.push_back(row.action);
    columns.address.push_back(row.address);
    columns.size.push_back(row.size);
    columns.stack.push_back(row.stack);
    columns.stream.push_back(streams.rowOf(row.stream));
    columns.pool.push_back(pools.rowOf(row.pool));
    if (hasTimes_) columns.time.push_back(row.hasTime ? row.timeUs : kNoTime);
    if (hasLabels_) columns.label.push_back(row.label);
  }
  EventRow at(uint32_t row) const;
  uint32_t count() const { return static_cast<uint32_t>(columns.count()); }
  size_t bytes() const;

  EventColumns columns;
  Dictionary<uint64_t> streams;
  Dictionary<std::pair<int64_t, int64_t>> pools;
  bool isCutOff = false;  ///< the file broke off inside this list

 private:
  void grow(uint64_t byte, uint64_t fileBytes);
  void startTimes();
  void startLabels();

  uint64_t firstByte_;
  size_t capacity_ = 0;
  bool hasTimes_ = false;
  bool hasLabels_ = false;
};

}  // namespace strata
