#pragma once

#include <cstdint>
#include <limits>

#include "capture/dictionary.h"
#include "trace/trace.h"

namespace strata {

/// The events of one device as a reader finds them. Times never go back: an event stamped earlier than the
/// one before it, or not at all, gets that one's time.
class EventRows {
 public:
  static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
  /// Times further than this from 0 cannot be told apart in nanoseconds.
  static constexpr int64_t kLatest = int64_t{4} << 60;

  struct Entry {
    Action action = Action::Other;
    uint64_t address = 0;
    uint64_t bytes = 0;
    int64_t time = kNoTime;  ///< ns on any one clock, within kLatest
    uint64_t stream = 0;
    uint32_t stack = kNone;
    uint32_t label = kNone;
  };

  /// Errors: CaptureError when there are more events than can be counted.
  EventIndex add(const Entry& entry);
  /// Room for as many events as a reader expects.
  void expect(size_t events);
  EventIndex count() const { return static_cast<EventIndex>(columns_.action.size()); }
  /// How many were stamped earlier than one before.
  uint64_t backwards() const { return backwards_; }
  void setRow(EventIndex event, uint32_t row) { columns_.row[static_cast<size_t>(event)] = row; }
  EventColumns& columns() { return columns_; }
  uint16_t streamOf(EventIndex event) const { return columns_.stream[static_cast<size_t>(event)]; }
  /// The row of a stream, for what is there without an event.
  uint16_t rowOfStream(uint64_t stream) { return streams_.rowOf(stream); }

  /// Moves everything into the device; the times are still those that were given.
  void finish(Device& device);

 private:
  EventColumns columns_;
  Dictionary<uint64_t> streams_;
  int64_t latest_ = kNoTime;
  uint64_t backwards_ = 0;
  bool hasLabel_ = false;
};

/// Sets the trace's clock and counts the times of all devices from their first, or from an earlier moment
/// that something else of the trace has; without any time there is no clock.
///   hasOrigin: the times are nanoseconds since the Unix epoch
void setClockOfRows(Trace& trace, bool hasOrigin, int64_t earliest = EventRows::kNoTime);

/// Where a capture has no structure that tells, requests under 2 MiB are immediate and others pooled.
Region regionBySize(uint64_t bytes);

}  // namespace strata
