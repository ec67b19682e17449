#include "capture/protobuf/hlo_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/index.h"
#include "capture/capture.h"
#include "capture/protobuf/encoder.h"

namespace strata::protobuf {
namespace {

using test::Encoder;

constexpr uint64_t kAllocate = 0, kFree = 1, kShare = 2;

Encoder instruction(uint64_t id, std::string_view name) {
  const Encoder metadata = Encoder().text(2, "jit(step)/dot").text(3, "model.py").number(4, 17);
  return Encoder().text(1, name).text(2, "dot").message(7, metadata).number(35, id);
}

Encoder logicalBuffer(uint64_t id, uint64_t bytes, uint64_t instructionId) {
  return Encoder().number(1, id).number(2, bytes).message(3, Encoder().number(4, instructionId));
}

Encoder assigned(uint64_t buffer, uint64_t offset, uint64_t bytes) {
  return Encoder().number(1, buffer).number(2, offset).number(3, bytes);
}

Encoder heapEvent(uint64_t kind, uint64_t buffer, std::string_view instructionName, uint64_t sharedWith = 0) {
  Encoder event;
  event.number(1, kind).number(2, buffer).text(3, "main").text(4, instructionName);
  return sharedWith == 0 ? event : event.number(5, sharedWith);
}

struct Module {
  Encoder computation = Encoder().text(1, "main");
  Encoder assignment;

  std::string bytes() const {
    return Encoder()
        .message(1, Encoder().text(1, "jit_step").message(3, computation))
        .message(3, assignment)
        .bytes();
  }
};

/// A parameter of 4096 bytes, and a temporary of 1024 in which buffers 2, 3 and 4 lie.
Module exampleModule() {
  Module module;
  module.computation.message(2, instruction(11, "param.1"))
      .message(2, instruction(12, "dot.2"))
      .message(2, instruction(13, "add.3"));
  module.assignment.message(1, logicalBuffer(1, 4096, 11))
      .message(1, logicalBuffer(2, 512, 12))
      .message(1, logicalBuffer(3, 512, 13))
      .message(1, logicalBuffer(4, 512, 13));
  module.assignment.message(
      3, Encoder().number(1, 0).number(2, 4096).number(5, 1).number(6, 3).message(9, assigned(1, 0, 4096)));
  module.assignment.message(3, Encoder()
                                   .number(1, 1)
                                   .number(2, 1024)
                                   .message(9, assigned(2, 0, 512))
                                   .message(9, assigned(3, 512, 512))
                                   .message(9, assigned(4, 0, 512)));
  return module;
}

Trace read(const std::string& bytes) {
  return readCapture(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), {});
}

TEST(Hlo, ShowsBuffersAtTheirOffsetsOverTheStepsOfTheProgram) {
  Module module = exampleModule();
  module.assignment.message(4, Encoder()
                                   .message(1, heapEvent(kAllocate, 2, "dot.2"))
                                   .message(1, heapEvent(kAllocate, 3, "add.3"))
                                   .message(1, heapEvent(kFree, 2, "add.3"))
                                   .message(1, heapEvent(kAllocate, 4, "add.3"))
                                   .number(3, 1));
  const Trace trace = read(module.bytes());
  EXPECT_EQ(trace.format, "xla-hlo");
  EXPECT_FALSE(trace.hasClock);
  ASSERT_EQ(trace.devices.size(), 1u);
  const Device& device = trace.devices[0];
  ASSERT_EQ(device.segments.count(), 2u);
  EXPECT_EQ(device.segments.bytes, (std::vector<uint64_t>{4096, 1024}));
  const uint64_t temporary = device.segments.address[1];
  ASSERT_EQ(device.blocks.count(), 4u);
  EXPECT_EQ(device.blocks.address[1], temporary);
  EXPECT_EQ(device.blocks.address[2], temporary + 512);
  EXPECT_EQ(device.blocks.address[3], temporary);
  EXPECT_EQ(device.blocks.death[0], kNever);
  EXPECT_EQ(device.blocks.death[1], device.blocks.birth[2] + 1);
  EXPECT_EQ(trace.strings.at(device.events.label[2]), "parameter 3");
}

TEST(Hlo, NamesTheInstructionItsLineAndTheOperation) {
  Module module = exampleModule();
  module.assignment.message(4, Encoder().message(1, heapEvent(kAllocate, 2, "dot.2")).number(3, 1));
  const Trace trace = read(module.bytes());
  const auto stack = trace.stacks.at(trace.devices[0].blocks.stack[1]);
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(trace.strings.at(trace.frames.name(stack[0])), "dot.2");
  EXPECT_EQ(trace.strings.at(trace.frames.file(stack[0])), "model.py");
  EXPECT_EQ(trace.frames.line(stack[0]), 17);
  EXPECT_EQ(trace.strings.at(trace.frames.name(stack[1])), "jit(step)/dot");
}

TEST(Hlo, KeepsSharedMemoryUntilTheLastBufferIsFreed) {
  Module module = exampleModule();
  module.assignment.message(4, Encoder()
                                   .message(1, heapEvent(kAllocate, 2, "dot.2"))
                                   .message(1, heapEvent(kShare, 3, "add.3", 2))
                                   .message(1, heapEvent(kFree, 2, "add.3"))
                                   .message(1, heapEvent(kFree, 3, "add.3"))
                                   .number(3, 1));
  const Device device = read(module.bytes()).devices[0];
  ASSERT_EQ(device.blocks.count(), 2u);
  EXPECT_EQ(device.blocks.death[1], static_cast<EventIndex>(device.events.count()) - 1);
}

TEST(Hlo, MergesHeapTracesByTheirInstructions) {
  Module module = exampleModule();
  module.assignment.message(1, logicalBuffer(9, 64, 13))
      .message(3, Encoder().number(1, 2).number(2, 64).message(9, assigned(9, 0, 64)))
      .message(4, Encoder()
                      .message(1, heapEvent(kAllocate, 2, "dot.2"))
                      .message(1, heapEvent(kAllocate, 3, "add.3"))
                      .message(1, heapEvent(kFree, 2, "last.4"))
                      .number(3, 1))
      .message(4, Encoder().message(1, heapEvent(kAllocate, 9, "add.3")).number(3, 2));
  const Device device = read(module.bytes()).devices[0];
  const BlockColumns& blocks = device.blocks;
  ASSERT_EQ(blocks.count(), 4u);
  EXPECT_EQ(blocks.bytes[3], 64u);
  EXPECT_LT(blocks.birth[3], blocks.death[1]);
}

TEST(Hlo, ShowsAllocationsWholeWhereNoHeapWasSimulated) {
  const Trace trace = read(exampleModule().bytes());
  EXPECT_EQ(trace.devices[0].blocks.bytes, (std::vector<uint64_t>{4096, 1024}));
  EXPECT_EQ(trace.warnings[0].code, "hlo-no-heap-trace");
}

TEST(Hlo, KeepsMemorySpacesApart) {
  Module module = exampleModule();
  module.assignment.message(3, Encoder().number(1, 5).number(2, 64).number(8, 1));
  const Trace trace = read(module.bytes());
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[1].ordinal, 1);
}

