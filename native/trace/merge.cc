#include "trace/merge.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "trace/table_map.h"

namespace strata {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// 9 September 2001: the first moment whose seconds since 1970 have ten digits.
constexpr int64_t kFirstDate = 1'000'000'000'000'000'000;
constexpr int64_t kNoDate = std::numeric_limits<int64_t>::max();

bool hasDates(const Trace& trace) {
  return trace.hasClock && trace.hasOrigin && trace.originNs >= kFirstDate;
}

int64_t earliestOrigin(const std::vector<NamedTrace>& files) {
  int64_t earliest = kNoDate;
  for (const NamedTrace& file : files) {
    if (hasDates(file.trace)) earliest = std::min(earliest, file.trace.originNs);
  }
  return earliest;
}

TracePart partOf(const NamedTrace& file, int64_t origin) {
  const Trace& trace = file.trace;
  TracePart part;
  part.name = file.name;
  part.format = trace.format;
  part.producer = trace.producer;
  part.isComplete = trace.isComplete;
  part.fileBytes = trace.fileBytes;
  part.settings = trace.settings;
  if (hasDates(trace)) {
    part.clock = PartClock::Wall;
    part.startNs = trace.originNs - origin;
  } else if (trace.hasClock) {
    part.clock = PartClock::Start;
  }
  return part;
}

void moveTexts(Device& device, const TableMap& tables) {
  tables.moveStacks(device.events.stack);
  tables.moveStrings(device.events.label);
  for (FinalState::Segment& segment : device.final.segments) segment.stack = tables.stack(segment.stack);
  tables.moveStacks(device.final.blockStack);
  tables.moveStacks(device.blocks.stack);
  tables.moveStacks(device.segments.stack);
}

void moveTexts(Trace& trace, const TableMap& tables) {
  for (Device& device : trace.devices) moveTexts(device, tables);
  for (Annotation& one : trace.annotations) one.name = tables.string(one.name);
  for (Counter& one : trace.counters) {
    one.group = tables.string(one.group);
    one.name = tables.string(one.name);
  }
  for (Mark& one : trace.marks) {
    one.group = tables.string(one.group);
    one.kind = tables.string(one.kind);
    one.text = tables.string(one.text);
  }
}

/// `by` is never negative; a made-up time may lie where it cannot be moved any further.
void move(int64_t& time, int64_t by) {
  time = time > std::numeric_limits<int64_t>::max() - by ? std::numeric_limits<int64_t>::max() : time + by;
}

void moveTimes(Trace& trace, int64_t by) {
  if (by == 0) return;
  for (Device& device : trace.devices) {
    for (int64_t& time : device.events.time) move(time, by);
  }
  for (Annotation& one : trace.annotations) {
    move(one.begin, by);
    move(one.end, by);
  }
  for (Counter& counter : trace.counters) {
    for (int64_t& time : counter.time) move(time, by);
  }
  for (Mark& mark : trace.marks) move(mark.time, by);
  for (int64_t& time : trace.sampleTimes) move(time, by);
  move(trace.countersEnd, by);
}

/// From the first to the last time of what a file holds; empty when `first` is behind `last`.
struct TimeSpan {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();

