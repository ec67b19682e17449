#include "allocator/what_if/recorded_calls.h"

#include "allocator/pytorch_rules.h"
#include "allocator/rebuild.h"

namespace strata::what_if {

DeviceCalls recordedCalls(const Trace& trace, const Device& device) {
  DeviceCalls calls;
  const EventColumns& events = device.events;
  const PytorchConfig config = recordedConfig(trace, device);
  const auto pagesOf = [&](size_t at) {
    const uint32_t row = at < events.row.size() ? events.row[at] : kNone;
    const bool isLarge = row == kNone || device.segments.isLarge[row] != 0;
    return std::max<uint64_t>(1, events.size[at] / pytorch::granuleOf(isLarge, config));
  };
  for (size_t at = 0; at < events.count(); ++at) {
    switch (events.action[at]) {
      case Action::SegmentAlloc:
        ++calls.allocate;
        break;
      case Action::SegmentFree:
        ++calls.free;
        break;
      case Action::SegmentMap:
        calls.map += pagesOf(at);
        break;
      case Action::SegmentUnmap:
        calls.unmap += pagesOf(at);
        break;
      case Action::OutOfMemory:
        ++calls.allocate;
        ++calls.refuse;
        break;
      default:
        break;
    }
  }
  return calls;
}

}  // namespace strata::what_if
