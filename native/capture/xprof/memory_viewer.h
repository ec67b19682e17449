#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::xprof {

/// Reads the result of XProf's memory viewer tool: the buffers of a compiled program. There is no clock: the
/// steps of the program, as XLA's heap simulator counts them, are the axis.
///
///   with blocks      event 0 ..: every allocation is taken as a segment, and those that last are filled;
///                    then one event for each step, with buffers at their offsets
///   without them     event i is step i: what is in use after it, and at the peak by instruction
///
/// Allocations that last have no offset: they lie behind the others, each at a multiple of 2 MiB.
/// Errors: CaptureError when it says nothing of any buffer; Cancelled.
Trace readMemoryViewer(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::xprof
