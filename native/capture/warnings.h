#pragma once

#include <string>

#include "capture/clock.h"
#include "capture/final_state.h"
#include "capture/machine.h"
#include "trace/trace.h"

namespace strata {

/// Everything that was counted while a snapshot was read and put together.
struct SnapshotOddities {
  FinalStateOddities final;
  ClockOddities clock;
  Oddity sharedLists;          ///< event lists that two devices refer to
  Oddity notSegments;          ///< items of the list of segments that are none
  Oddity annotationsLeftOut;   ///< sides without a usable name or time
  bool isBareList = false;     ///< what torch.cuda.memory_snapshot() gives: never has events
  bool hasOverflowed = false;  ///< the writer says that older events were overwritten
};

/// Adds a warning for each kind of oddity, counted, with the place of the first.
void warnOfOddities(const Machine& machine, const SnapshotOddities& oddities, Trace& trace);

/// Adds what the user should know about how the snapshot was recorded: no history, no stacks, a ring that
/// overflowed; with what to pass to record more.
void warnOfRecording(const Machine& machine, const SnapshotOddities& oddities, Trace& trace);

}  // namespace strata
