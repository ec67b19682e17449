#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "allocator/rebuild.h"
#include "allocator/what_if/explain.h"
#include "allocator/what_if/run.h"
#include "allocator/what_if/run_trace.h"
#include "allocator/what_if/sweep.h"
#include "allocator/what_if/sweep_grid.h"
#include "capture/capture.h"

namespace strata::what_if {
namespace {

const std::filesystem::path kCaptures = STRATA_SHARED_DIR "/captures/pytorch";

Trace openCapture(const std::string& name) {
  Trace trace = readCapture((kCaptures / name).string(), {});
  rebuild(trace, {});
  return trace;
}

std::string portraitOf(const Trace& trace, const Device& device) {
  const Recording recording = recordingOf(trace, device);
  if (!recording.settings) return "another allocator";
  const RunOptions options{.capacity = recordedCapacity(device)};
  const RunSummary summary = run(recording, *recording.settings, options, nullptr, {});
  if (!summary.reproduces) return "not compared";
  const Reproduction& same = *summary.reproduces;
  const auto of = [](uint64_t matched, uint64_t all) {
    return std::to_string(matched) + "/" + std::to_string(all);
  };
  return of(same.placementsMatched, same.placements) + ", segments " +
         of(same.segmentEventsMatched, same.segmentEvents) + ", final blocks " +
         of(same.finalBlocksMatched, same.finalBlocks);
}

struct Expected {
  const char* file;
  const char* portrait;
};

/// Every recorded address, segment event and final block. Ascend's allocator has rules of its own.
constexpr Expected kExpected[] = {
    {"adam-35-events.pickle", "18/18, segments 7/7, final blocks 21/21"},
    {"forward-2.7b-compile.pickle", "3020/3020, segments 920/920, final blocks 2077/2077"},
    {"forward-small-compile.pickle", "2998/2998, segments 3/3, final blocks 378/378"},
    {"from-empty-97-events.pickle", "36/36, segments 9/9, final blocks 20/20"},
    {"steady-state-bf16.pickle", "937/937, segments 0/0, final blocks 178/178"},
    {"torch21-4gpus.pickle", "1497/1497, segments 13/13, final blocks 415/415"},
    {"training-step-ctx128.pickle", "6770/6770, segments 1212/1212, final blocks 1525/1525"},
    {"npu-expandable.pickle", "another allocator"},
};

TEST(WhatIfReproduction, PlacesEveryBlockOfRealCapturesWhereTheyHaveIt) {
  if (!std::filesystem::exists(kCaptures)) GTEST_SKIP() << "no captures beside the repository";
  for (const Expected& expected : kExpected) {
    const Trace trace = openCapture(expected.file);
    EXPECT_EQ(portraitOf(trace, trace.devices.front()), expected.portrait) << expected.file;
  }
}

TEST(WhatIfSweep, GivesEveryRunTheLiveBytesOfTheProgram) {
  if (!std::filesystem::exists(kCaptures)) GTEST_SKIP() << "no captures beside the repository";
  const Trace trace = openCapture("training-step-ctx128.pickle");
  const Recording recording = recordingOf(trace, trace.devices.front());
  const RunOptions options{.capacity = {}, .columns = 64};
  const SweepResult result = sweep(recording, worthTrying(recording, {}), options, {});
  EXPECT_TRUE(result.refused.empty());
  for (const auto& [request, summary] : result.runs) {
    if (summary.failureCount > 0) continue;
    EXPECT_GE(summary.peakAllocated, recording.requests.lowerBound) << request.allocator;
    EXPECT_GE(summary.peakReserved, summary.activeAtPeak) << request.allocator;
    EXPECT_EQ(*std::max_element(summary.reserved.begin(), summary.reserved.end()),
              static_cast<double>(summary.peakReserved))
        << request.allocator;
  }
}

TEST(WhatIfTrace, HoldsWhatTheRunHolds) {
  if (!std::filesystem::exists(kCaptures)) GTEST_SKIP() << "no captures beside the repository";
  const Trace trace = openCapture("training-step-ctx128.pickle");
  const Recording recording = recordingOf(trace, trace.devices.front());
  for (const RunRequest& request : worthTrying(recording, {})) {
    RunTrace writer(recording, request);
    const RunSummary summary = run(recording, request, {}, &writer, {});
    std::vector<uint32_t> operationOf;
    const Trace written = writer.finish(summary, operationOf);
    const Device& device = written.devices.front();
    EXPECT_EQ(operationOf.size(), device.events.count());
    uint64_t reserved = 0;
    for (size_t row = 0; row < device.segments.count(); ++row)
      if (device.segments.death[row] == kNever) reserved += device.segments.bytes[row];
    EXPECT_EQ(reserved, summary.finalReserved) << request.allocator;
    EXPECT_TRUE(std::is_sorted(device.blocks.birth.begin(), device.blocks.birth.end()));
  }
}

/// What was looked at last before the block was taken.
TEST(WhatIfDecisions, NameTheBlockThatWasTakenAndWhatWasPassedOver) {
  if (!std::filesystem::exists(kCaptures)) GTEST_SKIP() << "no captures beside the repository";
  const Trace trace = openCapture("training-step-ctx128.pickle");
  const Recording recording = recordingOf(trace, trace.devices.front());
  const auto& operations = recording.requests.trace.operations;
  size_t last = operations.size();
  while (operations[--last].kind != RequestTrace::Operation::Kind::Allocate) {
  }
  for (const char* name : {"pytorch", "bfc", "rmm-pool", "direct"}) {
    const std::vector<Decision> decisions = explain(recording, {name, {}}, {}, last, {});
    ASSERT_FALSE(decisions.empty()) << name;
    EXPECT_EQ(decisions.front().step, Decision::Step::Round) << name;
    EXPECT_GE(decisions.front().bytes, operations[last].bytes) << name;
  }
}

}  // namespace
}  // namespace strata::what_if
