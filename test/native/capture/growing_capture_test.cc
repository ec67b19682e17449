// A capture that is still being written: what arrives is read once, and traces are made of what has arrived.

#include "capture/growing_capture.h"

#include <gtest/gtest.h>

#include <random>

#include "../../fuzz/check_trace.h"
#include "analysis/index.h"
#include "capture/made_captures.h"

namespace strata::test {
namespace {

std::span<const uint8_t> asBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string factsOf(const Trace& trace) {
  std::string text;
  for (const Device& device : trace.devices) {
    const auto add = [&](const auto& column) {
      for (const auto value : column) text += std::to_string(static_cast<int64_t>(value)) + " ";
      text += "\n";
    };
    add(device.events.action);
    add(device.events.time);
    add(device.events.row);
    add(device.blocks.address);
    add(device.blocks.bytes);
    add(device.blocks.birth);
    add(device.blocks.freeRequested);
    add(device.blocks.death);
    add(device.blocks.segment);
    add(device.segments.address);
    add(device.segments.bytes);
    add(device.segments.birth);
    add(device.segments.death);
    add(device.segments.range);
  }
  for (const Annotation& annotation : trace.annotations) text += trace.strings.at(annotation.name);
  return text;
}

TEST(GrowingCapture, CountsWhatArrivesAndSaysWhereTheFirstBadLineIs) {
  GrowingCapture capture;
  auto counts =
      capture.append(asBytes("# producer = mine\n{\"action\":\"alloc\",\"address\":4096,\"bytes\":10}\n"));
  EXPECT_EQ(counts.lines, 2u);
  EXPECT_EQ(counts.events, 1u);
  counts =
      capture.append(asBytes("{\"action\":\"alloc\"\nnot json\n{\"action\":\"free\",\"address\":4096}\n"));
  EXPECT_EQ(counts.lines, 5u);
  EXPECT_EQ(counts.events, 2u);
  EXPECT_EQ(counts.unreadable.count, 2u);
  EXPECT_EQ(counts.unreadable.first.line, 3u);
  EXPECT_EQ(counts.unreadable.first.byte, 63u);
  EXPECT_EQ(capture.trace().producer, "mine");
}

TEST(GrowingCapture, CountsBlocksThatWereThereBeforeApartFromEvents) {
  GrowingCapture capture;
  const auto counts =
      capture.append(asBytes("{\"action\":\"segment_held\",\"address\":4096,\"bytes\":8192}\n"
                             "{\"action\":\"held\",\"address\":4096,\"bytes\":512}\n"
                             "{\"action\":\"held\",\"address\":8192,\"bytes\":512}\n"
                             "{\"action\":\"alloc\",\"address\":4608,\"bytes\":512}\n"
                             "{\"action\":\"marker\",\"label\":\"step\"}\n"));
  EXPECT_EQ(counts.held, 2u);
  EXPECT_EQ(counts.events, 2u) << "an allocation and a mark";
}

TEST(GrowingCapture, RefusesToBeATraceBeforeTheFirstRow) {
  GrowingCapture capture;
  capture.append(asBytes("# producer = mine\n"));
  EXPECT_THROW(capture.trace(), CaptureError);
}

TEST(GrowingCapture, MakesAtEveryLineTheTraceThatTheFileSoFarHolds) {
  constexpr uint32_t kSeed = 20261130;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  GrowingCapture capture;
  std::string whole;
  for (int line = 0; line < 300; ++line) {
    static constexpr const char* kActions[] = {"alloc", "alloc",          "alloc",        "free",
                                               "free",  "segment_alloc",  "segment_free", "held",
                                               "gap",   "free_requested", "segment_held", "marker"};
    static constexpr const char* kRegions[] = {"pooled", "virtual", "immediate"};
    std::string row = "{\"action\":\"" + std::string(kActions[random() % 12]) +
                      "\",\"address\":" + std::to_string(1024 * (random() % 64)) +
                      ",\"bytes\":" + std::to_string(512 * (1 + random() % 12)) +
                      ",\"time_us\":" + std::to_string(line) + ",\"region\":\"" + kRegions[random() % 3] +
                      "\",\"device\":" + std::to_string(random() % 2) +
                      ",\"stack\":\"f (a.py:" + std::to_string(random() % 5) + ")\"}\n";
    whole += row;
    const auto counts = capture.append(asBytes(row));
    if (counts.events + counts.held == 0) continue;
    const Trace grown = capture.trace();
    uint64_t events = 0;
    for (const Device& device : grown.devices) events += device.events.action.size();
    ASSERT_EQ(counts.events, events) << whole;
    ASSERT_EQ(factsOf(grown), factsOf(readText(whole))) << whole;
    for (const Device& device : grown.devices) {
      fuzz::checkPlaced(grown, device);
      fuzz::checkIndex(grown, device);
    }
  }
}

TEST(GrowingCapture, SaysThatARecordingHasNoEndOnlyOfAFileThatStoppedGrowing) {
  const std::string head = "# recorded = live\n{\"action\":\"alloc\",\"address\":4096,\"bytes\":10}\n";
  GrowingCapture capture;
  capture.append(asBytes(head));
  const auto saysUnfinished = [](const Trace& trace) {
    return std::any_of(trace.warnings.begin(), trace.warnings.end(),
                       [](const Warning& warning) { return warning.code == "recording-unfinished"; });
  };
  EXPECT_FALSE(saysUnfinished(capture.trace()));
  EXPECT_TRUE(saysUnfinished(readText(head)));
  EXPECT_FALSE(saysUnfinished(readText(head + "# ended = by the program\n")));
}

TEST(GrowingCapture, KeepsTheRankOfACallSiteWhileThePeakMoves) {
  GrowingCapture capture;
  const auto row = [](int address, int bytes, const char* stack) {
    return "{\"action\":\"alloc\",\"address\":" + std::to_string(address) +
           ",\"bytes\":" + std::to_string(bytes) + ",\"stack\":\"" + stack + "\"}\n";
  };
  capture.append(asBytes(row(1000, 100, "a (a.py:1)") + row(2000, 50, "b (b.py:2)")));
  const Trace before = capture.trace();
  const Index first(before, before.devices[0]);
  capture.append(asBytes(row(3000, 500, "b (b.py:2)") + row(9000, 5, "c (c.py:3)")));
  const Trace after = capture.trace();
  const Index second(after, after.devices[0], {}, first.sites());
  ASSERT_EQ(second.sites().size(), 5u);
  EXPECT_EQ(second.sites()[1].name, "a.py:1");
  EXPECT_EQ(second.sites()[2].name, "b.py:2");
  EXPECT_EQ(second.sites()[3].name, "c.py:3");
  EXPECT_EQ(Index(after, after.devices[0]).sites()[1].name, "b.py:2");
}

}  // namespace
}  // namespace strata::test
