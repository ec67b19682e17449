#include "capture/kineto_trace.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "capture/capture.h"
#include "capture/kineto_events.h"
#include "capture/placed_blocks.h"
#include "capture/running_totals.h"
#include "capture/text.h"
#include "capture/text_warnings.h"

namespace strata {
namespace {

/// Nanoseconds above this are those since 1970.
constexpr int64_t kEpochFrom = 100'000'000'000'000'000;

constexpr char kHowToRecord[] =
    "Record it with torch.profiler.profile(profile_memory=True, with_stack=True) around the part that "
    "matters.";

/// Source: c10/core/DeviceType.h of PyTorch.
DeviceKind kindOf(int32_t deviceType) {
  switch (deviceType) {
    case 0:
      return DeviceKind::Host;
    case 1:
      return DeviceKind::Cuda;
    case 12:
      return DeviceKind::Xpu;
    default:
      return DeviceKind::Unknown;
  }
}

using DeviceKey = std::pair<DeviceKind, int>;

DeviceKey keyOf(const KinetoMemory& memory) {
  return {kindOf(memory.deviceType), std::max(0, memory.deviceId)};
}

struct DeviceRows {
  PlacedBlocks placed;
  RunningTotals totals;
  size_t count = 0;
  bool hasAddresses = true;
  bool hasTotals = false;
  uint64_t running = 0;         ///< allocated minus freed since the recording began, modulo 2^64
  int64_t mostUnexplained = 0;  ///< of what the profiler states as allocated
};

class Assembly {
 public:
  Assembly(KinetoEvents& events, Trace& trace) : events_(events), trace_(trace) {}

  void run() {
    auto& events = events_.memory;
    const auto isEarlier = [](const KinetoMemory& a, const KinetoMemory& b) { return a.time < b.time; };
    if (!std::is_sorted(events.begin(), events.end(), isEarlier))
      std::stable_sort(events.begin(), events.end(), isEarlier);
    for (const KinetoMemory& memory : events) {
      DeviceRows& rows = rowsOf(memory);
      ++rows.count;
      if (!memory.isFailure) rows.hasAddresses = rows.hasAddresses && memory.hasAddress;
    }
    attribute();
    for (auto& [key, rows] : devices_) {
      if (rows.hasAddresses) rows.placed.expect(rows.count);
    }
    for (size_t i = 0; i < events_.memory.size(); ++i) add(events_.memory[i], moments_[i].stack);
    moments_ = {};
    finish();
  }

 private:
  DeviceRows& rowsOf(const KinetoMemory& memory) {
    const DeviceKey key = keyOf(memory);
    if (lastRows_ == nullptr || key != lastKey_) lastRows_ = &devices_[key];
    lastKey_ = key;
    return *lastRows_;
  }

  void attribute() {
    events_.spans.sort();
    moments_.reserve(events_.memory.size());
    for (const KinetoMemory& memory : events_.memory) moments_.push_back({memory.thread, memory.time, kNone});
    events_.spans.attribute(moments_, trace_);
  }

  void add(const KinetoMemory& memory, uint32_t stack) {
    DeviceRows& rows = rowsOf(memory);
    EventRows::Entry entry;
    entry.time = memory.time;
    entry.stack = stack;
    entry.address = memory.address;
    entry.bytes = static_cast<uint64_t>(memory.bytes < 0 ? -memory.bytes : memory.bytes);
    if (memory.isFailure) {
      entry.action = Action::OutOfMemory;
      entry.address = kUnknownBytes;
      rows.hasAddresses ? rows.placed.note(entry) : rows.totals.note(entry);
      return;
    }
    const bool isFree = memory.bytes < 0;
    entry.action = isFree ? Action::Free : Action::Alloc;
    if (!rows.hasAddresses) {
      entry.address = 0;
      isFree ? rows.totals.free(entry, {}) : rows.totals.allocate(entry, {});
    } else if (isFree) {
      rows.placed.free(entry, {});
    } else {
      rows.placed.allocate(entry, entry.bytes, {});
    }
    compare(rows, memory);
  }

  /// What the profiler states beyond what its events add up to was there before, and is not in the events.
  void compare(DeviceRows& rows, const KinetoMemory& memory) {
    rows.running += static_cast<uint64_t>(memory.bytes);
    if (memory.allocated == kUnknownBytes || memory.allocated > (uint64_t{1} << 62)) return;
    rows.hasTotals = true;
    rows.mostUnexplained =
        std::max(rows.mostUnexplained, static_cast<int64_t>(memory.allocated - rows.running));
  }

