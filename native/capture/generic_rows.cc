#include "capture/generic_rows.h"

#include <algorithm>
#include <limits>

#include "capture/capture.h"
#include "capture/text.h"
#include "capture/text_numbers.h"
#include "capture/text_warnings.h"

namespace strata {
namespace {

/// Seconds above this are those since 1970, below it those since some start.
constexpr int64_t kEpochFrom = 100'000'000'000'000'000;
constexpr size_t kMostSettings = 256;

std::string trimmed(std::string_view text) {
  const size_t from = std::min(text.find_first_not_of(" \t"), text.size());
  return repairUtf8(text.substr(from, text.find_last_not_of(" \t") + 1 - from));
}

}  // namespace

void GenericRows::take(std::string_view line, const TextPlace& place, bool isEnded) {
  place_ = place;
  isEnded_ = isEnded;
  if (isGenericComment(line)) return takeComment(line);
  if (hasHeader_) return isJson_ ? takeJson(line) : takeCsv(line);
  hasHeader_ = true;
  isJson_ = line.front() == '{';
  if (isJson_) return takeJson(line);
  header_.read(line, fields_);
}

void GenericRows::take(const GenericValues& values, const TextPlace& place) {
  place_ = place;
  isEnded_ = true;
  take(understandGeneric(values));
}

void GenericRows::breakOff(const TextPlace& place, bool isDamage) {
  place_ = place;
  (isDamage ? isDamaged_ : isCutOff_) = true;
}

void GenericRows::takeComment(std::string_view line) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos || trace_.settings.size() >= kMostSettings) return;
  std::string name = trimmed(line.substr(1, equals - 1)), value = trimmed(line.substr(equals + 1));
  if (name == "producer") {
    trace_.producer = value;
  } else if (name == "recorded" && value == "live") {
    isRecordedLive_ = true;
  } else if (name == "ended") {
    hasEnd_ = true;
  } else if (name == "sizes" && value == "estimated") {
    areSizesEstimated_ = true;
  } else if (!name.empty()) {
    trace_.settings.emplace_back(std::move(name), std::move(value));
  }
}

void GenericRows::takeCsv(std::string_view line) {
  const bool isClosed = fields_.split(line, header_.separator());
  const bool isWhole = isClosed && (isEnded_ || fields_.count() >= header_.count());
  take(isWhole ? understandGeneric(header_.valuesOf(fields_)) : std::nullopt);
}

void GenericRows::takeJson(std::string_view line) {
  GenericValues values;
  take(readGenericJson(line, values, storage_) ? understandGeneric(values) : std::nullopt);
}

void GenericRows::take(const std::optional<GenericRow>& row) {
  const bool isUsable = row && canPlace(*row);
  if (isUsable) return add(*row);
  if (isEnded_) return unreadable_.note(place_);
  isCutOff_ = true;
}

/// Whether there are addresses is decided by the first row that could have one.
bool GenericRows::canPlace(const GenericRow& row) {
  switch (row.action) {
    case GenericAction::Allocate:
    case GenericAction::Free:
    case GenericAction::RequestFree:
    case GenericAction::TakeSegment:
    case GenericAction::ReturnSegment:
    case GenericAction::Hold:
    case GenericAction::HoldSegment:
      break;
    default:
      return true;
  }
  if (!hasAddresses_) hasAddresses_ = row.address.has_value();
  if (*hasAddresses_) return row.address.has_value();
  const bool needsNoAddress = row.action == GenericAction::Allocate || row.action == GenericAction::Free;
  return needsNoAddress && row.bytes != 0;
}

void GenericRows::add(const GenericRow& row) {
  if (row.action == GenericAction::Gap) return addGap(row);
  ++usable_;
  DeviceRows& rows = devices_[{row.kind, row.ordinal}];
  place(rows, row);
  if (!rows.openGaps.empty()) closeGaps(rows);
}

uint64_t GenericRows::events() const {
  uint64_t count = 0;
  for (const auto& [key, rows] : devices_) count += static_cast<uint64_t>(rows.lastEvent() + 1);
  return count;
}

void GenericRows::place(DeviceRows& rows, const GenericRow& row) {
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
    case GenericAction::Hold:
    case GenericAction::HoldSegment:
      return hold(rows, entry, row);
    case GenericAction::Free:
    case GenericAction::RequestFree:
      return free(rows, entry, row.action);
    case GenericAction::TakeSegment:
      entry.action = Action::SegmentAlloc;
      return rows.placed.takeSegment(entry, row.region.value_or(Region::Pooled), place_);
    case GenericAction::ReturnSegment:
      entry.action = Action::SegmentFree;
      return rows.placed.returnSegment(entry, row.region.value_or(Region::Pooled), place_);
    case GenericAction::Failure:
      entry.action = Action::OutOfMemory;
      entry.address = row.deviceFree;
      note(rows, entry);
      return;
    default:
      return annotate(rows, entry, row.action);
  }
}

/// Drawn on every device it concerns, from the last event before it to the first behind it: what happened in
/// between is not known.
void GenericRows::addGap(const GenericRow& row) {
  gaps_.note(place_);
  dropped_ += row.dropped.value_or(0);
  std::string name = "gap: ";
  name += row.dropped ? counted(*row.dropped, "event", "events") : "an unknown number of events";
  name += " missing";
  if (!row.label.empty()) name.append(" (").append(repairUtf8(row.label)).append(")");
  const uint32_t label = trace_.strings.intern(name);
  for (auto& [key, rows] : devices_) {
    if (row.isDeviceSaid && key != std::pair(row.kind, row.ordinal)) continue;
    rows.spans.begin(label, std::max(rows.lastEvent(), 0));
    rows.openGaps.push_back(label);
  }
}

