#include "analysis/summary.h"

#include <algorithm>

namespace strata {

Summary summarise(const Device& device) {
  Summary summary;
  const EventColumns& events = device.events;
  summary.allocations =
      static_cast<uint64_t>(std::count(events.action.begin(), events.action.end(), Action::Alloc));
  if (!events.time.empty()) summary.lastTime = events.time.back();
  for (const Region region : device.segments.region) summary.uses[static_cast<int>(region)] = true;
  for (const PossibleExtra& extra : device.possible) {
    summary.possibleReserved += extra.reserved;
    summary.possibleAllocated += extra.allocated;
    summary.possibleActive += extra.active;
    summary.possibleRequested += extra.requested;
  }
  return summary;
}

}  // namespace strata
