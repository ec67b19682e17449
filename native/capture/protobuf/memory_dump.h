#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::protobuf {

/// Reads what TensorFlow writes at a failed allocation when TF_BFC_MEMORY_DUMP is set: one state of one BFC
/// allocator, with the size that was asked for of every chunk. Regions have no marks of their own: chunks
/// that touch are taken to be of one region. A free chunk that still has a freed_at_count waits for its
/// stream. Source: tsl/protobuf/bfc_memory_map.proto: MemoryDump, MemChunk, BinSummary, MemAllocatorStats.
/// Errors: CaptureError when there is no chunk; Cancelled.
Trace readMemoryDump(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::protobuf
