#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace strata::pytorch {

/// Counts how much of a recording the allocator's rules foresaw, and what in it could not have happened.
struct Score {
  uint64_t placements = 0;
  uint64_t placementsMatched = 0;
  uint64_t segmentEvents = 0;
  uint64_t segmentEventsMatched = 0;
  uint64_t impossible = 0;  ///< events that contradict the ones before them
  EventIndex firstImpossible = kNever;
  EventIndex firstMismatch = kNever;
  const char* code = "";  ///< of the first mismatch

  void placement(bool isMatched, EventIndex event) {
    ++placements;
    if (isMatched) {
      ++placementsMatched;
    } else {
      mismatch("placement-differs", event);
    }
  }
  void segmentEvent(bool isMatched, EventIndex event) {
    ++segmentEvents;
    if (isMatched) {
      ++segmentEventsMatched;
    } else {
      mismatch("segment-differs", event);
    }
  }
  void contradict(EventIndex event) {
    ++impossible;
    if (event < firstImpossible) firstImpossible = event;
    mismatch("impossible-event", event);
  }
  void mismatch(const char* what, EventIndex event) {
    if (event >= firstMismatch) return;
    firstMismatch = event;
    code = what;
  }
};

}  // namespace strata::pytorch
