// XProf's memory viewer: buffers of a compiled program over its steps.

#include <gtest/gtest.h>

#include "analysis/consumers.h"
#include "analysis/index.h"
#include "capture/made_captures.h"

namespace strata::test {
namespace {

std::string block(int id, const std::string& name, double offset, double size, int from, int to) {
  return R"({"logicalBufferId":)" + std::to_string(id) + R"(,"name":")" + name + R"(","offset":)" +
         std::to_string(offset) + R"(,"size":)" + std::to_string(size) + R"(,"startStep":)" +
         std::to_string(from) + R"(,"endStep":)" + std::to_string(to) +
         R"(,"tfOpName":"jit(f)/dot","category":"Temporary","sourceInfo":{"fileName":"m.py","lineNumber":7},)"
         R"("shapeString":"f32[64]","unpaddedSize":1,"color":"red"})";
}

constexpr double kMebibyte = 1048576;

/// Five events: 1 MiB of a parameter; b1 lives over steps 0 to 3, b2 from step 1 on, b3 takes b1's place.
std::string viewer(const std::string& blocks, const std::string& heap = "[1,2,4,3,4,3]") {
  return R"({"heapSizes":)" + heap +
         R"(,"unpaddedHeapSizes":[1],"hloInstructionNames":["dot.1","add.2","dot.1","mul.3","mul.3",""],)"
         R"("maxHeap":[{"label":"p","logicalBufferId":1,"logicalBufferSizeMib":1,"instructionName":"param.0"},)"
         R"({"logicalBufferId":2,"logicalBufferSizeMib":1,"instructionName":"dot.1","tfOpName":"jit(f)/dot"},)"
         R"({"label":"small buffers","logicalBufferId":-1,"logicalBufferSizeMib":2}],)"
         R"("maxHeapBySize":[],"logicalBufferSpans":{"2":{"start":0,"limit":2}},"moduleName":"jit_f",)"
         R"("peakHeapMib":4,"peakHeapSizePosition":1,"totalBufferAllocationMib":5,"indefiniteLifetimes":[)"
         R"({"id":"0","sizeMib":1,"attributes":["entry computation parameter","reusable"],"logicalBuffers":[)"
         R"({"id":"1","shape":"f32[64]","sizeMib":1,"hloName":"param.0"}]}],"bufferBlocks":[)" +
         blocks + "]}";
}

std::string exampleBlocks() {
  return block(-1, "Temporary", 0, 4 * kMebibyte, 0, 5) + "," + block(2, "dot.1", 0, kMebibyte, 0, 2) + "," +
         block(3, "add.2", kMebibyte, 2 * kMebibyte, 1, 4) + "," + block(4, "mul.3", 0, kMebibyte, 3, 4);
}

std::vector<uint64_t> activeOf(const Trace& trace, EventIndex from) {
  const Index index(trace, trace.devices[0]);
  std::vector<uint64_t> totals;
  for (EventIndex event = from; event < static_cast<EventIndex>(trace.devices[0].events.count()); ++event) {
    totals.push_back(0);
    for (const RegionMoment& region : index.moment(event).regions) totals.back() += region.active;
  }
  return totals;
}

TEST(MemoryViewer, ShowsBuffersAtTheirOffsetsOverTheStepsOfTheProgram) {
  const Trace trace = readText(viewer(exampleBlocks()));
  EXPECT_EQ(trace.format, "xla-memory-viewer");
  EXPECT_FALSE(trace.hasClock);
  EXPECT_EQ(warningCodes(trace), "");
  ASSERT_EQ(trace.devices.size(), 1u);
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.layout, DeviceLayout::Segments);
  EXPECT_EQ(device.segments.bytes, (std::vector<uint64_t>{4 << 20, 1 << 20}));
  const uint64_t start = device.segments.address[0];
  EXPECT_EQ(device.blocks.address,
            (std::vector<uint64_t>{device.segments.address[1], start, start + (1 << 20), start}));
  EXPECT_EQ(device.blocks.birth, (std::vector<EventIndex>{2, 3, 4, 6}));
  EXPECT_EQ(device.blocks.death, (std::vector<EventIndex>{kNever, 5, kNever, 7}));
  EXPECT_EQ(activeOf(trace, 2),
            (std::vector<uint64_t>{1 << 20, 2 << 20, 4 << 20, 3 << 20, 4 << 20, 3 << 20}));
  EXPECT_EQ(device.peak, 4);
}

TEST(MemoryViewer, NamesTheInstructionItsLineAndTheOperation) {
  const Trace trace = readText(viewer(exampleBlocks()));
  const auto stack = trace.stacks.at(trace.devices[0].blocks.stack[1]);
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(trace.strings.at(trace.frames.name(stack[0])), "dot.1");
  EXPECT_EQ(trace.strings.at(trace.frames.file(stack[0])), "m.py");
  EXPECT_EQ(trace.frames.line(stack[0]), 7);
  EXPECT_EQ(trace.strings.at(trace.frames.name(stack[1])), "jit(f)/dot");
  EXPECT_EQ(trace.strings.at(trace.devices[0].events.label[3]), "f32[64], Temporary");
}

TEST(MemoryViewer, SaysWhereItsHeapSizesAreNotThoseOfItsBlocks) {
  const Trace trace = readText(viewer(exampleBlocks(), "[1,2,5,3,4,3]"));
  EXPECT_EQ(warningCodes(trace), "memory-viewer-heap");
  EXPECT_NE(trace.warnings[0].message.find("step 2"), std::string::npos);
}

TEST(MemoryViewer, LeavesOutBuffersThatLieInNoAllocation) {
  const std::string outside = block(9, "far", 4 * kMebibyte - 1, 2, 0, 2);
  const Trace trace = readText(viewer(exampleBlocks() + "," + outside + "," + block(10, "back", 0, 1, 3, 3)));
  EXPECT_EQ(warningCodes(trace), "memory-viewer-unplaced");
  EXPECT_NE(trace.warnings[0].message.find("2 buffers"), std::string::npos);
}

TEST(MemoryViewer, KnowsTheTotalOfEachStepAndThePeakByInstructionWithoutOffsets) {
  const Trace trace = readText(viewer(""));
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.layout, DeviceLayout::Totals);
  EXPECT_EQ(activeOf(trace, kBeforeFirst),
            (std::vector<uint64_t>{1 << 20, 2 << 20, 4 << 20, 3 << 20, 4 << 20, 3 << 20}));
  ASSERT_EQ(device.peak, 1);
  const auto consumers = consumersAt(device, device.peak, 5);
  ASSERT_EQ(consumers.size(), 3u);
  EXPECT_EQ(consumers[0].bytes, 2u << 20);
  EXPECT_EQ(trace.strings.at(trace.frames.name(trace.stacks.at(consumers[0].stack)[0])), "small buffers");
  EXPECT_EQ(trace.strings.at(device.events.label[1]), "add.2");
  EXPECT_EQ(warningCodes(trace), "no-addresses");
}