void GenericRows::closeGaps(DeviceRows& rows) {
  const bool isBeforeAny = rows.lastEvent() < 0;
  if (isBeforeAny) return;
  for (const uint32_t label : rows.openGaps) rows.spans.end(label, rows.lastEvent());
  rows.openGaps.clear();
}

void GenericRows::hold(DeviceRows& rows, const EventRows::Entry& entry, const GenericRow& row) {
  if (row.action == GenericAction::HoldSegment) {
    return rows.placed.holdSegment(entry, row.region.value_or(Region::Pooled), place_);
  }
  ++held_;
  rows.placed.hold(entry, row.requested.value_or(entry.bytes), place_, row.region);
}

void GenericRows::free(DeviceRows& rows, EventRows::Entry entry, GenericAction action) {
  if (action == GenericAction::RequestFree) {
    entry.action = Action::FreeRequested;
    return rows.placed.requestFree(entry, place_);
  }
  entry.action = Action::Free;
  if (hasAddresses_.value_or(false)) return rows.placed.free(entry, place_);
  rows.totals.free(entry, place_);
}

void GenericRows::allocate(DeviceRows& rows, const EventRows::Entry& entry, const GenericRow& row) {
  if (!hasAddresses_.value_or(false)) {
    return rows.totals.allocate(entry, place_);
  }
  const uint64_t requested = row.requested.value_or(entry.bytes);
  if (requested > entry.bytes) requestedTooLarge_.note(place_);
  rows.placed.allocate(entry, requested, place_, row.region);
}

EventIndex GenericRows::note(DeviceRows& rows, const EventRows::Entry& entry) {
  return hasAddresses_.value_or(true) ? rows.placed.note(entry) : rows.totals.note(entry);
}

void GenericRows::annotate(DeviceRows& rows, EventRows::Entry entry, GenericAction action) {
  entry.action = Action::Annotate;
  entry.address = entry.bytes = 0;
  const EventIndex event = note(rows, entry);
  const uint32_t name = entry.label == kNone ? trace_.strings.intern("") : entry.label;
  if (action == GenericAction::Begin) rows.spans.begin(name, event);
  if (action == GenericAction::End && !rows.spans.end(entry.label, event)) unopened_.note(place_);
}

/// Frames are separated by semicolons, innermost first. Rows often repeat the stack of the one before.
uint32_t GenericRows::stackOf(std::string_view text) {
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
uint32_t GenericRows::frameOf(std::string_view text) {
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

void GenericRows::refuse() const {
  if (unreadable_.count == 0 && usable_ == 0 && !isCutOff_) {
    throw CaptureError("capture-nothing-recorded", "This file holds a header and no row.",
                       "Write a row for each allocation and free, and flush the file before it is copied.");
  }
  throw CaptureError("capture-damaged",
                     "No row of this file can be read; the first is in line " +
                         grouped(unreadable_.count > 0 ? unreadable_.first.line : place_.line) + ".",
                     "Compare it with the format's description, native/capture/GENERIC.md.",
                     static_cast<int64_t>(unreadable_.first.byte));
}

Trace GenericRows::finish() {
  std::erase_if(devices_, [](const auto& entry) { return entry.second.isEmpty(); });
  if (devices_.empty()) refuse();
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
    if (!areSizesEstimated_) continue;
    device.exactness.verdict = Exactness::Verdict::Estimated;
    device.exactness.code = "sizes-estimated";
    device.exactness.firstMismatch = 0;
    device.exactness.because =
        "The program told what was asked for; what each block takes up is that, rounded up, and may be more.";
  }
  setClockOfRows(trace_, isSinceEpoch_);
  size_t at = 0;
  for (auto& [key, rows] : devices_) rows.spans.finish(trace_.devices[at++], trace_);
  warn(backwards);
  return std::move(trace_);
}

void GenericRows::warn(uint64_t backwards) {
  if (isCutOff_) warnOfCut(trace_, place_);
  if (isDamaged_) {
    trace_.isComplete = false;
    trace_.warnings.push_back(
        {"capture-damaged",
         "The file is no JSON from line " + grouped(place_.line) + " on; the rows before are shown.",
         static_cast<int64_t>(place_.byte), true, static_cast<int64_t>(place_.line)});
  }
  warnOfUnreadable(trace_, unreadable_, "row", "rows");
  warnOfRecording();
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

/// What is missing of a recording that was made while the program ran.
void GenericRows::warnOfRecording() {
  if (gaps_.count > 0) {
    const std::string events =
        dropped_ > 0 ? counted(dropped_, "event is", "events are") : "An unknown number of events is";
    trace_.warnings.push_back({"events-missing",
                               events + " missing in " + counted(gaps_.count, "gap", "gaps") +
                                   ", as the program said that made the recording.",
                               static_cast<int64_t>(gaps_.first.byte), true,
                               static_cast<int64_t>(gaps_.first.line)});
  }
  if (isRecordedLive_ && !hasEnd_ && !isGrowing_) {
    trace_.warnings.push_back({"recording-unfinished",
                               "The recording has no end: Strata stopped while it was made. What had "
                               "arrived is shown.",
                               -1, false});
  }
}

}  // namespace strata
