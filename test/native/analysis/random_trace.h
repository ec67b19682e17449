#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "trace/trace.h"

namespace strata::test {

/// What a random trace is like.
struct RandomTraceOptions {
  int events = 600;
  int before = 60;       ///< steps taken before the recording starts
  bool hasClock = true;  ///< with many equal times and some long pauses
  bool hasRows = true;   ///< false: EventColumns::row names nothing, as if the
                         ///< rebuild knew only rectangles
  uint64_t unit = 512;   ///< sizes and addresses are multiples of it, but for
                         ///< some odd requests
  int liveBlocks = 60;   ///< about how many blocks live at once
};

/// A trace of one device with plain and expandable segments in all three
/// regions, made step by step by an allocator that puts blocks anywhere: pieces
/// mapped and unmapped in part, segments that touch, blocks waiting for a
/// stream, events that change nothing or several things.
Trace randomTrace(uint32_t seed, const RandomTraceOptions& options = {});

}  // namespace strata::test