  void finish() {
    for (auto& [key, rows] : devices_) {
      Device& device = trace_.devices.emplace_back();
      device.kind = key.first;
      device.ordinal = key.second;
      backwards_ += rows.hasAddresses ? rows.placed.backwards() : rows.totals.backwards();
      rows.hasAddresses ? rows.placed.finish(device) : rows.totals.finish(device);
      // A GPU's caching allocator tells the profiler how large the block is, the host's what was asked for.
      device.areRequestsKnown = device.kind == DeviceKind::Host;
    }
    const int64_t first = firstMoment();
    const bool hasOrigin = events_.baseNs > 0 || first > kEpochFrom;
    setClockOfRows(trace_, hasOrigin, first);
    trace_.hasClock = true;
    trace_.hasOrigin = hasOrigin;
    constexpr int64_t kLatest = int64_t{1} << 62;
    trace_.originNs = hasOrigin ? std::min(first, kLatest) + std::min(events_.baseNs, kLatest - 1) : 0;
    annotate(first);
    addCounters(first);
    nameProcess();
    warn();
  }

  /// By which a recording of GPUs knows the program, too.
  void nameProcess() {
    const std::string_view id = events_.process;
    const bool isNumber = !id.empty() && id.size() < 12 && id.find_first_not_of("0123456789") == id.npos;
    if (isNumber) trace_.settings.emplace_back("process_id", id);
  }

  /// Of the memory events and the counters.
  int64_t firstMoment() const {
    int64_t first = std::numeric_limits<int64_t>::max();
    if (!events_.memory.empty()) first = events_.memory.front().time;
    for (const auto& [name, points] : events_.counters) {
      for (const auto& [time, value] : points) first = std::min(first, time);
    }
    return first;
  }

  /// Steps belong to every device of the program.
  void annotate(int64_t first) {
    std::vector<int> ordinals;
    for (const Device& device : trace_.devices) {
      if (std::find(ordinals.begin(), ordinals.end(), device.ordinal) == ordinals.end())
        ordinals.push_back(device.ordinal);
    }
    for (const int ordinal : ordinals) events_.spans.annotate(ordinal, first, trace_);
  }

  void addCounter(const std::string& group, const std::string& name, CounterUnit unit,
                  const std::vector<std::pair<int64_t, double>>& points, int64_t first) {
    Counter counter;
    counter.group = trace_.strings.intern(group);
    counter.name = trace_.strings.intern(name);
    counter.unit = unit;
    for (const auto& [time, value] : points) {
      const int64_t at = time - first;
      if (!counter.time.empty() && at <= counter.time.back()) {
        counter.value.back() = value;  // of one moment the last counts
        continue;
      }
      counter.time.push_back(at);
      counter.value.push_back(value);
    }
    if (!counter.time.empty()) trace_.countersEnd = std::max(trace_.countersEnd, counter.time.back());
    trace_.counters.push_back(std::move(counter));
  }

