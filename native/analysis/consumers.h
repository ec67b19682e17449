#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// A call stack and what it holds at one moment.
struct Consumer {
  uint32_t stack = kNone;  ///< kNone: blocks whose stack was not recorded
  uint64_t bytes = 0;
  uint64_t count = 0;
  uint32_t firstBlock = kNone;  ///< its oldest block, a Blocks row
};

/// The stacks that hold most allocated bytes after an event, largest first and at most `limit`; equal ones in
/// order of their oldest block. O(blocks).
std::vector<Consumer> consumersAt(const Device& device, EventIndex event, size_t limit);

}  // namespace strata
