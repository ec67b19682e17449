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

void warnOfDamage(Trace& trace, const Oddity& oddity, std::string code, const std::string& singular,
                  const std::string& plural, const std::string& rest) {
  if (oddity.count == 0) return;
  warn(trace, std::move(code), counted(oddity.count, singular, plural) + " " + rest, oddity.byte, true);
}

void warnOfFinalState(const FinalStateOddities& final, Trace& trace) {
  const auto note = [&](const Oddity& oddity, const char* code, const std::string& rest) {
    if (oddity.count == 0) return;
    warn(trace, code,
         "In " + grouped(oddity.count) + " of " + counted(final.segments, "segment", "segments") + " " + rest,
         oddity.byte);
  };
  note(final.gaps, "final-blocks-gaps",
       "the blocks do not fill the segment exactly; the picture shows them as recorded.");
  note(final.sums, "final-sums-differ",
       "the stated sums differ from what its blocks add up to; the blocks are used.");
  note(final.overlaps, "final-segments-overlap", "the segment shares addresses with another one.");
  warnOfDamage(trace, final.beyond, "final-segment-beyond", "segment", "segments",
               "would end above the highest address and were left out.");
  warnOfDamage(trace, final.repeated, "final-blocks-repeated", "segment", "segments",
               "refer to the blocks of another one and are shown without blocks.");
  warnOfDamage(trace, final.notBlocks, "final-not-blocks", "entry", "entries",
               "in the lists of blocks are no blocks and were left out.");
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
           names + "); they are kept in the list and change nothing.");
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
  warnOfDamage(trace, entries.notEvents, "not-events", "entry", "entries",
               "in the lists of events are no events and were left out.");
  warnOfDamage(trace, entries.incompleteEvents, "event-incomplete", "field", "fields",
               "of events are missing or no numbers and count as 0.");
  warnOfDamage(trace, entries.incompleteSegments, "segment-incomplete", "field", "fields",
               "of segments are no numbers and count as 0.");
  warnOfDamage(trace, entries.incompleteBlocks, "block-incomplete", "field", "fields",
               "of blocks cannot be understood and count as 0 or inactive.");
  warnOfDamage(trace, entries.incompleteFrames, "frame-incomplete", "entry", "entries",
               "in stacks are no frames and were left out.");
  warnOfDamage(trace, oddities.notSegments, "not-segments", "entry", "entries",
               "in the list of segments are no segments, or repeat one, and were left out.");
  warnOfDamage(trace, oddities.sharedLists, "events-shared", "device", "devices",
               "refer to the events of another device and are shown without events.");
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
  if (oddities.annotationsLeftOut > 0) {
    warn(trace, "annotation-incomplete",
         counted(oddities.annotationsLeftOut, "annotation has", "annotations have") +
             " no usable name or time and were left out.",
         -1, true);
  }
}

void warnOfRecording(const Machine& machine, const SnapshotOddities& oddities, Trace& trace) {
  const bool hasEvents = machine.entries.eventCount() > 0;
  if (!hasEvents && trace.isComplete && hasFinalStack(trace)) {
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
