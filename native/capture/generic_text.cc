#include "capture/generic_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "capture/capture.h"
#include "capture/generic_row.h"
#include "capture/placed_blocks.h"
#include "capture/running_totals.h"
#include "capture/span_annotations.h"
#include "capture/text.h"
#include "capture/text_numbers.h"
#include "capture/text_warnings.h"

namespace strata {
namespace {

/// Seconds above this are those since 1970, below it those since some start.
constexpr int64_t kEpochFrom = 100'000'000'000'000'000;

bool isComment(std::string_view line) { return line.empty() || line.front() == '#'; }

struct DeviceRows {
  PlacedBlocks placed;
  RunningTotals totals;
  SpanAnnotations spans;

  /// Of no row that could be used.
  bool isEmpty() const { return placed.eventCount() == 0 && totals.eventCount() == 0; }
};

class GenericReader {
 public:
  GenericReader(std::span<const uint8_t> bytes, const Progress& progress)
      : lines_(bytes, pauseWith(progress, bytes.size(), events_)) {}

  Trace run() {
    bool hasHeader = false, isJson = false;
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (isComment(line)) {
        takeComment(line);
      } else if (!hasHeader) {
        hasHeader = true;
        isJson = line.front() == '{';
        if (isJson) {
          takeJson(line);
        } else {
          fields_.split(line);
          header_.read(fields_);
        }
      } else {
        isJson ? takeJson(line) : takeCsv(line);
      }
    }
    std::erase_if(devices_, [](const auto& entry) { return entry.second.isEmpty(); });
    if (devices_.empty()) refuse();
    finish();
    return std::move(trace_);
  }

