#pragma once

#include <span>

#include "capture/machine.h"
#include "trace/trace.h"

namespace strata {

/// What was odd in the final state, counted over all devices.
struct FinalStateOddities {
  Oddity gaps;            ///< blocks that do not fill their segment
  Oddity sums;            ///< stated sums that differ from the blocks
  Oddity beyond;          ///< segments that end above the last address
  Oddity overlaps;        ///< segments that share addresses
  Oddity repeated;        ///< lists of blocks used by two segments
  Oddity notBlocks;       ///< items that are no blocks
  uint64_t segments = 0;  ///< in all
};

/// Fills the final state of a device from the staged segments with these rows, sorted by address.
/// Blocks without an address (PyTorch 2.0 and older) follow one another from their segment's start.
void fillFinalState(Machine& machine, std::span<const uint32_t> rows, Dictionary<uint64_t>& streams,
                    Dictionary<std::pair<int64_t, int64_t>>& pools, FinalState& final,
                    FinalStateOddities& oddities);

}  // namespace strata
