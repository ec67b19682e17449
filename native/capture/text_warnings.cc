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

void warnOfOddity(Trace& trace, const TextOddity& oddity, const char* code, const char* singular,
                  const char* plural, bool isDamage) {
  if (oddity.count == 0) return;
  Warning warning{code, counted(oddity.count, singular, plural), -1, isDamage};
  if (oddity.first.line != 0) warning.line = static_cast<int64_t>(oddity.first.line);
  if (oddity.first.line != 0 || oddity.first.byte != 0)
    warning.byte = static_cast<int64_t>(oddity.first.byte);
  trace.warnings.push_back(std::move(warning));
}

void warnOfImpossible(const TextOddity& impossible, Trace& trace) {
  warnOfOddity(
      trace, impossible, "size-impossible",
      "row is left out: no memory has its size or its address (at most a pebibyte, below 2^57).",
      "rows are left out: no memory has their sizes or their addresses (at most a pebibyte, below 2^57).",
      true);
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
