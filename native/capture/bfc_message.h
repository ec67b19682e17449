#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "capture/bfc_units.h"

namespace strata::bfc {

// What one line of a log says, in TensorFlow's own words; texts point into the line.

/// "Allocator (NAME) ran out of memory trying to allocate H (rounded to R) requested by op OP"
struct Failure {
  std::string_view allocator;
  HumanBytes requested;
  std::optional<uint64_t> rounded;
  std::string_view op{};
  bool isBenign = false;  ///< "with freed_by_count=": the caller can do without, or a dump came before
};
/// "BFCAllocator dump for NAME"
struct Title {
  std::string_view allocator;
};
/// "Bin (256): Total Chunks: A, Chunks in use: B. H1 allocated for chunks. H2 in use in bin. ..."
struct Bin {
  uint64_t size = 0, chunks = 0, inUse = 0;
  HumanBytes bytes, bytesInUse, requested;
};
/// "Bin for H was H, Chunk State:"; of ONNX Runtime "Bin for N bytes has max bytes of N"
struct WantedBin {
  HumanBytes request;
};
/// "Next region of size N"
struct RegionStart {
  uint64_t size = 0;
};
/// "InUse at A of size N next H", "Free  at A next H of size N", "Chunk at A of size N"
struct Chunk {
  uint64_t address = 0, size = 0;
  bool isInUse = false;
  bool isPending = false;     ///< freed, but held back until its stream is done (freed_at_count)
  bool isCentralGap = false;  ///< the free middle of a spatially partitioned range, which is in no bin
  std::string_view op{};
};
/// "C Chunks of size N totalling H"
struct SizeCount {
  uint64_t count = 0, size = 0;
  HumanBytes total;
};
struct SumTotal {
  HumanBytes bytes;
};
/// "Total bytes in pool: N memory_limit_: N available bytes: N curr_region_allocation_bytes_: N"
struct PoolTotals {
  uint64_t pool = 0, limit = 0, available = 0, next = 0;
};
struct StatsStart {};
/// "MaxInUse:   39875904000"
struct Stat {
  std::string_view name;
  uint64_t value = 0;
};
struct Occupancy {
  std::string_view line;  ///< 100 of "*", "x", "_"
};
/// "OOM when allocating tensor with shape[...] and type T on DEVICE by allocator NAME"
struct TensorRefused {
  std::string_view shape, type, allocator;
};

/// "[mem-debug] AllocateRaw,NAME,BYTES,POINTER,STACK"; "AllocateRaw NAME  BYTES POINTER"
struct Allocate {
  std::string_view allocator;
  uint64_t bytes = 0, address = 0;
  bool isDebug = false;  ///< of verbosity 4, which repeats that of verbosity 3
  bool hasStack = false;
};
struct Deallocate {
  std::string_view allocator;
  uint64_t bytes = 0;
  std::optional<uint64_t> address;  ///< verbosity 3 does not say
  bool hasStack = false;
};
/// "Extending allocation by H bytes for NAME."
struct Extending {
  std::string_view allocator;
};
/// "Allocated memory at A to B"
struct Extended {
  uint64_t from = 0, to = 0;
};

/// "Garbage collection: deallocate free memory regions", without a name
struct RegionsReturned {};

/// "NAME cuMemAllocAsync failed to allocate N bytes: ..."
struct AsyncFailure {
  std::string_view allocator;
  uint64_t bytes = 0;
};
/// "Reported by CUDA: Free memory/Total memory: N/N"
struct DriverMemory {
  uint64_t free = 0, total = 0;
};
struct HistogramStart {};
/// "SIZE, COUNT"
struct HistogramRow {
  uint64_t size = 0, count = 0;
};
/// "CU_MEMPOOL_ATTR_USED_MEM_HIGH: N"
struct PoolAttribute {
  std::string_view name;
  uint64_t value = 0;
};

using Message = std::variant<std::monostate, Failure, Title, Bin, WantedBin, RegionStart, Chunk, SizeCount,
                             SumTotal, PoolTotals, StatsStart, Stat, Occupancy, TensorRefused, Allocate,
                             Deallocate, Extending, Extended, RegionsReturned, AsyncFailure, DriverMemory,
                             HistogramStart, HistogramRow, PoolAttribute>;

/// What a line says; monostate for everything else. Source: the log statements of bfc_allocator.cc and
/// gpu_cudamallocasync_allocator.cc from TensorFlow 1.0 to XLA of 2026, and bfc_arena.cc of ONNX Runtime.
Message parseMessage(std::string_view line);

/// "tensorflow/core/common_runtime/bfc_allocator.cc" in front of a message; empty when there is none.
std::string_view sourceOf(std::string_view line);

}  // namespace strata::bfc