  void addCounters(int64_t first) {
    addStatedTotals(first);
    for (auto& [name, points] : events_.counters) {
      std::stable_sort(points.begin(), points.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      addCounter("process " + name.first, name.second, CounterUnit::Count, points, first);
    }
  }

  /// What the profiler says a device holds, beside what its events add up to.
  void addStatedTotals(int64_t first) {
    std::map<DeviceKey, std::vector<std::pair<int64_t, double>>> allocated, reserved;
    for (const KinetoMemory& memory : events_.memory) {
      const auto keep = [&](auto& series, uint64_t value) {
        if (value != kUnknownBytes)
          series[keyOf(memory)].emplace_back(memory.time, static_cast<double>(value));
      };
      keep(allocated, memory.allocated);
      keep(reserved, memory.reserved);
    }
    const auto add = [&](const auto& series, const char* name) {
      for (const auto& [key, points] : series) {
        const bool isAlwaysZero =
            std::all_of(points.begin(), points.end(), [](const auto& point) { return point.second == 0; });
        if (isAlwaysZero) continue;
        const std::string group =
            key.first == DeviceKind::Host ? "host" : "GPU " + std::to_string(key.second);
        addCounter(group, name, CounterUnit::Bytes, points, first);
      }
    };
    add(allocated, "Total Allocated");
    add(reserved, "Total Reserved");
    std::stable_sort(trace_.counters.begin(), trace_.counters.end(), [&](const Counter& a, const Counter& b) {
      return trace_.strings.at(a.group) < trace_.strings.at(b.group);
    });
  }

  void warn() {
    if (events_.unreadable > 0) {
      trace_.warnings.push_back({"row-unreadable",
                                 "Left out, because they say no device, size or time: " +
                                     counted(events_.unreadable, "memory event", "memory events") + ".",
                                 static_cast<int64_t>(events_.firstUnreadable), true});
    }
    warnOfDamage();
    warnOfImpossible(events_.impossible, trace_);
    bool lacksAddresses = false;
    for (const auto& [key, rows] : devices_) {
      warnOfPlacement(rows.placed.oddities(), trace_);
      warnOfImpossible(rows.totals.impossible(), trace_);
      lacksAddresses = lacksAddresses || !rows.hasAddresses;
      if (rows.mostUnexplained <= 0) continue;
      trace_.warnings.push_back({"memory-before-recording",
                                 "Beyond these events the profiler counts up to " +
                                     grouped(static_cast<uint64_t>(rows.mostUnexplained)) +
                                     " bytes more on " + nameOf(key) +
                                     ": they were allocated before it started.",
                                 -1, false});
    }
    warnOfClock(trace_, backwards_);
    if (lacksAddresses) {
      trace_.warnings.push_back(
          {"no-addresses",
           std::string(
               "This profiler wrote no addresses: only totals are known, not which block lay where or how "
               "long it lived. PyTorch 1.10 and newer write them. ") +
               kHowToRecord,
           -1, false});
    } else if (!devices_.empty()) {
      trace_.warnings.push_back({"no-segments",
                                 "A profiler's trace holds what was allocated, not the segments behind it: "
                                 "what was free between the "
                                 "blocks is not known. For that, record a memory snapshot with "
                                 "torch.cuda.memory._record_memory_history() and _dump_snapshot().",
                                 -1, false});
    }
  }

  void warnOfDamage() {
    if (events_.damages == 0) return;
    trace_.isComplete = false;
    trace_.warnings.push_back({"capture-damaged",
                               "The file is damaged in " + counted(events_.damages, "place", "places") +
                                   ", first at byte " + grouped(events_.firstDamage) + " (it " +
                                   events_.firstProblem + "). The events there are left out.",
                               static_cast<int64_t>(events_.firstDamage), true});
  }

  static std::string nameOf(const DeviceKey& key) {
    return key.first == DeviceKind::Host ? "the host" : "device " + std::to_string(key.second);
  }

  KinetoEvents& events_;
  Trace& trace_;
  std::map<DeviceKey, DeviceRows> devices_;
  DeviceKey lastKey_{};
  DeviceRows* lastRows_ = nullptr;
  std::vector<ProfilerSpans::Moment> moments_;
  uint64_t backwards_ = 0;
};

void warnOfBreak(Trace& trace, size_t byte, const std::string& problem, uint64_t events) {
  trace.isComplete = false;
  const bool isEnd = problem.empty();
  trace.warnings.push_back(
      {isEnd ? "capture-truncated" : "capture-damaged",
       (isEnd ? "The file ends in the middle of an event, at byte " + grouped(byte)
              : "The file is damaged at byte " + grouped(byte) + " (it " + problem + ")") +
           "; the " + counted(events, "memory event", "memory events") + " before it " +
           (events == 1 ? "is" : "are") + " shown.",
       static_cast<int64_t>(byte), true});
}

/// Any program may have written them; they are shown as they are.
void sayCountersOnly(Trace& trace) {
  trace.producer = "Chrome trace";
  trace.warnings.push_back({"capture-counters-only",
                            "This trace holds counters and no memory events: there are no blocks to show. " +
                                std::string(kHowToRecord),
                            -1, false});
}

[[noreturn]] void refuseEmpty(const std::string& problem, size_t byte) {
  if (!problem.empty()) {
    throw CaptureError("capture-damaged",
                       "This trace breaks off before its first memory event: at byte " + grouped(byte) +
                           " it " + problem + ".",
                       "Copy or record it again.", static_cast<int64_t>(byte));
  }
  throw CaptureError("capture-nothing-recorded", "This is a profiler's trace without memory events.",
                     kHowToRecord);
}

}  // namespace

bool looksLikeChromeTrace(std::span<const uint8_t> bytes) {
  constexpr size_t kSearched = 16 << 20;
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kSearched));
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  try {
    JsonScanner scanner(text);
    std::string_view key;
    const bool isList = scanner.next() == '[';
    scanner.open(isList ? '[' : '{');
    if (isList) scanner.open('{');
    for (bool isFirst = true; scanner.member(isFirst, key);) {
      if (key == "traceEvents" || (isList && key == "ph")) return true;
      scanner.skip();
    }
  } catch (const std::runtime_error&) {  // not even JSON as far as that
  }
  return false;
}

Trace readChromeTrace(std::span<const uint8_t> bytes, const Progress& progress) {
  Trace trace;
  trace.format = "kineto-trace";
  trace.producer = "PyTorch's profiler";
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  KinetoReader reader(text, trace, progress);
  std::string problem;
  bool isBroken = false;
  try {
    reader.run();
  } catch (const EndOfData&) {
    isBroken = !reader.isWhole();
  } catch (const JsonScanner::NotJson& error) {
    isBroken = true;
    problem = error.what();
  }
  const bool isEnd = isBroken && problem.empty();
  const size_t byte = isEnd ? bytes.size() : reader.position();
  const bool hasMemory = !reader.events().memory.empty();
  if (!hasMemory && reader.events().counters.empty()) refuseEmpty(isEnd ? "ends" : problem, byte);
  if (!hasMemory) sayCountersOnly(trace);
  if (isBroken) warnOfBreak(trace, byte, problem, reader.events().memory.size());
  Assembly(reader.events(), trace).run();
  return trace;
}

}  // namespace strata
