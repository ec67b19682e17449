#include "capture/protobuf/hlo_order.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace strata::protobuf {
namespace {

using InstructionKey = std::pair<std::string_view, std::string_view>;

InstructionKey keyOf(const HeapEvent& event) { return {event.computation, event.instruction}; }

struct Placed {
  int64_t step;
  OrderedHeapEvent ordered;
};

}  // namespace

std::vector<OrderedHeapEvent> programOrder(const std::vector<HeapTrace>& traces) {
  if (traces.empty()) return {};
  const auto longest = std::max_element(traces.begin(), traces.end(), [](const auto& a, const auto& b) {
    return a.events.size() < b.events.size();
  });
  std::map<InstructionKey, int64_t> steps;
  for (size_t at = 0; at < longest->events.size(); ++at) {
    steps.emplace(keyOf(longest->events[at]), static_cast<int64_t>(at));
  }
  std::vector<Placed> placed;
  for (const HeapTrace& trace : traces) {
    int64_t step = -1;
    for (size_t at = 0; at < trace.events.size(); ++at) {
      const auto known = steps.find(keyOf(trace.events[at]));
      if (&trace == &*longest)
        step = static_cast<int64_t>(at);
      else if (known != steps.end())
        step = std::max(step, known->second);
      placed.push_back({step, {&trace, &trace.events[at]}});
    }
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.step < b.step; });
  std::vector<OrderedHeapEvent> order;
  order.reserve(placed.size());
  for (const Placed& one : placed) order.push_back(one.ordered);
  return order;
}

}  // namespace strata::protobuf
