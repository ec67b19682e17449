#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/nsight/enum_names.h"
#include "capture/numbered_lines.h"
#include "capture/sqlite/database.h"
#include "trace/trace.h"

namespace strata::nsight {

inline constexpr std::string_view kUsageTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";
inline constexpr std::string_view kPoolTable = "CUDA_GPU_MEMORY_POOL_EVENTS";

/// The process in a serialised global id of Nsight Systems, which also has machine and thread.
inline int64_t processOf(int64_t globalId) { return globalId >> 24 & 0xffffff; }

/// Which kind of pool of the stream-ordered allocator a block came from.
enum class PoolUse : uint8_t { None, Local, Imported };

/// One row of the table of memory events.
struct MemoryEvent {
  int64_t start = 0;  ///< ns since the session began
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t stream = 0;
  uint64_t pool = 0;  ///< address of the pool
  int64_t row = 0;    ///< its number in the table
  uint32_t process = 0;
  uint32_t correlation = 0;  ///< of the call that caused it; 0: none
  int32_t device = 0;
  uint32_t label = kNone;  ///< Trace::strings row: the name of a static variable
  MemoryKind kind = MemoryKind::Unknown;
  PoolUse poolUse = PoolUse::None;
  bool isFree = false;
};

/// What a row says about a pool after it.
struct PoolReading {
  int64_t start = 0;
  uint64_t pool = 0;  ///< address
  uint32_t process = 0;
  int32_t device = 0;
  uint64_t size = kUnknownBytes, used = kUnknownBytes, releaseThreshold = kUnknownBytes;
  bool isGone = false;
};

struct MemoryEvents {
  std::vector<MemoryEvent> events;  ///< in order of start
  std::vector<PoolReading> pools;   ///< in order of start
  TextOddity unreadable;            ///< rows without time, size, address or operation; "lines" are rows
  TextOddity unknownKind;
  sqlite::TableDamage damage;
  bool hasAddresses = true, hasTimes = true, hasProcesses = true;
};

/// "The first is row 12 of CUDA_GPU_MEMORY_USAGE_EVENTS."
std::string firstRow(uint64_t row);

/// Reads the memory events and pool events by the columns that are there. Tables that are missing give
/// nothing.
/// Errors: CaptureError when allocations cannot be told from frees, or have no size.
MemoryEvents readMemoryEvents(sqlite::Database& database, const EnumNames& names, Trace& trace);

}  // namespace strata::nsight
