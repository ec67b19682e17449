#include "capture/active_peak.h"

#include <vector>

namespace strata {

EventIndex firstOfMostActive(const Device& device) {
  const BlockColumns& blocks = device.blocks;
  // Unsigned on purpose: a fall is a large number whose sum wraps back.
  std::vector<uint64_t> changes(device.events.count(), 0);
  uint64_t active = 0;
  for (size_t row = 0; row < blocks.count(); ++row) {
    const uint64_t bytes = blocks.bytes[row];
    if (blocks.birth[row] == kBeforeFirst)
      active += bytes;
    else
      changes[static_cast<size_t>(blocks.birth[row])] += bytes;
    if (blocks.death[row] != kNever) changes[static_cast<size_t>(blocks.death[row])] -= bytes;
  }
  EventIndex first = kBeforeFirst;
  uint64_t most = active;
  for (size_t event = 0; event < changes.size(); ++event) {
    active += changes[event];
    if (active <= most) continue;
    most = active;
    first = static_cast<EventIndex>(event);
  }
  return first;
}

}  // namespace strata
