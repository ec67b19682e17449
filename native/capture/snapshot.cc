#include "capture/snapshot.h"

#include <string>

#include "capture/assemble.h"
#include "capture/capture.h"
#include "capture/place.h"
#include "capture/text.h"

namespace strata {
namespace {

constexpr uint64_t kBytesBetweenReports = 8 << 20;

/// A real snapshot needs less memory than its file has bytes; this is for made-up ones.
uint64_t memoryLimit(uint64_t dataBytes) {
  constexpr uint64_t kAlwaysAllowed = 256ull << 20;
  constexpr uint64_t kBytesPerByte = 4;
  return kAlwaysAllowed + kBytesPerByte * dataBytes;
}

void checkMemory(const Machine& machine, const Trace& trace, uint64_t dataBytes) {
  const uint64_t used = machine.bytes() + trace.strings.bytes() + trace.frames.bytes() + trace.stacks.bytes();
  if (used <= memoryLimit(dataBytes)) return;
  throw CaptureError(
      "capture-too-much-memory",
      "Reading this file would take far more memory than any snapshot of its size; reading stopped "
      "at byte " +
          grouped(machine.entries.byte) + ".",
      "It is damaged, or made to exhaust the memory of whoever opens it.",
      static_cast<int64_t>(machine.entries.byte));
}

void warnOfBreak(const Machine& machine, const Place& place, const std::string& problem, Trace& trace) {
  const std::string at = ", at byte " + grouped(machine.entries.byte);
  const bool isEnd = problem.empty();
  Warning warning;
  warning.code = isEnd ? "capture-truncated" : "capture-damaged";
  warning.message = isEnd ? "The file ends " + place.sentencePart() + at
                          : "The file is damaged " + place.sentencePart() + at + " (it " + problem + ")";
  warning.message += "; " + place.keptPart() + ".";
  warning.byte = static_cast<int64_t>(machine.entries.byte);
  warning.isDamage = true;
  trace.warnings.push_back(std::move(warning));
}

/// Keeps what was whole. A file that is damaged before anything was is refused with what is wrong with it.
void salvage(Machine& machine, const std::string& problem, Trace& trace) {
  trace.isComplete = false;
  const Place place = describePlace(machine);
  const bool isEmpty = machine.entries.segments.empty() && machine.entries.eventCount() == 0;
  if (isEmpty && !problem.empty()) {
    throw CaptureError(
        "capture-damaged",
        "This file cannot be read: at byte " + grouped(machine.entries.byte) + " it " + problem + ".",
        "It is damaged, or no PyTorch memory snapshot: copy or record it again.",
        static_cast<int64_t>(machine.entries.byte));
  }
  machine.closeAll();
  warnOfBreak(machine, place, problem, trace);
  assemble(machine, trace, &place);
}

/// What follows the value, other than the padding that pages of base64 carry.
void warnOfRest(ByteFeed& feed, Trace& trace) {
  const uint64_t end = feed.position();
  const std::string_view rest = feed.text(feed.left());
  const std::string_view padding("\0 \t\r\n", 5);
  if (rest.find_first_not_of(padding) == std::string_view::npos) return;
  trace.warnings.push_back({"capture-trailing-data",
                            "The snapshot ends at byte " + grouped(end) + "; the " +
                                counted(rest.size(), "byte", "bytes") + " after it were not read.",
                            static_cast<int64_t>(end), false});
}

}  // namespace

Trace readSnapshot(std::span<const uint8_t> data, SnapshotLanguage language, const Progress& progress) {
  Trace trace;
  trace.format = "pytorch-snapshot";
  Machine machine(trace, data.size());
  uint64_t nextReport = 0;
  ByteFeed feed(data, [&](uint64_t position) {
    checkMemory(machine, trace, data.size());
    if (position < nextReport) return;
    nextReport = position + kBytesBetweenReports;
    if (progress && !progress("read", position, data.size(), machine.entries.eventCount())) throw Cancelled();
  });
  try {
    language(feed, machine);
  } catch (const EndOfData&) {
    machine.entries.byte = data.size();
    salvage(machine, "", trace);
    return trace;
  } catch (const Malformed& malformed) {
    salvage(machine, malformed.what(), trace);
    return trace;
  }
  warnOfRest(feed, trace);
  assemble(machine, trace, nullptr);
  if (progress && !progress("read", data.size(), data.size(), machine.entries.eventCount()))
    throw Cancelled();
  return trace;
}

}  // namespace strata
