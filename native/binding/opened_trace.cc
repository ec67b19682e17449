#include "binding/opened_trace.h"

#include <utility>

namespace strata::binding {

std::shared_ptr<OpenedTrace> openTrace(Trace trace, const Progress& progress) {
  auto opened = std::make_shared<OpenedTrace>();
  opened->trace = std::move(trace);
  for (const Device& device : opened->trace.devices) {
    opened->summaries.push_back(summarise(device));
    opened->indices.push_back(std::make_unique<Index>(opened->trace, device, progress));
  }
  for (const Counter& counter : opened->trace.counters) {
    opened->counters.emplace_back(counter, opened->trace.countersEnd);
  }
  return opened;
}

}  // namespace strata::binding
