#include "capture/text_warnings.h"

#include "capture/text.h"

namespace strata {

NumberedLines::Pause pauseWith(const Progress& progress, uint64_t total, const uint64_t& events) {
  return [&progress, total, &events](uint64_t position) {
    if (progress && !progress("read", position, total, events)) throw Cancelled();
  };
}

void warnOfCut(Trace& trace, const TextPlace& place) {
  trace.isComplete = false;
  trace.warnings.push_back(
      {"capture-truncated",
       "The file ends in the middle of line " + grouped(place.line) + "; the lines before it are shown.",
       static_cast<int64_t>(place.byte), true, static_cast<int64_t>(place.line)});
}

void warnOfUnreadable(Trace& trace, const TextOddity& unreadable, const char* singular, const char* plural) {
  if (unreadable.count == 0) return;
  trace.warnings.push_back({"row-unreadable",
                            "Left out, because not all of their values can be read: " +
                                counted(unreadable.count, singular, plural) + ".",
                            static_cast<int64_t>(unreadable.first.byte), true,
                            static_cast<int64_t>(unreadable.first.line)});
}

void warnOfClock(Trace& trace, uint64_t backwards) {
  if (backwards == 0) return;
  trace.warnings.push_back(
      {"time-backwards",
       counted(backwards, "event is", "events are") +
           " stamped earlier than one before; the order of events is kept and their time moved forwards.",
       -1, false});
}

}  // namespace strata
