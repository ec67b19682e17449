#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::protobuf {

/// Reads the buffer assignment of an XLA module: where each buffer lies, and from which step of the program
/// to which. There is no clock: the program order of XLA's heap simulator is the axis. Each memory space
/// (XLA's colour) is a device.
///
///   event 0 ..   every allocation is taken as a segment; parameters, constants and results fill theirs
///   then         buffers come and go within the allocations that the heap simulator packed
///
/// XLA gives offsets within allocations, not addresses: the allocations are laid one behind the other, each
/// at a multiple of 2 MiB. Allocations of threads of their own are left out. Errors: CaptureError for a
/// module without a buffer assignment; Cancelled.
Trace readHlo(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::protobuf
