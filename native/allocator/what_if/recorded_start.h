#pragma once

#include <vector>

#include "allocator/allocator.h"
#include "allocator/what_if/device.h"
#include "allocator/what_if/recorded_requests.h"

namespace strata::what_if {

/// What a recording found before its first event, as PytorchAllocator::adopt() takes it. Blocks are by
/// address: the order in which RecordedRequests asks for them.
struct RecordedStart {
  Layout layout;
  std::vector<uint64_t> rangeBase;  ///< by segment; 0 for ordinary ones
};

RecordedStart recordedStart(const Device& device, const RecordedRequests& requests);

/// Lets the device hold that memory.
void takeOver(const RecordedStart& start, RecordedDevice& device);

}  // namespace strata::what_if
