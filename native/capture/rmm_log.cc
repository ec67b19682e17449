#include "capture/rmm_log.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "capture/capture.h"
#include "capture/day_clock.h"
#include "capture/numbered_lines.h"
#include "capture/placed_blocks.h"
#include "capture/rmm_row.h"
#include "capture/text.h"
#include "capture/text_numbers.h"
#include "capture/text_warnings.h"

namespace strata {
namespace {

/// Seconds above this are those since 1970, below it those since some start.
constexpr int64_t kEpochFrom = 100'000'000'000'000'000;

class RmmReader {
 public:
  RmmReader(std::span<const uint8_t> bytes, const Progress& progress)
      : size_(bytes.size()), lines_(bytes, pauseWith(progress, bytes.size(), events_)) {}

  Trace run() {
    while (lines_.next()) take(lines_.line());
    std::erase_if(devices_, [](const auto& entry) { return entry.second.eventCount() == 0; });
    if (devices_.empty()) refuse();
    finish();
    return std::move(trace_);
  }

 private:
  struct Eras {
    bool hasLegacy = false, hasThread = false, hasFailure = false, hasOldClock = false;
  };

  void take(std::string_view line) {
    if (const auto row = parseRmmRow(line)) return add(*row);
    if (isRmmHeader(line)) {
      ++headers_;
      return;
    }
    const bool isMeant = headers_ > 0 ? !line.empty() : namesRmmAction(line);
    if (!isMeant) return;
    if (lines_.isEnded()) return unreadable_.note(lines_.place());
    isCutOff_ = true;
  }

  void add(const RmmRow& row) {
    if (row.device > kMostDevices) return unreadable_.note(lines_.place());
    if (++events_ == kRowsOfGuess) guessCount();
    eras_.hasLegacy |= row.isLegacy;
    eras_.hasThread |= row.thread.has_value();
    eras_.hasFailure |= row.action == RmmRow::Action::Failure;
    eras_.hasOldClock |= row.isOldClock;
    if (row.total != 0) totals_[static_cast<int>(row.device)] = row.total;
    PlacedBlocks& blocks = devices_[static_cast<int>(row.device)];
    EventRows::Entry entry;
    entry.address = row.address;
    entry.bytes = row.bytes;
    entry.stream = row.stream;
    entry.time = timeOf(row);
    entry.stack = stackOf(row);
    switch (row.action) {
      case RmmRow::Action::Realloc:
        reallocations_.note(lines_.place());
        [[fallthrough]];
      case RmmRow::Action::Allocate:
        entry.action = Action::Alloc;
        return blocks.allocate(entry, entry.bytes, lines_.place());
      case RmmRow::Action::Free:
        entry.action = Action::Free;
        return blocks.free(entry, lines_.place());
      case RmmRow::Action::Failure:
        entry.action = Action::OutOfMemory;
        entry.address = kUnknownBytes;
        blocks.note(entry);
        return;
    }
  }

  /// Rows of a log are about equally long, so the first ones tell how many there are.
  void guessCount() {
    const uint64_t bytesOfRow = std::max<uint64_t>(lines_.place().byte / kRowsOfGuess, 1);
    if (devices_.size() == 1) devices_.begin()->second.expect(size_ / bytesOfRow + size_ / bytesOfRow / 16);
  }

  int64_t timeOf(const RmmRow& row) {
    if (row.clock == RmmClock::TimeOfDay) {
      if (const auto time = clock_.timeOf(row.time, lines_.behind())) return *time;
      unbelieved_.note(lines_.place());
      return EventRows::kNoTime;
    }
    isSinceEpoch_ = isSinceEpoch_ || row.time > kEpochFrom;
    return row.time;
  }

  uint32_t stackOf(const RmmRow& row) {
    if (!row.location.empty()) return stackOfLocation(row.location);
    if (!row.thread) return kNone;
    if (row.thread == lastThread_) return lastStack_;
    const auto [known, isNew] = stackOfThread_.try_emplace(*row.thread, kNone);
    if (isNew) {
      std::string name = "thread-";
      name += std::to_string(*row.thread);
      known->second = intern(trace_.strings.intern(name), trace_.strings.intern(""), 0);
    }
    lastThread_ = row.thread;
    return lastStack_ = known->second;
  }

  uint32_t stackOfLocation(std::string_view location) {
    const size_t colon = location.rfind(':');
    const auto line =
        colon == std::string_view::npos ? std::nullopt : parseDecimal(location.substr(colon + 1));
    const std::string file = repairUtf8(line ? location.substr(0, colon) : location);
    const bool isLine = line && *line <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
    return intern(trace_.strings.intern(""), trace_.strings.intern(file),
                  isLine ? static_cast<int32_t>(*line) : 0);
  }

