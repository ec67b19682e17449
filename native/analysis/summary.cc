#include "analysis/summary.h"

#include <algorithm>

namespace strata {
namespace {

Totals sumOf(const PossibleExtra (&regions)[kRegionCount]) {
  Totals totals;
  for (const PossibleExtra& extra : regions) {
    totals.allocated += extra.allocated;
    totals.active += extra.active;
    totals.reserved += extra.reserved;
    totals.requested += extra.requested;
  }
  return totals;
}

Totals sumOf(const std::vector<FinalState::Segment>& segments) {
  Totals totals;
  for (const FinalState::Segment& segment : segments) {
    totals.allocated += segment.allocated;
    totals.active += segment.active;
    totals.reserved += segment.bytes;
    totals.requested += segment.requested;
  }
  return totals;
}

}  // namespace

Summary summarise(const Device& device) {
  Summary summary;
  const EventColumns& events = device.events;
  summary.allocations =
      static_cast<uint64_t>(std::count(events.action.begin(), events.action.end(), Action::Alloc));
  const auto& deaths = device.segments.death;
  summary.finalSegments = device.isPlaced
                              ? static_cast<uint64_t>(std::count(deaths.begin(), deaths.end(), kNever))
                              : device.final.segments.size();
  if (!events.time.empty()) summary.lastTime = events.time.back();
  for (const Region region : device.segments.region) summary.uses[static_cast<int>(region)] = true;
  if (device.layout == DeviceLayout::Totals || device.isRegionBySize) {
    for (const Region region : device.blocks.region) summary.uses[static_cast<int>(region)] = true;
  }
  summary.possible = sumOf(device.possible);
  summary.storedEnd = sumOf(device.final.segments);
  return summary;
}

}  // namespace strata