TEST(MemoryViewer, IsOneMomentWithoutHeapSizes) {
  const Trace trace =
      readText(R"({"heapSizes":[],"maxHeap":[{"logicalBufferSizeMib":0.5,"instructionName":"p"}]})");
  const Device& device = trace.devices[0];
  EXPECT_FALSE(device.hasHistory);
  EXPECT_EQ(device.blocks.bytes, (std::vector<uint64_t>{1 << 19}));
}

TEST(MemoryViewer, KeepsABufferThatTheLastStepAllocates) {
  const std::string blocks = block(-1, "t", 0, 4 * kMebibyte, 0, 2) + "," +
                             block(2, "a", 0, kMebibyte, 0, 1) + "," +
                             block(3, "b", kMebibyte, kMebibyte, 1, 1);
  const Trace trace = readText(R"({"heapSizes":[0,1,2],"maxHeap":[],"bufferBlocks":[)" + blocks + "]}");
  EXPECT_EQ(warningCodes(trace), "");
  EXPECT_EQ(trace.devices[0].blocks.death, (std::vector<EventIndex>{kNever, kNever}));
}

TEST(MemoryViewer, PlaysStepsThatNothingNamesWithoutCountingToThem) {
  const Trace trace =
      readText(R"({"heapSizes":[],"bufferBlocks":[)" + block(-1, "t", 0, 64, 0, 2'000'000'000) + "," +
               block(1, "a", 0, 8, 5, 2'000'000'000) + R"(],"maxHeap":[]})");
  EXPECT_EQ(trace.devices[0].events.count(), 3u);
}

TEST(MemoryViewer, TakesSizesThatAreNoneAsNothing) {
  const Trace trace = readText(R"({"heapSizes":[1,"NaN",1e300,2],"unpaddedHeapSizes":[]})");
  EXPECT_EQ(warningCodes(trace), "no-addresses row-unreadable");
  EXPECT_EQ(activeOf(trace, kBeforeFirst), (std::vector<uint64_t>{1 << 20, 0, 0, 2 << 20}));
}

TEST(MemoryViewer, RefusesOneThatNamesNoBufferAndSaysWhatToOpen) {
  EXPECT_EQ(refusalOfText(R"({"heapSizes":[],"maxHeap":[]})"), "memory-viewer-empty");
  EXPECT_EQ(refusalOfText(R"({"heapSizes":[)"), "capture-truncated");
}

TEST(MemoryViewer, EndsInADefinedWayWhereverItIsCut) {
  const std::string whole = viewer(exampleBlocks());
  for (size_t length = 14; length < whole.size(); ++length) {
    try {
      const Trace trace = readText(std::string_view(whole).substr(0, length));
      EXPECT_FALSE(trace.isComplete);
    } catch (const CaptureError& error) {
      EXPECT_EQ(error.code, "capture-truncated") << length;
    }
  }
}

}  // namespace
}  // namespace strata::test
