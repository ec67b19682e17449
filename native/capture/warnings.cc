#include "capture/warnings.h"

#include <algorithm>

#include "capture/text.h"

namespace strata {
namespace {

constexpr char kHowToRecord[] =
    "call torch.cuda.memory._record_memory_history(context=\"all\", stacks=\"python\") before the part that "
    "matters, then torch.cuda.memory._dump_snapshot()";

void warn(Trace& trace, std::string code, std::string message, int64_t byte = -1, bool isDamage = false) {
  trace.warnings.push_back({std::move(code), std::move(message), byte, isDamage});
}

/// "Not events, and left out of the lists of events: 2 entries."
void warnOfDamage(Trace& trace, const Oddity& oddity, std::string code, const std::string& what,
                  const std::string& singular, const std::string& plural) {
  if (oddity.count == 0) return;
  warn(trace, std::move(code), what + ": " + counted(oddity.count, singular, plural) + ".", oddity.byte,
       true);
}

void warnOfFinalState(const FinalStateOddities& final, Trace& trace) {
  const auto note = [&](const Oddity& oddity, const char* code, const std::string& what, const char* rest) {
    if (oddity.count == 0) return;
    warn(trace, code,
         what + " in " + grouped(oddity.count) + " of " + counted(final.segments, "segment", "segments") +
             rest,
         oddity.byte);
  };
  note(final.gaps, "final-blocks-gaps", "The blocks do not fill their segment exactly",
       "; the picture shows them as recorded.");
  note(final.sums, "final-sums-differ", "The stated sums differ from what the blocks add up to",
       "; the blocks are used.");
  note(final.overlaps, "final-segments-overlap", "The addresses overlap those of the segment before",
       "; the picture shows them as recorded.");
  warnOfDamage(trace, final.beyond, "final-segment-beyond",
               "Left out, because they would end above the highest address", "segment", "segments");
  warnOfDamage(trace, final.repeated, "final-blocks-repeated",
               "Shown without blocks, because they refer to those of another segment", "segment", "segments");
  warnOfDamage(trace, final.notBlocks, "final-not-blocks", "Not blocks, and left out of the lists of blocks",
               "entry", "entries");
}

void warnOfUnknownActions(const Machine& machine, Trace& trace) {
  constexpr size_t kMostNamed = 3;
  uint64_t total = 0;
  std::string names;
  size_t named = 0;
  for (const auto& [row, count] : machine.entries.unknownActions) {
    total += count;
    if (named == kMostNamed) names += ", ...";
    if (named++ >= kMostNamed) continue;
    names += (names.empty() ? "\"" : ", \"") + std::string(trace.strings.at(row).substr(0, 40)) + "\"";
  }
  if (total == 0) return;
  warn(trace, "unknown-action",
       counted(total, "event has an action", "events have an action") + " this version does not know (" +
           names + "), kept in the list without effect.");
}

bool hasAnyStack(const Trace& trace) {
  return std::any_of(trace.devices.begin(), trace.devices.end(), [](const Device& device) {
    const auto isStack = [](uint32_t stack) { return stack != kNone; };
    return std::any_of(device.events.stack.begin(), device.events.stack.end(), isStack);
  });
}

bool hasFinalStack(const Trace& trace) {
  return std::any_of(trace.devices.begin(), trace.devices.end(), [](const Device& device) {
    const auto isStack = [](uint32_t stack) { return stack != kNone; };
    return std::any_of(device.final.blockStack.begin(), device.final.blockStack.end(), isStack);
  });
}

}  // namespace

void warnOfOddities(const Machine& machine, const SnapshotOddities& oddities, Trace& trace) {
  const Entries& entries = machine.entries;
  warnOfDamage(trace, entries.notEvents, "not-events", "Not events, and left out of the lists of events",
               "entry", "entries");
  warnOfDamage(trace, entries.incompleteEvents, "event-incomplete",
               "Missing or not a number in events, and taken as 0", "field", "fields");
  warnOfDamage(trace, entries.incompleteSegments, "segment-incomplete",
               "Not a number in segments, and taken as 0", "field", "fields");
  warnOfDamage(trace, entries.incompleteBlocks, "block-incomplete",
               "Not understood in blocks, and taken as 0 or inactive", "field", "fields");
  warnOfDamage(trace, entries.incompleteFrames, "frame-incomplete", "Not frames, and left out of stacks",
               "entry", "entries");
  warnOfDamage(trace, oddities.notSegments, "not-segments",
               "Not segments, or repeated, and left out of the list of segments", "entry", "entries");
  warnOfDamage(trace, oddities.sharedLists, "events-shared",
               "Shown without events, because they refer to those of another device", "device", "devices");
  warnOfUnknownActions(machine, trace);
  warnOfFinalState(oddities.final, trace);
  if (oddities.clock.backwards > 0) {
    warn(trace, "time-backwards",
         counted(oddities.clock.backwards, "event is", "events are") +
             " stamped earlier than one before; the order of events is kept and their time moved forwards.");
  }
  if (oddities.clock.outOfRange > 0) {
    warn(trace, "time-out-of-range",
         counted(oddities.clock.outOfRange, "event has", "events have") +
             " a time that no clock shows; the time of the event before is used.",
         -1, true);
  }
  warnOfDamage(trace, oddities.annotationsLeftOut, "annotation-incomplete",
               "Left out, because they have no usable name or time", "annotation", "annotations");
}

void warnOfRecording(const Machine& machine, const SnapshotOddities& oddities, Trace& trace) {
  const bool hasEvents = machine.entries.eventCount() > 0;
  if (!hasEvents && trace.isComplete && oddities.isBareList) {
    warn(trace, "no-history",
         std::string(
             "This is the bare list of torch.cuda.memory_snapshot(), which has no history: only the state "
             "at the end can be shown. For the history, ") +
             kHowToRecord + ".");
  } else if (!hasEvents && trace.isComplete && hasFinalStack(trace)) {
    warn(trace, "state-only",
         std::string(
             "This snapshot was recorded with enabled=\"state\": it shows what was allocated at the end "
             "and where, but not how it came to be. For the history, ") +
             kHowToRecord + ".");
  } else if (!hasEvents && trace.isComplete) {
    warn(trace, "no-history",
         std::string("No history was recorded: only the state at the end can be shown. For the history, ") +
             kHowToRecord + ".");
  }
  if (hasEvents && !hasAnyStack(trace)) {
    warn(trace, "no-stacks",
         std::string("No event has a stack, so that memory cannot be traced to code. For stacks, ") +
             kHowToRecord + ".");
  }
  if (oddities.hasOverflowed) {
    warn(
        trace, "ring-overflow",
        "The recording was full and its oldest events were overwritten: this trace starts in the middle. For "
        "a longer one, pass a larger max_entries to torch.cuda.memory._record_memory_history().");
  }
}

}  // namespace strata
