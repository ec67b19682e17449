#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::xprof {

/// Reads the result of TensorBoard's memory profile tool (`memory_profile.json`): each memory is a device.
///
/// Where the timeline leaves nothing out (each total follows from the one before it by the allocation or free
/// between them, and all have addresses) every block is placed. Otherwise, and above a thousand events the
/// tool keeps samples only, the device has DeviceLayout::Totals: what was in use at each sample, and by
/// operation at the peak. What the tool counts as heap and stack is active; they are counters apart, too,
/// beside what was free, the fragmentation and the peak of the allocator's life. Errors: CaptureError when
/// nothing in it was measured; Cancelled.
Trace readMemoryProfile(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::xprof
