#pragma once

#include "allocator/device_model.h"
#include "trace/trace.h"

namespace strata::what_if {

/// The driver calls that a recording's segment events stand for: one for a segment, one for each page of an
/// expandable range. What was refused and waited for is not recorded.
DeviceCalls recordedCalls(const Trace& trace, const Device& device);

}  // namespace strata::what_if