  uint32_t intern(uint32_t name, uint32_t file, int32_t line) {
    const uint32_t frame = trace_.frames.intern(name, file, line);
    return trace_.stacks.intern({&frame, 1});
  }

  [[noreturn]] void refuse() const {
    if (unreadable_.count == 0 && events_ == 0 && !isCutOff_) {
      throw CaptureError(
          "capture-nothing-recorded", "This log of RMM holds its header and no row.",
          "Logs are written in batches: let the program end, or flush the log, and open it again.");
    }
    throw CaptureError("capture-damaged",
                       "No row of this log of RMM can be read; the first is in line " +
                           grouped(std::max<uint64_t>(unreadable_.first.line, 1)) + ".",
                       "It is damaged: copy or record it again.",
                       static_cast<int64_t>(unreadable_.first.byte));
  }

  std::string producer() const {
    if (eras_.hasLegacy) return "RAPIDS RMM 0.13 or older, by its columns";
    if (eras_.hasFailure) return "RAPIDS RMM 22.04 or later, by its actions";
    if (!eras_.hasThread) return "RAPIDS RMM 0.14, by its columns";
    return eras_.hasOldClock ? "RAPIDS RMM 0.15 to 0.19, by its times"
                             : "RAPIDS RMM 0.15 or later, by its columns";
  }

  void finish() {
    trace_.format = "rmm-log";
    trace_.producer = producer();
    uint64_t backwards = 0;
    for (auto& [ordinal, blocks] : devices_) {
      backwards += blocks.backwards();
      Device& device = trace_.devices.emplace_back();
      device.ordinal = ordinal;
      blocks.finish(device);
    }
    setClockOfRows(trace_, isSinceEpoch_);
    for (const auto& [ordinal, total] : totals_) {
      trace_.settings.emplace_back("total_memory_of_device_" + std::to_string(ordinal),
                                   std::to_string(total));
    }
    if (isCutOff_) warnOfCut(trace_, lines_.place());
    warnOfUnreadable(trace_, unreadable_, "row", "rows");
    for (const auto& [ordinal, blocks] : devices_) warnOfPlacement(blocks.oddities(), trace_);
    warnOfClock(trace_, backwards);
    warnOfOddity(trace_, unbelieved_, "time-apart",
                 "row is stamped far from the rows around it; it gets the time of the row before.",
                 "rows are stamped far from the rows around them; they get the times of the rows before.");
    warnOfKind();
  }

  void warnOfKind() {
    if (headers_ > 1) {
      trace_.warnings.push_back(
          {"rmm-several-logs",
           "This file holds " + grouped(headers_) + " logs one behind the other; they are shown as one.", -1,
           false});
    }
    if (reallocations_.count > 0) {
      trace_.warnings.push_back(
          {"rmm-realloc",
           counted(reallocations_.count, "row is", "rows are") +
               " Realloc, which names only where a block went: where it was before, it stays.",
           -1, false, static_cast<int64_t>(reallocations_.first.line)});
    }
    trace_.warnings.push_back({"no-segments",
                               "A log of RMM holds what was asked for, not the memory behind it: how much "
                               "was reserved, and what was free "
                               "between the blocks, is not known.",
                               -1, false});
  }

  static constexpr uint64_t kMostDevices = 1023;
  static constexpr uint64_t kRowsOfGuess = 4096;

  uint64_t size_;
  uint64_t events_ = 0;
  NumberedLines lines_;
  Trace trace_;
  std::map<int, PlacedBlocks> devices_;
  std::map<int, uint64_t> totals_;
  DayClock clock_;
  Eras eras_;
  uint64_t headers_ = 0;
  bool isSinceEpoch_ = false, isCutOff_ = false;
  TextOddity unreadable_, reallocations_, unbelieved_;
  std::unordered_map<uint64_t, uint32_t> stackOfThread_;
  std::optional<uint64_t> lastThread_;
  uint32_t lastStack_ = kNone;
};

}  // namespace

bool looksLikeRmmLog(std::span<const uint8_t> bytes) {
  constexpr size_t kSearched = 8 << 20;
  NumberedLines lines(bytes.subspan(0, std::min(bytes.size(), kSearched)), nullptr);
  while (lines.next()) {
    if (isRmmHeader(lines.line()) || parseRmmRow(lines.line())) return true;
  }
  return false;
}

Trace readRmmLog(std::span<const uint8_t> bytes, const Progress& progress) {
  return RmmReader(bytes, progress).run();
}

}  // namespace strata
