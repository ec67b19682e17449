#pragma once

#include <cstdint>
#include <vector>

#include "capture/protobuf/hlo_module.h"

namespace strata::protobuf {

/// One heap event in the order of the whole program.
struct OrderedHeapEvent {
  const HeapTrace* trace = nullptr;
  const HeapEvent* event = nullptr;
};

/// Merges the heap traces of a module into one order. Each trace is in program order by itself; the longest
/// one says where the instructions of the others come, and what it does not know stays behind the event
/// before.
std::vector<OrderedHeapEvent> programOrder(const std::vector<HeapTrace>& traces);

}  // namespace strata::protobuf
