#include "analysis/markers.h"

namespace strata {
namespace {

bool givesBack(Action action) { return action == Action::SegmentFree || action == Action::SegmentUnmap; }

/// The run of given-back segments that starts at an event.
Marker flushAt(const EventColumns& events, size_t first) {
  Marker flush{Marker::Kind::Flush, static_cast<EventIndex>(first), 0, 0};
  for (size_t event = first; event < events.count() && givesBack(events.action[event]); ++event) {
    flush.bytes += events.size[event];
    ++flush.count;
  }
  return flush;
}

}  // namespace

std::vector<Marker> markersOf(const Device& device) {
  const EventColumns& events = device.events;
  std::vector<Marker> markers;
  for (size_t event = 0; event < events.count(); ++event) {
    const Action action = events.action[event];
    if (givesBack(action)) {
      markers.push_back(flushAt(events, event));
      event += markers.back().count - 1;
    } else if (action == Action::OutOfMemory || action == Action::Snapshot) {
      const auto kind = action == Action::Snapshot ? Marker::Kind::Snapshot : Marker::Kind::Failure;
      markers.push_back({kind, static_cast<EventIndex>(event), events.size[event], 1});
    }
  }
  return markers;
}

}  // namespace strata
