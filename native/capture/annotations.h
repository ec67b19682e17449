#pragma once

#include <span>

#include "capture/entries.h"
#include "trace/trace.h"

namespace strata {

/// Pairs the sides of annotations into spans on the trace's time axis. A START and the next END of the same
/// device and name belong together, the latest START first, because they nest. A side that is missing is
/// open: such a span reaches to the first or last time of the trace. Lanes are given by begin, the lowest
/// that is free, which for nested spans is their depth. Needs the trace's clock. Returns how many sides had
/// no usable time and were left out.
uint64_t pairAnnotations(std::span<const StagedAnnotation> sides, Trace& trace);

}  // namespace strata
