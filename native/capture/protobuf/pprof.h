#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::protobuf {

/// Reads JAX's device memory profile (jax.profiler.save_device_memory_profile), a pprof file once its gzip is
/// taken off: how many bytes each call site holds on each device at one moment. It states no addresses and no
/// sizes of single buffers, so a row of blocks stands for all buffers of one call site, and its label says
/// how many they are. Source: pprof's proto/profile.proto; jax's device_memory_profiling documentation for
/// the labels. Errors: CaptureError for a profile of something else than memory; Cancelled.
Trace readPprof(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::protobuf
