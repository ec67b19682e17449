#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Whether JSON is a Chrome trace: an object with `traceEvents`, or a list of events with a phase.
bool looksLikeChromeTrace(std::span<const uint8_t> bytes);

/// Reads the memory events of a PyTorch profiler's (Kineto's) Chrome trace: `[memory]` of each era and
/// `[OutOfMemory]`. With addresses every block is placed; those of 2021 have none, and only totals are known.
/// Operators and Python functions that are open on the thread of an event are its stack, steps and ranges
/// that the user named are annotations, counters ("ph": "C") and the totals the profiler states are counters.
/// One pass over the file; keeps about 40 bytes for each memory event and each span.
/// Errors: CaptureError when there are neither memory events nor counters; Cancelled.
Trace readChromeTrace(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata
