#pragma once

#include <cstdint>

#include "capture/event_sink.h"
#include "trace/trace.h"

namespace strata {

/// What was odd about the times.
struct ClockOddities {
  uint64_t backwards = 0;   ///< events earlier than one before them
  uint64_t outOfRange = 0;  ///< times outside 1970..2262, which 64-bit nanoseconds can say
};

/// Whether microseconds since 1970 can be said in 64-bit nanoseconds.
bool isUsableTime(int64_t microseconds);

/// Turns the microseconds of all devices' events into nanoseconds from the earliest of them, non-decreasing,
/// and sets the trace's clock. An event without a usable time gets that of the one before it.
///   earliest: an earlier time seen elsewhere, used when no event has one; EventSink::kNoTime when none
ClockOddities setClock(Trace& trace, int64_t earliest);

}  // namespace strata
