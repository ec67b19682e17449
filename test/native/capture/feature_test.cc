// One feature of the format a test.

#include <gtest/gtest.h>

#include "capture/made_captures.h"

namespace strata::test {
namespace {

constexpr uint64_t kSegment = 0x7f0000000000;
constexpr uint64_t kHigh = uint64_t{1} << 63;

/// The lines of the description that contain a text.
std::string linesWith(const Trace& trace, const std::string& part) {
  const std::string text = describe(trace);
  std::string found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at + 1);
    if (line.find(part) != std::string::npos) found += line;
    at = end + 1;
  }
  return found;
}

TEST(Feature, AddressesAbove63BitsStayExact) {
  for (const char* name :
       {"feature-high-address.pickle", "feature-high-address-cpp.pickle", "feature-high-address.json"}) {
    const Trace trace = read(madeCapture(name));
    ASSERT_EQ(trace.devices.size(), 1u) << name;
    const Device& device = trace.devices[0];
    EXPECT_EQ(device.events.address[0], kHigh + kSegment) << name;
    EXPECT_EQ(device.events.address[2], kHigh + kSegment + 1024) << name;
    EXPECT_EQ(device.final.segments[0].address, kHigh + kSegment) << name;
    EXPECT_EQ(device.final.blockAddress[1], kHigh + kSegment + 1024) << name;
  }
}

TEST(Feature, DevicesWithNothingAreLeftOutAndTheOthersKeepTheirOrdinal) {
  const Trace trace = read(madeCapture("feature-third-device.pickle"));
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_EQ(trace.devices[0].ordinal, 2);
  EXPECT_EQ(trace.annotations[0].device, 2);
}

TEST(Feature, EveryActionHasItsOwnMeaning) {
  const Trace trace = read(madeCapture("feature-actions.pickle"));
  EXPECT_EQ(linesWith(trace, "out_of_memory"),
            "  out_of_memory c00000 3221225472 at 20 stream 7 in "
            "step@/home/ada/optim.py:7 "
            "main@/home/ada/train.py:12\n");
  EXPECT_EQ(linesWith(trace, "annotate"), "  annotate 7f0000000400 0 at 21 label weights\n");
  EXPECT_EQ(linesWith(trace, "other"), "  other 0 0 at 23\n");
  EXPECT_EQ(linesWith(trace, "graph_0"),
            "  alloc 7f0000000000 8 at 24 stream 9223372036854775808 pool 0,3 "
            "label graph_0\n");
  EXPECT_EQ(warningCodes(trace), "unknown-action");
  EXPECT_NE(trace.warnings[0].message.find("1 event has an action"), std::string::npos);
  EXPECT_NE(trace.warnings[0].message.find("invented"), std::string::npos);
}

TEST(Feature, LabelsCostNothingWhereThereAreNone) {
  EXPECT_TRUE(read(madeCapture("story-2.14.pickle")).devices[0].events.label.empty());
}

TEST(Feature, BothNamesOfPendingFreeAreKnown) {
  const Trace trace = read(madeCapture("feature-pending-free.pickle"));
  EXPECT_EQ(linesWith(trace, "pending_free"),
            "    pending_free 7f0000000000 1024 requested 500\n"
            "    pending_free 7f0000000400 512 requested 500 in "
            "step@/home/ada/optim.py:7 "
            "main@/home/ada/train.py:12\n");
  EXPECT_EQ(warningCodes(trace), "");
}

TEST(Feature, PinnedHostMemoryIsADeviceOfItsOwn) {
  const Trace trace = read(madeCapture("feature-host-memory.pickle"));
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[0].kind, DeviceKind::Cuda);
  EXPECT_EQ(trace.devices[1].kind, DeviceKind::Host);
  EXPECT_EQ(trace.devices[1].ordinal, 0);
  EXPECT_EQ(trace.devices[1].events.count(), 6u);
  EXPECT_EQ(trace.devices[1].final.segments[0].address, 0x600000000000u);
}

TEST(Feature, AscendIsKnownByItsKeyOrderOrItsWorkspaceEvents) {
  for (const char* name : {"feature-ascend.pickle", "feature-ascend-workspace.pickle"}) {
    const Trace trace = read(madeCapture(name));
    EXPECT_EQ(trace.devices[0].kind, DeviceKind::Npu) << name;
    EXPECT_EQ(trace.producer.substr(0, 20), "torch_npu for Ascend") << name;
    EXPECT_EQ(warningCodes(trace), "") << name;
  }
  // Sorted keys have the same order by accident.
  EXPECT_EQ(read(madeCapture("story-pretty.json")).devices[0].kind, DeviceKind::Cuda);
}

TEST(Feature, AnnotationsNestAndMissingSidesAreOpen) {
  EXPECT_EQ(linesWith(read(madeCapture("feature-annotations.pickle")), "annotation"),
            "annotation before of 0 from 0? to 1 depth 0\n"
            "annotation outer of 0 from 2 to 7 depth 0\n"
            "annotation inner of 0 from 3 to 6 depth 1\n"
            "annotation inner of 0 from 4 to 5 depth 2\n"
            "annotation after of 0 from 8 to 9? depth 0\n"
            "annotation outer of 1 from 2 to 4 depth 0\n");
}

TEST(Feature, UserDefinedEventsBecomeAnnotations) {
  const Trace trace = read(madeCapture("feature-user-defined.pickle"));
  EXPECT_EQ(linesWith(trace, "annotation"), "annotation phase one of 0 from 1 to 4 depth 0\n");
  EXPECT_EQ(trace.devices[0].events.count(), 8u);
  EXPECT_EQ(warningCodes(trace), "");
}

