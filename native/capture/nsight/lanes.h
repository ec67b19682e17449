#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture/nsight/machine_facts.h"
#include "capture/nsight/memory_events.h"
#include "capture/placed_blocks.h"
#include "capture/running_totals.h"

namespace strata::nsight {

/// Sorts memory events into devices: the memory of each GPU, managed memory, memory of other processes'
/// pools and host memory are devices of their own, for each process where there are several. What came from
/// a stream-ordered pool is in the region "virtual", what CUDA handed out directly in "pooled".
class Lanes {
 public:
  Lanes(const MemoryEvents& read, const MachineFacts& facts, Trace& trace);

  void add(const MemoryEvent& event, uint32_t stack);
  /// Adds the devices to the trace, and warnings of what contradicted itself. May be called once.
  void finish();

  /// The GPU of the machine that a process calls by this number.
  int ordinalOf(uint32_t process, int32_t device) const;

 private:
  enum class Part : uint8_t { Device, Managed, ImportedPools, Pinned, Pageable, Unknown };
  struct Key {
    Part part;
    int ordinal;
    uint32_t process;
    auto operator<=>(const Key&) const = default;
  };
  struct Rows {
    PlacedBlocks placed;
    RunningTotals totals;
  };

  Key keyOf(const MemoryEvent& event) const;
  Rows& rowsOf(const MemoryEvent& event);
  uint32_t labelOf(const MemoryEvent& event);
  std::string nameOf(const Key& key) const;
  void warnOf(const Rows& rows);

  const MemoryEvents& read_;
  const MachineFacts& facts_;
  Trace& trace_;
  bool hasSeveralProcesses_ = false;
  std::map<Key, Rows> lanes_;
  std::map<std::pair<uint64_t, PoolUse>, uint32_t> poolLabels_;
  Key lastKey_{};
  Rows* lastRows_ = nullptr;
};

}  // namespace strata::nsight