  void include(const std::vector<int64_t>& times) {
    if (times.empty()) return;
    first = std::min(first, times.front());
    last = std::max(last, times.back());
  }
  void include(const TimeSpan& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

TimeSpan spanOf(const Trace& trace) {
  TimeSpan span;
  for (const Device& device : trace.devices) span.include(device.events.time);
  for (const Counter& counter : trace.counters) span.include(counter.time);
  return span;
}

void nameParts(Trace& trace, uint32_t part) {
  for (Device& one : trace.devices) one.part = part;
  for (Annotation& one : trace.annotations) one.part = part;
  for (Counter& one : trace.counters) one.part = part;
  for (Warning& one : trace.warnings) one.part = part;
}

/// After the end of its own file nothing is known of a counter, however long the others go on.
void endCounters(Trace& trace) {
  for (Counter& counter : trace.counters) {
    if (counter.time.empty()) continue;
    int64_t afterLast = counter.time.back();
    move(afterLast, 1);
    counter.time.push_back(std::max(trace.countersEnd, afterLast));
    counter.value.push_back(std::nan(""));
  }
}

/// Two machines may both have a "GPU 0": groups that an earlier file named too get the name of their file.
void tellGroupsApart(Trace& trace, std::set<uint32_t>& taken, const std::string& file, Trace& texts) {
  std::vector<std::pair<uint32_t, uint32_t>> renamed;
  std::set<uint32_t> own;
  const auto groupOf = [&](uint32_t group) {
    if (group == kNone || taken.count(group) == 0) return group;
    for (const auto& [before, after] : renamed)
      if (before == group) return after;
    const std::string text(texts.strings.at(group));
    renamed.emplace_back(group, texts.strings.intern(text + " (" + file + ")"));
    return renamed.back().second;
  };
  for (Counter& one : trace.counters) {
    one.group = groupOf(one.group);
    own.insert(one.group);
  }
  for (Mark& one : trace.marks) one.group = groupOf(one.group);
  taken.insert(own.begin(), own.end());
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from = {};
}

void appendRows(Trace& to, Trace& from) {
  append(to.devices, from.devices);
  append(to.annotations, from.annotations);
  append(to.counters, from.counters);
  append(to.marks, from.marks);
  append(to.warnings, from.warnings);
}

/// The settings that every file states, with the same value.
Settings commonSettings(const std::vector<TracePart>& parts) {
  Settings common = parts.front().settings;
  for (const TracePart& part : parts) {
    std::erase_if(common, [&](const auto& one) {
      return std::find(part.settings.begin(), part.settings.end(), one) == part.settings.end();
    });
  }
  return common;
}

/// What the files say alike, or "mixed".
std::string commonText(const std::vector<TracePart>& parts, std::string TracePart::*text) {
  const std::string& first = parts.front().*text;
  const bool isCommon =
      std::all_of(parts.begin(), parts.end(), [&](const TracePart& part) { return part.*text == first; });
  return isCommon ? first : "mixed";
}

std::string producersOf(const std::vector<TracePart>& parts) {
  std::vector<std::string> told;
  for (const TracePart& part : parts) {
    if (std::find(told.begin(), told.end(), part.producer) == told.end()) told.push_back(part.producer);
  }
  std::string text;
  for (const std::string& one : told) text += (text.empty() ? "" : "; ") + one;
  return text;
}

/// What the files have in common, and how they stand to one another.
void describe(Trace& set, int64_t origin) {
  const auto& parts = set.parts;
  set.format = commonText(parts, &TracePart::format);
  set.producer = producersOf(parts);
  set.settings = commonSettings(parts);
  set.hasOrigin = origin != kNoDate;
  set.originNs = set.hasOrigin ? origin : 0;
  set.isComplete =
      std::all_of(parts.begin(), parts.end(), [](const TracePart& one) { return one.isComplete; });
  set.hasClock = std::any_of(parts.begin(), parts.end(),
                             [](const TracePart& one) { return one.clock != PartClock::None; });
  set.fileBytes = 0;
  for (const TracePart& part : parts) set.fileBytes += part.fileBytes;
}

/// "rank0.pickle, rank1.pickle and 6 more".
std::string listOf(const std::vector<std::string>& names) {
  constexpr size_t kNamed = 3;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

std::vector<std::string> namesWith(const Trace& set, PartClock clock) {
  std::vector<std::string> names;
  for (const TracePart& part : set.parts)
    if (part.clock == clock) names.push_back(part.name);
  return names;
}

void warnOfClocks(Trace& set) {
  if (set.parts.size() < 2 || !set.hasClock) return;
  const auto dateless = namesWith(set, PartClock::Start);
  if (!dateless.empty()) {
    set.warnings.push_back({"set-clock-unknown",
                            "Aligned at their first event, because their times have no date: " +
                                listOf(dateless) + ". How they lie to the other files is not known.",
                            -1, false, -1, kNone});
  }
  const auto timeless = namesWith(set, PartClock::None);
  if (!timeless.empty()) {
    set.warnings.push_back(
        {"set-without-times",
         "Shown by the number of their events alone, because they hold no times: " + listOf(timeless) + ".",
         -1, false, -1, kNone});
  }
}

/// Between the times of one file and those of all others together, in ns; 0 when they meet.
int64_t distanceOf(const std::vector<TimeSpan>& spans, size_t part) {
  TimeSpan others;
  for (size_t i = 0; i < spans.size(); ++i)
    if (i != part) others.include(spans[i]);
  const TimeSpan& own = spans[part];
  if (own.first > own.last || others.first > others.last) return 0;
  return std::max<int64_t>({0, own.first - others.last, others.first - own.last});
}

/// Files of different runs are one trace with an empty stretch between them, which is seldom what was meant.
/// Those of one run may well be a part of a second apart.
void warnOfDistance(Trace& set, const std::vector<TimeSpan>& spans) {
  for (uint32_t part = 0; part < spans.size(); ++part) {
    const int64_t seconds = distanceOf(spans, part) / 1'000'000'000;
    if (seconds == 0) continue;
    set.warnings.push_back({"set-apart",
                            "By the clock, nothing in this file lies within " + std::to_string(seconds) +
                                " s of the other files: it may be of another run.",
                            -1, false, -1, part});
  }
}

}  // namespace

Trace mergeTraces(std::vector<NamedTrace> files) {
  if (files.empty()) return {};
  const int64_t origin = earliestOrigin(files);
  Trace set;
  std::set<uint32_t> groups;
  std::vector<TimeSpan> spans;
  for (NamedTrace& file : files) {
    const auto part = static_cast<uint32_t>(set.parts.size());
    Trace& trace = file.trace;
    set.parts.push_back(partOf(file, origin));
    nameParts(trace, part);
    moveTimes(trace, set.parts.back().startNs);
    set.parts.back().sampleTimes = std::move(trace.sampleTimes);
    spans.push_back(set.parts.back().clock == PartClock::Wall ? spanOf(trace) : TimeSpan{});
    if (files.size() > 1) endCounters(trace);
    if (part == 0) {
      set.strings = std::move(trace.strings);
      set.frames = std::move(trace.frames);
      set.stacks = std::move(trace.stacks);
    } else {
      moveTexts(trace, TableMap(trace, set));
    }
    tellGroupsApart(trace, groups, file.name, set);
    appendRows(set, trace);
    set.countersEnd = std::max(set.countersEnd, trace.countersEnd);
    trace = {};
  }
  std::stable_sort(set.marks.begin(), set.marks.end(),
                   [](const Mark& one, const Mark& other) { return one.time < other.time; });
  describe(set, origin);
  warnOfClocks(set);
  warnOfDistance(set, spans);
  return set;
}

}  // namespace strata
