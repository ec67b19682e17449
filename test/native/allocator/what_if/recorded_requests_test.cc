#include "allocator/what_if/recorded_requests.h"

#include <gtest/gtest.h>

#include "allocator/replay_error.h"
#include "allocator/what_if/recorded_trace.h"

namespace strata::what_if {
namespace {

using test::RecordedTrace;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kBase = 0x700000000000;

/// "alloc 4 MiB @1, free #0 @4": each operation with its event.
std::string storyOf(const RecordedRequests& requests) {
  std::string story;
  for (size_t at = 0; at < requests.trace.operations.size(); ++at) {
    const auto& operation = requests.trace.operations[at];
    if (at > 0) story += ", ";
    switch (operation.kind) {
      case RequestTrace::Operation::Kind::Allocate:
        story += "alloc " + std::to_string(operation.bytes / kMiB) + " MiB";
        break;
      case RequestTrace::Operation::Kind::Free:
        story += "free #" + std::to_string(operation.request);
        break;
      case RequestTrace::Operation::Kind::Ignored:
        story += "asked to free #" + std::to_string(operation.request);
        break;
      default:
        story += "control";
        break;
    }
    story += " @" + std::to_string(requests.event[at]);
  }
  return story;
}

TEST(WhatIfRequests, AreAllocationsAndFreesAtTheirEvents) {
  RecordedTrace recorded;
  recorded.segment(kBase, 20 * kMiB).alloc(kBase, 4 * kMiB).free(kBase, 4 * kMiB);
  recorded.finalSegment(kBase, 20 * kMiB, {});
  EXPECT_EQ(storyOf(requestsOf(recorded.finish().devices[0])), "alloc 4 MiB @1, free #0 @3");
}

TEST(WhatIfRequests, GiveBackWhenTheStreamHadFinished) {
  RecordedTrace recorded;
  recorded.segment(kBase, 20 * kMiB).alloc(kBase, 4 * kMiB).freeRequested(kBase, 4 * kMiB);
  recorded.alloc(kBase + 4 * kMiB, 2 * kMiB).freeCompleted(kBase, 4 * kMiB);
  recorded.finalSegment(kBase, 20 * kMiB, {});
  const RecordedRequests requests = requestsOf(recorded.finish().devices[0]);
  EXPECT_EQ(requests.streamFrees, 1u);
  EXPECT_NE(storyOf(requests).find("asked to free #0 @2"), std::string::npos) << storyOf(requests);
  EXPECT_NE(storyOf(requests).find("free #0 @4"), std::string::npos) << storyOf(requests);
}

TEST(WhatIfRequests, AskForWhatFailedAndGiveItBackWhenTheProgramWentOn) {
  RecordedTrace recorded;
  recorded.outOfMemory(kMiB, 64 * kMiB).segment(kBase, 20 * kMiB).alloc(kBase, 4 * kMiB);
  recorded.outOfMemory(kMiB, 32 * kMiB);
  recorded.finalSegment(kBase, 20 * kMiB, {4 * kMiB});
  const RecordedRequests requests = requestsOf(recorded.finish().devices[0]);
  EXPECT_EQ(storyOf(requests), "alloc 64 MiB @0, free #0 @0, alloc 4 MiB @2, alloc 32 MiB @3");
  EXPECT_EQ(requests.failedRequests, 2u);
  ASSERT_EQ(requests.refusals.size(), 2u);
  EXPECT_TRUE(requests.refusals[0].isFinal);
}

TEST(WhatIfRequests, RepeatACacheFlushOfTheProgramOnly) {
  RecordedTrace recorded;
  recorded.segment(kBase, 20 * kMiB).alloc(kBase, 4 * kMiB).free(kBase, 4 * kMiB);
  recorded.segmentGone(kBase, 20 * kMiB);
  const RecordedRequests requests = requestsOf(recorded.finish().devices[0]);
  EXPECT_EQ(storyOf(requests), "alloc 4 MiB @1, free #0 @3, control @4");
  EXPECT_TRUE(requests.refusals.empty());
}

TEST(WhatIfRequests, CountFreesOfWhatWasNeverAskedFor) {
  RecordedTrace recorded;
  recorded.segment(kBase, 20 * kMiB).alloc(kBase, 4 * kMiB).free(kBase, 4 * kMiB);
  recorded.freeCompleted(kBase, 4 * kMiB);
  recorded.device().isPlaced = true;
  Device& device = recorded.device();
  device.blocks.address = {kBase};
  device.blocks.bytes = device.blocks.requested = {4 * kMiB};
  device.blocks.birth = {1};
  device.blocks.freeRequested = {2};
  device.blocks.death = {3};
  device.blocks.stack = {kNone};
  device.blocks.segment = {0};
  device.blocks.region = {Region::Pooled};
  device.blocks.stream = device.blocks.pool = {0};
  device.events.row = {kNone, 0, 0, 0, kNone};
  EXPECT_EQ(requestsOf(device).unmatchedFrees, 1u);
}

TEST(WhatIfRequests, NeedEventsOverTime) { EXPECT_THROW(requestsOf(Device{}), ReplayError); }

}  // namespace
}  // namespace strata::what_if
