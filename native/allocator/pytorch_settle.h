#pragma once

#include "allocator/pytorch_recorded_heap.h"

namespace strata::pytorch {

/// What the final state says about the rows at the end of the recording.
struct FinalCheck {
  uint64_t blocks = 0;
  uint64_t matched = 0;  ///< equal in place, size and state
};

/// Compares what is alive after the last event with the final state of the file, block by block, and makes
/// the rows agree with the file where they do not: what the file does not know dies at the last event, what
/// only the file knows is born there.
FinalCheck settleFinalState(Device& device, RecordedHeap& recorded, Ledger& ledger, Score& score);

/// For a recording whose later events are missing: sums up the final segments and blocks that no event that
/// was read explains or contradicts into Device::possible.
void collectPossible(Device& device, const std::vector<bool>& isProven, const Ledger& ledger);

}  // namespace strata::pytorch