TEST(Hlo, LeavesOutBuffersThatLieOutsideTheirAllocation) {
  Module module = exampleModule();
  module.assignment.message(3, Encoder().number(1, 7).number(2, 100).message(9, assigned(8, 90, 20)))
      .message(4, Encoder().message(1, heapEvent(kAllocate, 8, "dot.2")).number(3, 7));
  const Trace trace = read(module.bytes());
  EXPECT_EQ(trace.warnings[0].code, "hlo-unplaced");
}

TEST(Hlo, ShowsThePeakOfLiveBuffersAndNotTheMomentAllAllocationsAreThere) {
  Module module = exampleModule();
  module.assignment.message(4, Encoder()
                                   .message(1, heapEvent(kAllocate, 2, "dot.2"))
                                   .message(1, heapEvent(kFree, 2, "dot.2"))
                                   .message(1, heapEvent(kAllocate, 4, "add.3"))
                                   .message(1, heapEvent(kAllocate, 3, "add.3"))
                                   .message(1, heapEvent(kFree, 3, "add.3"))
                                   .number(3, 1));
  const Trace trace = read(module.bytes());
  const Device& device = trace.devices[0];
  const Index index(trace, device);
  EXPECT_EQ(index.extremes().peak[kAllRegions][2].event,
            1);  // reserved is all there before the program starts
  ASSERT_EQ(device.peak, index.extremes().peak[kAllRegions][1].event);
  uint64_t active = 0, reserved = 0;
  for (const RegionMoment& region : index.moment(device.peak).regions) {
    active += region.active;
    reserved += region.reserved;
  }
  EXPECT_EQ(active, 4096u + 512 + 512);
  EXPECT_EQ(reserved, 4096u + 1024);
}

TEST(Hlo, KeepsTheStepsBeforeACutThatTakesTheNameOfTheirAllocation) {
  Module module = exampleModule();
  module.assignment.message(4, Encoder()
                                   .message(1, heapEvent(kAllocate, 2, "dot.2"))
                                   .message(1, heapEvent(kAllocate, 3, "add.3"))
                                   .message(1, heapEvent(kFree, 2, "last.4"))
                                   .number(3, 1));
  const std::string whole = module.bytes();
  for (const size_t lost : {1u, 2u, 3u, 10u}) {
    const Trace trace = read(whole.substr(0, whole.size() - lost));
    EXPECT_FALSE(trace.isComplete);
    const BlockColumns& blocks = trace.devices[0].blocks;
    ASSERT_EQ(blocks.count(), 3u) << lost << " bytes lost";
    EXPECT_EQ(blocks.bytes, (std::vector<uint64_t>{4096, 512, 512}));
    EXPECT_EQ(blocks.death[1] == kNever, lost > 2);  // the free is gone as soon as a byte of it is
  }
}

TEST(Hlo, DoesNotGuessWhatAnAllocationIsForThatIsCutOff) {
  Module module;
  const std::string whole = exampleModule().bytes();
  const Trace trace = read(whole.substr(0, whole.size() - 4));
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.blocks.bytes, (std::vector<uint64_t>{4096, 1024}));
  EXPECT_EQ(trace.strings.at(device.events.label[3]), "not known");
}

TEST(Hlo, RefusesAModuleWithoutABufferAssignmentAndSaysHowToDumpIt) {
  try {
    read(Encoder().message(1, Encoder().text(1, "jit_step").text(2, "main")).bytes());
    FAIL();
  } catch (const CaptureError& error) {
    EXPECT_EQ(error.code, "hlo-no-assignment");
    EXPECT_NE(error.remedy.find("xla_dump_to"), std::string::npos);
  }
}

TEST(Hlo, EndsInADefinedWayWhereverItIsCut) {
  Module module = exampleModule();
  module.assignment.message(4, Encoder().message(1, heapEvent(kAllocate, 2, "dot.2")).number(3, 1));
  const std::string whole = module.bytes();
  for (size_t length = 2; length < whole.size(); ++length) {
    try {
      EXPECT_FALSE(read(whole.substr(0, length)).devices.empty());
    } catch (const CaptureError& error) {
      EXPECT_FALSE(error.remedy.empty());
    }
  }
}

}  // namespace
}  // namespace strata::protobuf
