#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "allocator/pytorch_rules.h"
#include "trace/trace.h"

namespace strata::pytorch {

/// A segment, or a mapped piece of an expandable one, that was there before the first event.
struct StartSegment {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t stack = kNone;
  uint16_t stream = 0;
  uint16_t pool = 0;
  bool isLarge = true;
  bool isExpandable = false;
  bool isClassKnown = true;  ///< false: only its size says whether it is large
};

/// A block that was there before the first event.
struct StartBlock {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< 0 while unknown, exact after layOut()
  uint64_t requested = 0;
  uint32_t stack = kNone;
  uint32_t finalBlock = kNone;  ///< row in FinalState when it is still there at the end
  bool isWaiting = false;       ///< freed already, other streams still use it
  uint64_t slack = 0;           ///< bytes it may have on top of `bytes`: free memory behind it hides them
};

/// The lowest address known of the expandable range that a stream's pool had at the start.
struct RangeBase {
  uint64_t address = 0;
  uint16_t stream = 0;
  uint16_t pool = 0;
  bool isLarge = false;
};

/// The moment before the first event, and what of the recording could not have happened.
struct StartLayout {
  std::vector<StartSegment> segments;  ///< by address, not overlapping
  std::vector<StartBlock> blocks;      ///< by address, not overlapping; may lie outside all segments
  std::vector<RangeBase> rangeBases;   ///< by stream, pool and class, one of each
  uint64_t contradictions = 0;
  EventIndex firstContradiction = kNever;
  void contradict(EventIndex event) {
    ++contradictions;
    if (event < firstContradiction) firstContradiction = event;
  }
};

/// What kinds of free events a device recorded; some can be left out of a recording (skip_actions). A few
/// events of one kind without any of the other can be chance; many cannot.
struct FreeKinds {
  bool hasRequested = true;
  bool hasCompleted = true;
};
FreeKinds freeKindsOf(const EventColumns& events);

/// Called now and then with the number of events done; throws to stop.
using Tick = std::function<void(uint64_t)>;

/// Undoes all events from the final state, newest first, and answers the state before the first one.
///
/// An event says only what was asked for, so a block freed during the recording comes back with its rounded
/// size. In a large segment every block is over 1 MiB, so a gap of 1 MiB or less cannot be free: it belongs
/// to the block in front of it. With that, sizes are exact. Leaves in events.row, for every Alloc and
/// SegmentAlloc, the row in FinalState of what it made when that is still there at the end, else kNone. Cost:
/// O(events + blocks log blocks); memory for what is alive at one time.
StartLayout undoEvents(Device& device, const PytorchConfig& config, const Tick& tick);

/// The same for a recording whose later events are missing, so that nothing can be undone: only what the
/// events themselves prove. A free of an unknown block proves the block, an allocation in a segment that no
/// event made proves the segment. `isProven` tells for each final segment whether it is part of the start.
StartLayout provenStart(Device& device, const PytorchConfig& config, std::vector<bool>& isProven,
                        const Tick& tick);

/// How many bytes more than its rounded request a block of an ordinary large segment can have.
uint64_t mostWaste(uint64_t rounded, const PytorchConfig& config);

/// Gives every block its exact size and drops what overlaps.
void layOut(StartLayout& start, const PytorchConfig& config);

}  // namespace strata::pytorch
