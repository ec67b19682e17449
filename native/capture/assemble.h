#pragma once

#include "capture/machine.h"
#include "capture/place.h"
#include "trace/trace.h"

namespace strata {

/// Makes the trace's devices, annotations, settings and warnings from what the machine built: the last step
/// of reading.
///   brokeOffAt: where the data ended or was damaged, null when it was whole
/// Errors: CaptureError when the value is no snapshot, or nothing of it was whole.
void assemble(Machine& machine, Trace& trace, const Place* brokeOffAt);

}  // namespace strata
