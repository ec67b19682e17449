#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// Named spans of one device, opened and closed one inside the other.
class SpanAnnotations {
 public:
  void begin(uint32_t name, EventIndex event) { open_.push_back({name, event, kNever, depth()}); }

  /// Closes the innermost span of that name, or the innermost of all when name is kNone. False when there is
  /// none.
  bool end(uint32_t name, EventIndex event) {
    for (size_t i = open_.size(); i-- > 0;) {
      if (name != kNone && open_[i].name != name) continue;
      open_[i].end = event;
      closed_.push_back(open_[i]);
      open_.erase(open_.begin() + static_cast<ptrdiff_t>(i));
      return true;
    }
    return false;
  }

  /// Adds all to the trace; the device's events must have their final times.
  void finish(const Device& device, Trace& trace) {
    closed_.insert(closed_.end(), open_.begin(), open_.end());
    const auto& times = device.events.time;
    const auto timeOf = [&](EventIndex event) -> int64_t {
      const auto last = static_cast<EventIndex>(device.events.count()) - 1;
      const EventIndex at = event < last ? event : last;
      return times.empty() ? at : times[static_cast<size_t>(at)];
    };
    for (const Span& span : closed_) {
      trace.annotations.push_back({span.name, device.ordinal, timeOf(span.begin), timeOf(span.end),
                                   span.depth, true, span.end != kNever});
    }
  }

 private:
  struct Span {
    uint32_t name;
    EventIndex begin, end;
    uint16_t depth;
  };

  uint16_t depth() const { return static_cast<uint16_t>(open_.size() < 0xffff ? open_.size() : 0xffff); }

  std::vector<Span> open_, closed_;
};

}  // namespace strata
