#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/progress.h"

namespace strata::xprof {

// The message tensorflow.profiler.MemoryProfile. Texts are as written in the file and live as long as its
// bytes. Source: tensorflow/core/profiler/protobuf/memory_profile.proto.

/// Totals of one memory, in bytes.
struct MemoryStats {
  uint64_t stack = 0;  ///< reserved for the program's stack
  uint64_t heap = 0;   ///< in blocks
  uint64_t free = 0;
  uint64_t peak = 0;  ///< of the allocator's life
  double fragmentation = 0;
  bool isReadable = true;

  uint64_t inUse() const { return stack + heap; }
};

struct Activity {
  enum class Kind : uint8_t { Unknown, Allocation, Free, Reservation, Expansion };
  Kind kind = Kind::Unknown;
  uint64_t requested = 0, bytes = 0, address = 0;
  int64_t step = -1;
  std::string_view operation, regionType, dataType, shape;
};

struct MemorySnapshot {
  int64_t timeNs = 0;  ///< from the start of the profile
  MemoryStats stats;
  Activity activity;
  size_t at = 0;  ///< position in the file
};

/// A row of the table of what is alive at the peak.
struct ActiveAllocation {
  int64_t snapshot = -1;  ///< row of the snapshots, or -1
  int64_t special = -1;   ///< row of the special allocations, or -1
  uint64_t count = 1;
};

struct AllocatorProfile {
  std::string_view name;
  std::vector<MemorySnapshot> snapshots;  ///< of newer files only those that `active` refers to
  std::vector<MemorySnapshot> sampled;  ///< the timeline of newer files: the highest of each stretch of time
  std::vector<ActiveAllocation> active;
  std::vector<Activity> special;  ///< what belongs to no allocation: the stack, memory from before
  MemoryStats peak;
  int64_t peakNs = 0;
  uint64_t lifetimePeak = 0, capacity = 0;
  bool hasSummary = false;
};

/// A program that ran on a device meanwhile.
struct ProgramRun {
  std::string_view name;
  int64_t beginNs = 0, endNs = 0;
};

struct MemoryProfile {
  std::vector<AllocatorProfile> allocators;
  std::vector<ProgramRun> programs;
  int64_t hosts = 0;
  int64_t version = 0;      ///< 1: the timeline is sampled, and the snapshots are those of the peak
  uint64_t unreadable = 0;  ///< snapshots without readable totals, left out
  size_t firstUnreadable = 0;
  bool isBroken = false;      ///< the text breaks off
  std::string brokenBecause;  ///< empty at the end of the file
  size_t brokenAt = 0;
};

/// Reads as far as the text goes. Errors: Cancelled.
MemoryProfile readMemoryProfileJson(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::xprof
