#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::protobuf {

/// Reads the allocations and frees that TensorFlow's and JAX's profiler records from their allocators: one
/// device for each allocator, steps as annotations, and what the allocator said of its totals as counters.
/// The profile says where blocks lie but not which memory they were cut from, so there are no segments.
/// Source: tsl/profiler/protobuf/xplane.proto; xprof's convert/xplane_to_memory_profile.cc for the names of
/// the stats.
/// Errors: CaptureError for a profile without memory events; Cancelled.
Trace readXSpace(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::protobuf
