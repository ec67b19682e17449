#include "capture/bfc_log.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "capture/bfc_async.h"
#include "capture/bfc_compare.h"
#include "capture/bfc_open_dumps.h"
#include "capture/bfc_search.h"
#include "capture/bfc_timeline.h"
#include "capture/log_clock.h"
#include "capture/possible_memory.h"
#include "capture/text.h"
#include "capture/text_lines.h"

namespace strata {
namespace {

using namespace bfc;

constexpr size_t kProgressStep = size_t{16} << 20;

/// Lines without a word of their own that may still belong to a dump: statistics, tables shortened by hand.
constexpr int kPatience = 512;

/// More devices than any machine has allocators; a made-up log could name millions.
constexpr size_t kMostAllocators = 256;

/// The project whose allocator it is, and the file that the messages name.
std::string describeSource(const std::string& source) {
  if (source.empty()) return "TensorFlow, XLA or JAX";
  const bool isOnnx = source.find("bfc_arena") != std::string::npos;
  const bool isXla = source.find("xla") != std::string::npos;
  return (isOnnx ? "ONNX Runtime (" : isXla ? "XLA (" : "TensorFlow (") + repairUtf8(source) + ")";
}

class LogReader {
 public:
  LogReader(std::span<const uint8_t> bytes, const Progress& progress)
      : lines_(bytes), progress_(progress), openDumps_(warnings_) {}

  std::optional<Trace> read(size_t from);

 private:
  bool findNext();
  void report(size_t done);
  void take(const TextLine& line);
  void dispatch(const Message& message);
  bool takeStackLine(std::string_view text);
  bool isPossible(uint64_t address, uint64_t bytes, const Place& place);
  void finishCall();
  void closeDump(std::unique_ptr<Dump> dump);
  void keepFacts(const Dump& dump);
  void finishAsync();
  Timeline* timelineOf(std::string_view name);
  Timeline* growing();
  void setting(const std::string& name, const std::string& value);
  std::optional<Trace> finish();