 private:
  void takeComment(std::string_view line) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || trace_.settings.size() >= kMostSettings) return;
    const auto trimmed = [](std::string_view text) {
      const size_t from = std::min(text.find_first_not_of(" \t"), text.size());
      return repairUtf8(text.substr(from, text.find_last_not_of(" \t") + 1 - from));
    };
    std::string name = trimmed(line.substr(1, equals - 1)), value = trimmed(line.substr(equals + 1));
    if (name == "producer") {
      trace_.producer = value;
    } else if (!name.empty()) {
      trace_.settings.emplace_back(std::move(name), std::move(value));
    }
  }

  void takeCsv(std::string_view line) {
    const bool isClosed = fields_.split(line);
    const bool isWhole = isClosed && (lines_.isEnded() || fields_.count() >= header_.count());
    take(isWhole ? understandGeneric(header_.valuesOf(fields_)) : std::nullopt);
  }

  void takeJson(std::string_view line) {
    GenericValues values;
    take(readGenericJson(line, values, storage_) ? understandGeneric(values) : std::nullopt);
  }

  void take(const std::optional<GenericRow>& row) {
    const bool isUsable = row && canPlace(*row);
    if (isUsable) return add(*row);
    if (lines_.isEnded()) return unreadable_.note(lines_.place());
    isCutOff_ = true;
  }

  /// Whether there are addresses is decided by the first row that could have one.
  bool canPlace(const GenericRow& row) {
    const bool isBlock = row.action == GenericAction::Allocate || row.action == GenericAction::Free;
    const bool isSegment =
        row.action == GenericAction::TakeSegment || row.action == GenericAction::ReturnSegment;
    if (!isBlock && !isSegment) return true;
    if (!hasAddresses_) hasAddresses_ = row.address.has_value();
    if (*hasAddresses_) return row.address.has_value();
    return isBlock && row.bytes != 0;
  }

  void add(const GenericRow& row) {
    ++events_;
    DeviceRows& rows = devices_[{row.kind, row.ordinal}];
    EventRows::Entry entry;
    entry.address = row.address.value_or(0);
    entry.bytes = row.bytes;
    entry.stream = row.stream;
    entry.time = row.time.value_or(EventRows::kNoTime);
    entry.stack = stackOf(row.stack);
    entry.label = row.label.empty() ? kNone : trace_.strings.intern(repairUtf8(row.label));
    isSinceEpoch_ = isSinceEpoch_ || row.time.value_or(0) > kEpochFrom;
    switch (row.action) {
      case GenericAction::Allocate:
        entry.action = Action::Alloc;
        return allocate(rows, entry, row);
      case GenericAction::Free:
        entry.action = Action::Free;
        if (hasAddresses_.value_or(false)) return rows.placed.free(entry, lines_.place());
        return rows.totals.free(entry, lines_.place());
      case GenericAction::TakeSegment:
        entry.action = Action::SegmentAlloc;
        return rows.placed.takeSegment(entry, row.region.value_or(Region::Pooled), lines_.place());
      case GenericAction::ReturnSegment:
        entry.action = Action::SegmentFree;
        return rows.placed.returnSegment(entry, row.region.value_or(Region::Pooled), lines_.place());
      case GenericAction::Failure:
        entry.action = Action::OutOfMemory;
        entry.address = row.deviceFree;
        note(rows, entry);
        return;
      default:
        return annotate(rows, entry, row.action);
    }
  }

  void allocate(DeviceRows& rows, const EventRows::Entry& entry, const GenericRow& row) {
    if (!hasAddresses_.value_or(false)) {
      return rows.totals.allocate(entry, lines_.place());
    }
    const uint64_t requested = row.requested.value_or(entry.bytes);
    if (requested > entry.bytes) requestedTooLarge_.note(lines_.place());
    rows.placed.allocate(entry, requested, lines_.place(), row.region);
  }

  EventIndex note(DeviceRows& rows, const EventRows::Entry& entry) {
    return hasAddresses_.value_or(true) ? rows.placed.note(entry) : rows.totals.note(entry);
  }

  void annotate(DeviceRows& rows, EventRows::Entry entry, GenericAction action) {
    entry.action = Action::Annotate;
    entry.address = entry.bytes = 0;
    const EventIndex event = note(rows, entry);
    const uint32_t name = entry.label == kNone ? trace_.strings.intern("") : entry.label;
    if (action == GenericAction::Begin) rows.spans.begin(name, event);
    if (action == GenericAction::End && !rows.spans.end(entry.label, event)) unopened_.note(lines_.place());
  }

  /// Frames are separated by semicolons, innermost first. Rows often repeat the stack of the one before.
  uint32_t stackOf(std::string_view text) {
    if (text.empty()) return kNone;
    if (text == lastStackText_) return lastStack_;
    lastStackText_ = text;
    frames_.clear();
    while (!text.empty()) {
      const size_t end = std::min(text.find(';'), text.size());
      if (end > 0) frames_.push_back(frameOf(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lastStack_ = trace_.stacks.intern(frames_);
  }

  /// "function (file:line)", "file:line" or "function".
  uint32_t frameOf(std::string_view text) {
    const size_t bracket = text.ends_with(')') ? text.rfind(" (") : std::string_view::npos;
    std::string_view name, place = text;
    if (bracket != std::string_view::npos) {
      name = text.substr(0, bracket);
      place = text.substr(bracket + 2, text.size() - bracket - 3);
    }
    const size_t colon = place.rfind(':');
    const auto line = colon == std::string_view::npos ? std::nullopt : parseDecimal(place.substr(colon + 1));
    const bool isPlace = line && *line <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
    if (!isPlace) name = text;
    const std::string_view file = isPlace ? place.substr(0, colon) : std::string_view();
    return trace_.frames.intern(trace_.strings.intern(repairUtf8(name)),
                                trace_.strings.intern(repairUtf8(file)),
                                isPlace ? static_cast<int32_t>(*line) : 0);
  }

  [[noreturn]] void refuse() const {
    if (unreadable_.count == 0 && events_ == 0 && !isCutOff_) {
      throw CaptureError("capture-nothing-recorded", "This file holds a header and no row.",
                         "Write a row for each allocation and free, and flush the file before it is copied.");
    }
    throw CaptureError("capture-damaged",
                       "No row of this file can be read; the first is in line " +
                           grouped(unreadable_.count > 0 ? unreadable_.first.line : lines_.place().line) +
                           ".",
                       "Compare it with the format's description, native/capture/GENERIC.md.",
                       static_cast<int64_t>(unreadable_.first.byte));
  }

  void finish() {
    trace_.format = "generic-events";
    if (trace_.producer.empty()) trace_.producer = "an allocator that does not say its name";
    uint64_t backwards = 0;
    const bool isPlaced = hasAddresses_.value_or(true);
    for (auto& [key, rows] : devices_) {
      backwards += isPlaced ? rows.placed.backwards() : rows.totals.backwards();
      Device& device = trace_.devices.emplace_back();
      device.kind = key.first;
      device.ordinal = key.second;
      isPlaced ? rows.placed.finish(device) : rows.totals.finish(device);
    }
    setClockOfRows(trace_, isSinceEpoch_);
    size_t at = 0;
    for (auto& [key, rows] : devices_) rows.spans.finish(trace_.devices[at++], trace_);
    warn(backwards);
  }

  void warn(uint64_t backwards) {
    if (isCutOff_) warnOfCut(trace_, lines_.place());
    warnOfUnreadable(trace_, unreadable_, "row", "rows");
    bool hasNoSegments = false;
    for (const auto& [key, rows] : devices_) {
      warnOfPlacement(rows.placed.oddities(), trace_);
      warnOfImpossible(rows.totals.impossible(), trace_);
    }
    for (const Device& device : trace_.devices) hasNoSegments |= device.layout == DeviceLayout::Blocks;
    warnOfClock(trace_, backwards);
    const auto say = [&](const TextOddity& oddity, const char* code, const char* one, const char* many) {
      if (oddity.count == 0) return;
      trace_.warnings.push_back(
          {code, counted(oddity.count, one, many), -1, false, static_cast<int64_t>(oddity.first.line)});
    };
    say(requestedTooLarge_, "request-too-large", "row asks for more than it got; the request is cut to that.",
        "rows ask for more than they got; the request is cut to that.");
    say(unopened_, "span-not-open", "end of a span that never began; it is left out.",
        "ends of spans that never began; they are left out.");
    if (!hasAddresses_.value_or(true)) {
      trace_.warnings.push_back(
          {"no-addresses",
           "The rows have no addresses: only totals are known, not which block lay where or how "
           "long it lived. For a map, write the column address.",
           -1, false});
    } else if (hasNoSegments) {
      trace_.warnings.push_back(
          {"no-segments",
           "There are no rows segment_alloc: how much was reserved, and what was free between "
           "the blocks, is not known.",
           -1, false});
    }
  }

  static constexpr size_t kMostSettings = 256;

  uint64_t events_ = 0;
  NumberedLines lines_;
  Trace trace_;
  CsvFields fields_;
  GenericHeader header_;
  std::deque<std::string> storage_;
  std::map<std::pair<DeviceKind, int>, DeviceRows> devices_;
  std::optional<bool> hasAddresses_;
  bool isSinceEpoch_ = false, isCutOff_ = false;
  TextOddity unreadable_, requestedTooLarge_, unopened_;
  std::string lastStackText_;
  uint32_t lastStack_ = kNone;
  std::vector<uint32_t> frames_;
};

}  // namespace

bool looksLikeGeneric(std::span<const uint8_t> bytes) {
  constexpr size_t kSearched = 1 << 20;
  NumberedLines lines(bytes.subspan(0, std::min(bytes.size(), kSearched)), nullptr);
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (isComment(line)) continue;
    if (line.front() != '{') {
      CsvFields fields;
      return fields.split(line) && GenericHeader().read(fields);
    }
    GenericValues values;
    std::deque<std::string> storage;
    return readGenericJson(line, values, storage) && values.has(GenericField::Action);
  }
  return false;
}

Trace readGeneric(std::span<const uint8_t> bytes, const Progress& progress) {
  return GenericReader(bytes, progress).run();
}

}  // namespace strata
