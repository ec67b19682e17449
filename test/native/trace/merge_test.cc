#include "trace/merge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../analysis/random_trace.h"
#include "analysis/index.h"

namespace strata {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDate = 1'800'000'000 * kSecond;

std::string textOf(const Trace& trace, uint32_t row) {
  return row == kNone ? "-" : std::string(trace.strings.at(row));
}

std::string stackOf(const Trace& trace, uint32_t row) {
  if (row == kNone) return "-";
  std::string text;
  for (const uint32_t frame : trace.stacks.at(row)) {
    text += textOf(trace, trace.frames.name(frame)) + "@" + textOf(trace, trace.frames.file(frame)) + ":" +
            std::to_string(trace.frames.line(frame)) + " ";
  }
  return text;
}

/// One device with one event a second, each with a stack of two frames, a counter, a mark and an annotation.
Trace small(const std::string& texts, int64_t originNs, int events = 3) {
  Trace trace;
  trace.format = "made";
  trace.producer = "the test";
  trace.hasClock = true;
  trace.originNs = originNs;
  trace.fileBytes = 10;
  Device device;
  device.streams = {0};
  device.pools = {{0, 0}};
  for (int event = 0; event < events; ++event) {
    device.events.action.push_back(Action::Annotate);
    device.events.address.push_back(0);
    device.events.size.push_back(0);
    device.events.time.push_back(event * kSecond);
    const uint32_t file = trace.strings.intern(texts + ".py");
    const uint32_t shared = trace.strings.intern("shared");
    const uint32_t frames[] = {trace.frames.intern(shared, file, event),
                               trace.frames.intern(shared, trace.strings.intern("common.py"), 7)};
    device.events.stack.push_back(trace.stacks.intern(frames));
    device.events.stream.push_back(0);
    device.events.pool.push_back(0);
    device.events.label.push_back(event == 0 ? trace.strings.intern("label of " + texts) : kNone);
  }
  trace.devices.push_back(device);
  Annotation step;
  step.name = trace.strings.intern("step of " + texts);
  step.begin = 1 * kSecond;
  step.end = 2 * kSecond;
  trace.annotations.push_back(step);
  Counter counter;
  counter.group = trace.strings.intern("GPU 0");
  counter.name = trace.strings.intern("used");
  counter.time = {0, kSecond};
  counter.value = {1, 2};
  trace.counters.push_back(counter);
  Mark mark;
  mark.time = kSecond;
  mark.text = trace.strings.intern("mark of " + texts);
  trace.marks.push_back(mark);
  trace.countersEnd = 2 * kSecond;
  trace.sampleTimes = {0, kSecond};
  trace.warnings.push_back({"odd", "odd in " + texts, 5, false});
  trace.settings = {{"same", "1"}, {"own", texts}};
  return trace;
}

std::vector<NamedTrace> filesOf(std::vector<Trace> traces) {
  std::vector<NamedTrace> files;
  for (Trace& trace : traces) {
    files.push_back({"file" + std::to_string(files.size()), std::move(trace)});
  }
  return files;
}

std::string codes(const Trace& trace) {
  std::string all;
  for (const Warning& warning : trace.warnings) all += warning.code + " ";
  return all;
}

TEST(MergeTraces, PutsFilesWithDatesWhereTheirClocksSay) {
  const Trace set = mergeTraces(filesOf({small("a", kDate + 2 * kSecond), small("b", kDate)}));
  ASSERT_EQ(set.devices.size(), 2u);
  EXPECT_EQ(set.originNs, kDate);
  EXPECT_EQ(set.devices[0].events.time, (std::vector<int64_t>{2 * kSecond, 3 * kSecond, 4 * kSecond}));
  EXPECT_EQ(set.devices[1].events.time, (std::vector<int64_t>{0, kSecond, 2 * kSecond}));
  EXPECT_EQ(set.annotations[0].begin, 3 * kSecond);
  EXPECT_EQ(set.annotations[1].end, 2 * kSecond);
  EXPECT_EQ(set.parts[0].startNs, 2 * kSecond);
  EXPECT_EQ(set.parts[0].sampleTimes, (std::vector<int64_t>{2 * kSecond, 3 * kSecond}));
  EXPECT_EQ(set.countersEnd, 4 * kSecond);
  EXPECT_EQ(textOf(set, set.marks[0].text), "mark of b");
  EXPECT_EQ(set.marks[1].time, 3 * kSecond);
  EXPECT_EQ(codes(set), "odd odd ");
}

TEST(MergeTraces, InternsTextsAnewAndSharesEqualOnes) {
  const Trace a = small("a", kDate), b = small("b", kDate);
  const Trace set = mergeTraces(filesOf({a, b}));
  for (size_t event = 0; event < 3; ++event) {
    EXPECT_EQ(stackOf(set, set.devices[0].events.stack[event]), stackOf(a, a.devices[0].events.stack[event]));
    EXPECT_EQ(stackOf(set, set.devices[1].events.stack[event]), stackOf(b, b.devices[0].events.stack[event]));
  }
  EXPECT_EQ(textOf(set, set.devices[1].events.label[0]), "label of b");
  EXPECT_EQ(set.devices[1].events.label[1], kNone);
  EXPECT_EQ(textOf(set, set.annotations[1].name), "step of b");
  EXPECT_EQ(set.frames.count(), a.frames.count() + b.frames.count() - 1) << "common.py:7 is one frame";
}

TEST(MergeTraces, NamesTheFileOfEveryRow) {
  const Trace set = mergeTraces(filesOf({small("a", kDate), small("b", kDate)}));
  for (uint32_t part = 0; part < 2; ++part) {
    EXPECT_EQ(set.devices[part].part, part);
    EXPECT_EQ(set.annotations[part].part, part);
    EXPECT_EQ(set.counters[part].part, part);
    EXPECT_EQ(set.warnings[part].part, part);
    EXPECT_EQ(set.parts[part].name, "file" + std::to_string(part));
  }
  EXPECT_EQ(textOf(set, set.counters[0].group), "GPU 0");
  EXPECT_EQ(textOf(set, set.counters[1].group), "GPU 0 (file1)");
}

TEST(MergeTraces, SaysWhatAllFilesSayAndKeepsTheRestWithItsFile) {
  const Trace set = mergeTraces(filesOf({small("a", kDate), small("b", kDate)}));
  EXPECT_EQ(set.settings, (std::vector<std::pair<std::string, std::string>>{{"same", "1"}}));
  EXPECT_EQ(settingsOf(set, set.devices[1]).back().second, "b");
  EXPECT_EQ(set.format, "made");
  EXPECT_EQ(set.producer, "the test");
  EXPECT_EQ(set.fileBytes, 20u);
  EXPECT_TRUE(set.isComplete);
}

TEST(MergeTraces, AlignsClocksWithoutDatesAtTheStartAndSaysSo) {
  Trace dateless = small("a", 0);
  dateless.hasOrigin = false;
  Trace sinceStart = small("b", 77 * kSecond);  // no date before 2001 is one
  const Trace set = mergeTraces(filesOf({dateless, sinceStart, small("c", kDate)}));
  EXPECT_TRUE(set.hasOrigin);
  EXPECT_EQ(set.originNs, kDate);
  EXPECT_EQ(set.parts[0].clock, PartClock::Start);
  EXPECT_EQ(set.parts[1].clock, PartClock::Start);
  for (const Device& device : set.devices) EXPECT_EQ(device.events.time[0], 0);
  EXPECT_EQ(codes(set), "odd odd odd set-clock-unknown ");
  EXPECT_EQ(set.warnings.back().part, kNone);
  EXPECT_NE(set.warnings.back().message.find("file0, file1"), std::string::npos);
}

TEST(MergeTraces, KeepsFilesWithoutTimesCountedInEvents) {
  Trace timeless = small("a", 0);
  timeless.hasClock = false;
  timeless.devices[0].events.time = {};
  const Trace set = mergeTraces(filesOf({timeless, small("b", kDate)}));
  EXPECT_TRUE(set.hasClock);
  EXPECT_TRUE(set.devices[0].events.time.empty());
  EXPECT_EQ(set.parts[0].clock, PartClock::None);
  EXPECT_EQ(codes(set), "odd odd set-without-times ");
}

TEST(MergeTraces, SaysWhichFilesLieFarFromTheOthers) {
  const Trace set = mergeTraces(filesOf({small("a", kDate), small("b", kDate + 100 * kSecond)}));
  EXPECT_EQ(codes(set), "odd odd set-apart set-apart ");
  EXPECT_NE(set.warnings.back().message.find("98 s"), std::string::npos) << set.warnings.back().message;
}

TEST(MergeTraces, KnowsNothingOfACounterAfterTheEndOfItsFile) {
  const Trace set = mergeTraces(filesOf({small("a", kDate), small("b", kDate + kSecond)}));
  ASSERT_EQ(set.counters[0].time, (std::vector<int64_t>{0, kSecond, 2 * kSecond}));
  EXPECT_TRUE(std::isnan(set.counters[0].value.back()));
}

TEST(MergeTraces, MovesNoTimeBeyondTheLastOne) {
  Trace late = small("a", kDate + kSecond);
  late.devices[0].events.time.back() = std::numeric_limits<int64_t>::max();
  const Trace set = mergeTraces(filesOf({late, small("b", kDate)}));
  EXPECT_EQ(set.devices[0].events.time.back(), std::numeric_limits<int64_t>::max());
}

TEST(MergeTraces, AnswersOfADeviceAsItsFileAloneWould) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trace first = test::randomTrace(seed), second = test::randomTrace(seed + 100);
    first.originNs = kDate;
    second.originNs = kDate + 5 * kSecond;
    const Trace alone = second;
    const Trace set = mergeTraces(filesOf({first, second}));
    const Index ofSet(set, set.devices[1]), ofFile(alone, alone.devices[0]);
    const auto events = static_cast<double>(alone.devices[0].events.count());
    const auto here = ofSet.series({Axis::Event, 0, events, 97});
    const auto there = ofFile.series({Axis::Event, 0, events, 97});
    const auto end = static_cast<double>(alone.devices[0].events.time.back() + 1);
    const double shift = 5e9;
    const auto timed = ofSet.series({Axis::Time, shift, shift + end, 64});
    const auto timedThere = ofFile.series({Axis::Time, 0, end, 64});
    for (int metric = 0; metric < kMetricCount; ++metric) {
      EXPECT_EQ(here.series[kAllRegions][metric].max, there.series[kAllRegions][metric].max);
      EXPECT_EQ(timed.series[kAllRegions][metric].last, timedThere.series[kAllRegions][metric].last);
    }
    ASSERT_EQ(ofSet.sites().size(), ofFile.sites().size());
    for (size_t site = 0; site < ofSet.sites().size(); ++site) {
      EXPECT_EQ(ofSet.sites()[site].name, ofFile.sites()[site].name);
    }
  }
}

}  // namespace
}  // namespace strata
