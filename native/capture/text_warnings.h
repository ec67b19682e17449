#pragma once

#include <cstdint>
#include <string>

#include "capture/numbered_lines.h"
#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Reports how far the reading of a text has come; throws Cancelled when told to stop.
NumberedLines::Pause pauseWith(const Progress& progress, uint64_t total, const uint64_t& events);

/// The text ends in the middle of its last line.
void warnOfCut(Trace& trace, const TextPlace& place);

/// Lines that should have been rows and are none.
void warnOfUnreadable(Trace& trace, const TextOddity& unreadable, const char* singular, const char* plural);

/// Rows whose size or address no memory has (possible_memory.h).
void warnOfImpossible(const TextOddity& impossible, Trace& trace);

/// Adds a warning with the count and the place of the first; nothing when there was none.
void warnOfOddity(Trace& trace, const TextOddity& oddity, const char* code, const char* singular,
                  const char* plural, bool isDamage = false);

/// Events that were stamped earlier than one before them.
void warnOfClock(Trace& trace, uint64_t backwards);

}  // namespace strata