  TextLines lines_;
  const Progress& progress_;
  Trace trace_;
  LogWarnings warnings_;
  OpenDumps openDumps_;
  std::vector<std::unique_ptr<Timeline>> timelines_;
  std::map<std::string, std::string> settings_;
  std::optional<AsyncFailureReport> async_;
  Message call_;  ///< an allocation or a free whose stack is still being read
  Place callPlace_;
  std::vector<uint32_t> callStack_;
  std::string extending_, source_, lastFailed_;
  Place place_;
  size_t reported_ = 0;
  int patience_ = 0;
  uint64_t benign_ = 0, tooMany_ = 0;
};

void LogReader::report(size_t done) {
  if (done - reported_ < kProgressStep) return;
  reported_ = done;
  uint64_t events = 0;
  for (const auto& timeline : timelines_) events += timeline->eventCount();
  if (progress_ && !progress_("read", done, lines_.text().size(), events)) throw Cancelled();
}

/// Goes to the next line with one of the words; false at the end.
bool LogReader::findNext() {
  const std::string_view text = lines_.text();
  for (size_t from = lines_.offset(); from < text.size();) {
    const size_t to = std::min(text.size(), from + kProgressStep);
    const size_t found = findAllocatorWord(text, from, to);
    if (found != std::string_view::npos) {
      lines_.skipTo(found);
      return true;
    }
    report(to);
    if (to == text.size()) return false;
    from = to - 8;  // a word may lie across the border
  }
  return false;
}

std::optional<Trace> LogReader::read(size_t from) {
  lines_.skipTo(from);
  TextLine line;
  while (patience_ > 0 || findNext()) {
    if (!lines_.next(line)) break;
    take(line);
    report(lines_.offset());
  }
  return finish();
}

void LogReader::take(const TextLine& line) {
  if (call_.index() != 0) {
    if (takeStackLine(line.text)) return;
    finishCall();
  }
  const Message message = parseMessage(line.text);
  const bool isWaiting = !openDumps_.isEmpty() || async_;
  patience_ = isWaiting ? patience_ - 1 : 0;
  if (message.index() == 0) {
    openDumps_.endStats(line.text.empty());
    return;
  }
  place_.line = lines_.numberOf(line.offset);
  place_.byte = line.offset;
  if (const auto time = timeIn(line.text)) place_.time = time;
  if (source_.empty()) source_ = sourceOf(line.text);
  dispatch(message);
  if (!openDumps_.isEmpty() || async_ || call_.index() != 0) patience_ = kPatience;
}

/// Whether the line is part of the stack of the call before it.
bool LogReader::takeStackLine(std::string_view text) {
  constexpr size_t kMostFrames = 256;
  if (text.find("*** End stack trace ***") != std::string_view::npos) {
    finishCall();
    return true;
  }
  if (!text.starts_with('\t') && !text.starts_with("  ")) return false;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const bool isOwn = text.find("CurrentStackTrace") != std::string_view::npos ||
                     text.find("BFCAllocator") != std::string_view::npos;
  if (text.empty() || isOwn || callStack_.size() >= kMostFrames) return true;
  constexpr size_t kLongestName = 1024;
  const uint32_t name = trace_.strings.intern(repairUtf8(text.substr(0, kLongestName)));
  callStack_.push_back(trace_.frames.intern(name, trace_.strings.intern(""), 0));
  return true;
}

void LogReader::finishCall() {
  const uint32_t stack = callStack_.empty() ? kNone : trace_.stacks.intern(callStack_);
  const Message call = std::exchange(call_, {});
  callStack_.clear();
  if (const auto* allocated = std::get_if<Allocate>(&call)) {
    const bool isRefused = allocated->address == 0;
    if (isRefused || !isPossible(allocated->address, allocated->bytes, callPlace_)) return;
    if (Timeline* timeline = timelineOf(allocated->allocator))
      timeline->allocate(*allocated, stack, callPlace_);
  } else if (const auto* freed = std::get_if<Deallocate>(&call)) {
    if (!isPossible(freed->address.value_or(0), freed->bytes, callPlace_)) return;
    if (Timeline* timeline = timelineOf(freed->allocator)) timeline->deallocate(*freed, stack, callPlace_);
  }
}

bool LogReader::isPossible(uint64_t address, uint64_t bytes, const Place& place) {
  if (isPossibleExtent(address, bytes)) return true;
  warnings_.add("bfc-event-impossible",
                "Left out, because no memory has this size and address: \"" + grouped(bytes) + " bytes at " +
                    hexadecimal(address) + "\".",
                place.line, true);
  return false;
}

void LogReader::dispatch(const Message& message) {
  if (async_ && async_->take(message)) return;
  if (std::holds_alternative<Allocate>(message) || std::holds_alternative<Deallocate>(message)) {
    const auto* allocated = std::get_if<Allocate>(&message);
    const auto* freed = std::get_if<Deallocate>(&message);
    call_ = message;
    callPlace_ = place_;
    if (!(allocated ? allocated->hasStack : freed->hasStack)) finishCall();
  } else if (const auto* extending = std::get_if<Extending>(&message)) {
    extending_ = extending->allocator;
  } else if (const auto* extended = std::get_if<Extended>(&message)) {
    const std::string name = std::exchange(extending_, {});
    if (!isPossible(extended->from, extended->to - extended->from, place_)) return;
    if (Timeline* timeline = name.empty() ? growing() : timelineOf(name))
      timeline->extend(extended->from, extended->to, place_);
  } else if (std::holds_alternative<RegionsReturned>(message)) {
    if (Timeline* timeline = growing()) timeline->returnRegions(place_);
  } else if (const auto* refused = std::get_if<TensorRefused>(&message)) {
    for (auto& dump : openDumps_.closeNamed(refused->allocator)) closeDump(std::move(dump));
    for (const auto& timeline : timelines_)
      if (timeline->name() == refused->allocator) timeline->describeFailure(*refused);
  } else if (const auto* failure = std::get_if<AsyncFailure>(&message)) {
    finishAsync();
    async_.emplace(*failure, place_);
  } else if (const auto* benign = std::get_if<Failure>(&message); benign && benign->isBenign) {
    ++benign_;
  } else {
    for (auto& dump : openDumps_.take(message, place_)) closeDump(std::move(dump));
  }
}

void LogReader::closeDump(std::unique_ptr<Dump> dump) {
  dump->close(warnings_);
  if (!dump->runs.empty() && !dump->isPastChunks) {
    warnings_.add("bfc-dump-cut", "The log breaks off inside the dump of " + describe(*dump) + ".",
                  dump->lastLine, true);
    dump->isWhole = false;
  } else if (dump->runs.empty() && dump->hasFailed) {
    warnings_.add("bfc-no-chunks", "The request failed, but no chunks of " + describe(*dump) + " follow.",
                  dump->place.line, !dump->bins.empty());
  }
  compareStatements(*dump, warnings_);
  if (Timeline* timeline = timelineOf(dump->allocator)) {
    timeline->addDump(*dump);
    keepFacts(*dump);
  }
}

void LogReader::setting(const std::string& name, const std::string& value) { settings_[name] = value; }

/// Whether a setting is a row of the tables of an allocator's dump; those of the last dump count.
bool isOfTable(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return name.starts_with("bin_") || name.starts_with("in_use_") || name == "occupancy";
}

/// What a dump states of its allocator, for the settings; the last one counts.
void LogReader::keepFacts(const Dump& dump) {
  const std::string prefix = (dump.allocator.empty() ? "bfc" : repairUtf8(dump.allocator)) + ".";
  for (const auto& [name, value] : dump.stats) {
    const bool isZero = value.first == 0 && name != "InUse" && name != "Limit";
    if (!isZero) setting(prefix + name, std::to_string(value.first));
  }
  if (dump.totals) {
    setting(prefix + "memory_limit", std::to_string(dump.totals->limit));
    setting(prefix + "pool_bytes", std::to_string(dump.totals->pool));
    if (dump.totals->next != 0) setting(prefix + "next_region_bytes", std::to_string(dump.totals->next));
  }
  std::erase_if(settings_, [&](const auto& entry) { return isOfTable(entry.first, prefix); });
  for (const auto& [name, value] : tablesOf(dump)) setting(prefix + name, value);
  if (dump.hasFailed && !dump.requestText.empty())
    setting(prefix + "last_failed_request", repairUtf8(dump.requestText));
}

void LogReader::finishAsync() {
  if (!async_) return;
  const AsyncFailureReport report = *std::exchange(async_, std::nullopt);
  Timeline* timeline = timelineOf(report.allocator());
  if (timeline == nullptr) return;
  timeline->isCensus = true;
  timeline->addDump(report.asDump(warnings_));
  for (const auto& [name, value] : report.facts())
    setting(repairUtf8(report.allocator()) + "." + name, std::to_string(value));
}

Timeline* LogReader::timelineOf(std::string_view name) {
  for (const auto& timeline : timelines_)
    if (timeline->name() == name) return timeline.get();
  if (timelines_.size() == kMostAllocators) {
    ++tooMany_;
    return nullptr;
  }
  timelines_.push_back(std::make_unique<Timeline>(trace_, repairUtf8(name.substr(0, 128))));
  return timelines_.back().get();
}

/// For lines that name no allocator: the only one there is.
Timeline* LogReader::growing() { return timelines_.size() == 1 ? timelines_.front().get() : nullptr; }

std::optional<Trace> LogReader::finish() {
  finishCall();
  finishAsync();
  for (auto& dump : openDumps_.closeAll()) closeDump(std::move(dump));
  std::erase_if(timelines_, [](const auto& timeline) { return timeline->isEmpty(); });
  if (timelines_.empty()) return std::nullopt;
  std::optional<int64_t> origin;
  bool hasClock = true;
  for (const auto& timeline : timelines_) {
    const auto first = timeline->firstTime();
    hasClock = hasClock && first.has_value();
    if (first) origin = std::min(origin.value_or(*first), *first);
  }
  if (!hasClock) origin.reset();
  std::set<std::pair<DeviceKind, int>> taken;
  for (const auto& timeline : timelines_) {
    Device device = timeline->finish(origin);
    warnOfPlacement(timeline->oddities(), trace_);
    while (!taken.insert({device.kind, device.ordinal}).second) ++device.ordinal;
    trace_.isComplete = trace_.isComplete && device.isEventListComplete;
    trace_.devices.push_back(std::move(device));
  }
  std::stable_sort(trace_.devices.begin(), trace_.devices.end(), [](const Device& a, const Device& b) {
    return std::pair(a.kind, a.ordinal) < std::pair(b.kind, b.ordinal);
  });
  trace_.format = "tensorflow-log";
  trace_.producer = describeSource(source_);
  trace_.hasClock = hasClock;
  trace_.hasOrigin = false;  // local time, of a zone that the log does not name
  if (benign_ != 0) setting("requests_refused_without_failing", std::to_string(benign_));
  if (origin) setting("first_entry_local_time", localTime(*origin));
  for (auto& entry : settings_) trace_.settings.push_back(entry);
  if (tooMany_ != 0)
    warnings_.add("bfc-too-many-allocators",
                  "Left out: " + counted(tooMany_, "line", "lines") + " of allocators beyond the first " +
                      std::to_string(kMostAllocators) + ".",
                  -1, true);
  warnings_.moveTo(trace_);
  return std::move(trace_);
}

}  // namespace

std::optional<size_t> findBfcLine(std::span<const uint8_t> bytes, const Progress& progress) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.size(), from + kProgressStep);
    const size_t found = findAllocatorWord(text, from, to);
    if (found != std::string_view::npos) return found;
    if (progress && !progress("read", to, text.size(), 0)) throw Cancelled();
    if (to == text.size()) break;
    from = to - 8;
  }
  return std::nullopt;
}

std::optional<Trace> readBfcLog(std::span<const uint8_t> bytes, size_t from, const Progress& progress) {
  return LogReader(bytes, progress).read(from);
}

}  // namespace strata
