#pragma once

#include "trace/trace.h"

namespace strata {

/// The first event after which the most bytes are in live blocks; kBeforeFirst when that is before all of
/// them. O(events + blocks), for a device whose blocks are placed.
EventIndex firstOfMostActive(const Device& device);

}  // namespace strata