TEST(Feature, AnOverflowedRingIsToldWhereverTheFlagStands) {
  const Trace inside = read(madeCapture("feature-overflowed.pickle"));
  EXPECT_EQ(warningCodes(inside), "ring-overflow");
  EXPECT_EQ(inside.settings[inside.settings.size() - 2],
            (std::pair<std::string, std::string>("trace_alloc_max_entries", "[6, 6]")));
  EXPECT_EQ(warningCodes(read(madeCapture("feature-overflowed-outside.pickle"))), "ring-overflow");
}

TEST(Feature, TimesNeverGoBackwards) {
  const Trace trace = read(madeCapture("feature-time-backwards.pickle"));
  EXPECT_EQ(trace.devices[0].events.time, (std::vector<int64_t>{3000, 3000, 5000, 5000, 7000, 7000}));
  EXPECT_EQ(warningCodes(trace), "time-backwards");
  EXPECT_EQ(trace.warnings[0].message.substr(0, 8), "3 events");
}

TEST(Feature, WhatWasNotRecordedIsTold) {
  EXPECT_EQ(warningCodes(read(madeCapture("feature-no-stacks.pickle"))), "no-stacks");
  EXPECT_EQ(warningCodes(read(madeCapture("feature-state-only.pickle"))), "state-only");
  EXPECT_EQ(warningCodes(read(madeCapture("feature-no-history.pickle"))), "no-history");
  for (const char* name :
       {"feature-no-stacks.pickle", "feature-state-only.pickle", "feature-no-history.pickle"}) {
    const Trace trace = read(madeCapture(name));
    EXPECT_NE(trace.warnings[0].message.find("_record_memory_history("), std::string::npos) << name;
    EXPECT_FALSE(trace.warnings[0].isDamage) << name;
  }
}

TEST(Feature, SumsThatDisagreeAreToldAndCounted) {
  const Trace trace = read(madeCapture("feature-wrong-sums.pickle"));
  EXPECT_EQ(warningCodes(trace), "final-blocks-gaps final-sums-differ");
  EXPECT_NE(trace.warnings[0].message.find("1 of 1 segment"), std::string::npos);
}

TEST(Feature, StacksDeeperThanABatchStayWhole) {
  for (const char* name :
       {"feature-deep-stack.pickle", "feature-deep-stack-protocol-0.pickle", "feature-deep-stack.json"}) {
    const Trace trace = read(madeCapture(name));
    const auto stack = trace.stacks.at(trace.devices[0].events.stack[1]);
    ASSERT_EQ(stack.size(), 2500u) << name;
    for (size_t i = 0; i < stack.size(); ++i) EXPECT_EQ(trace.frames.line(stack[i]), static_cast<int32_t>(i));
  }
}

TEST(Feature, EventsThatAreUsedElsewhereStayInTheirList) {
  EXPECT_EQ(describe(read(madeCapture("feature-shared-events.pickle"))),
            describe(read(madeCapture("story-2.14.pickle"))));
}

TEST(Feature, TextIsTheSameInEveryEncoding) {
  const std::string expected = "caf\u00e9 \U0001f600 \"quoted\" back\\slash ";
  for (const char* name : {"feature-text-protocol-0.pickle", "feature-text-protocol-2.pickle",
                           "feature-text-protocol-4.pickle", "feature-text.json"}) {
    const Trace trace = read(madeCapture(name));
    const std::string label(trace.strings.at(trace.devices[0].events.label[1]));
    EXPECT_EQ(label.substr(0, expected.size()), expected) << name;
    // Half a surrogate pair is no character: one replacement for each thing
    // that is none.
    EXPECT_NE(label.find("\ufffd"), std::string::npos) << name;
    EXPECT_EQ(label.substr(label.size() - 4), " end") << name;
  }
}

TEST(Feature, WhatFollowsTheSnapshotIsToldAndIsNoDamage) {
  const Trace trace = read(madeCapture("feature-trailing.pickle"));
  EXPECT_EQ(warningCodes(trace), "capture-trailing-data");
  EXPECT_FALSE(trace.warnings[0].isDamage);
  EXPECT_EQ(trace.warnings[0].byte, static_cast<int64_t>(bytesOf(madeCapture("story-2.14.pickle")).size()));
}

TEST(Feature, SegmentsThatAreNoListAreToldOf) {
  const std::string text =
      R"({"segments": 5, "device_traces": [[{"action": "segment_alloc", "addr": 4096, "size": 512, "stream": 0}]]})";
  const Trace trace = read(std::vector<uint8_t>(text.begin(), text.end()));
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_NE(warningCodes(trace).find("not-segments"), std::string::npos) << warningCodes(trace);
}

TEST(Feature, ProgressIsReportedAndCanCancel) {
  uint64_t last = 0;
  uint64_t events = 0;
  readCapture(madeCapture("story-2.14.pickle"),
              [&](const char*, uint64_t done, uint64_t total, uint64_t count) {
                EXPECT_LE(last, done);
                EXPECT_LE(done, total);
                last = done;
                events = count;
                return true;
              });
  EXPECT_EQ(last, bytesOf(madeCapture("story-2.14.pickle")).size());
  EXPECT_EQ(events, 6u);
  EXPECT_THROW(readCapture(madeCapture("story-2.14.pickle"),
                           [](const char*, uint64_t, uint64_t, uint64_t) { return false; }),
               Cancelled);
}

}  // namespace
}  // namespace strata::test
