#include "capture/protobuf/memory_dump.h"

#include <gtest/gtest.h>

#include <vector>

#include "capture/capture.h"
#include "capture/protobuf/encoder.h"

namespace strata::protobuf {
namespace {

using test::Encoder;

Encoder used(uint64_t address, uint64_t bytes, uint64_t requested, std::string_view op) {
  return Encoder()
      .number(1, address)
      .number(2, bytes)
      .number(3, requested)
      .number(4, static_cast<uint64_t>(-1))
      .text(5, op)
      .number(8, 1);
}

Encoder unused(uint64_t address, uint64_t bytes, uint64_t freedAt = 0) {
  return Encoder().number(1, address).number(2, bytes).number(3, 77).number(4, 3).number(6, freedAt);
}

std::string dump(std::initializer_list<Encoder> chunks, uint64_t statedInUse) {
  Encoder file = Encoder().text(1, "GPU_1_bfc").message(2, Encoder().number(1, 0).number(2, 256));
  for (const Encoder& chunk : chunks) file.message(3, chunk);
  return file.message(5, Encoder().number(1, 9).number(2, statedInUse).number(3, 4096)).bytes();
}

Trace read(const std::string& bytes) {
  return readCapture(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), {});
}

TEST(MemoryDump, ShowsChunksInUseWithWhatWasAskedForAndRegionsByTheirBreaks) {
  const Trace trace =
      read(dump({used(0x1000, 512, 500, "MatMul"), unused(0x1200, 256), used(0x9000, 256, 4, "Add")}, 768));
  EXPECT_EQ(trace.format, "tensorflow-memory-dump");
  ASSERT_EQ(trace.devices.size(), 1u);
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.ordinal, 1);
  EXPECT_EQ(device.allocator, "GPU_1_bfc");
  EXPECT_EQ(device.segments.address, (std::vector<uint64_t>{0x1000, 0x9000}));
  EXPECT_EQ(device.segments.bytes, (std::vector<uint64_t>{768, 256}));
  EXPECT_EQ(device.blocks.requested, (std::vector<uint64_t>{500, 4}));
  EXPECT_EQ(device.blocks.segment, (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(trace.warnings.empty());
  const uint32_t frame = trace.stacks.at(device.blocks.stack[1])[0];
  EXPECT_EQ(trace.strings.at(trace.frames.name(frame)), "Add");
}

TEST(MemoryDump, ShowsChunksThatWaitForTheirStreamAsPending) {
  const Device device = read(dump({unused(0x1000, 512, 7), used(0x1200, 256, 9, "")}, 256)).devices[0];
  EXPECT_EQ(device.blocks.freeRequested, (std::vector<EventIndex>{kBeforeFirst, kNever}));
}

TEST(MemoryDump, ComparesTheStatedSumWithItsChunks) {
  const Trace trace = read(dump({used(0x1000, 512, 500, "")}, 9999));
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "memory-dump-sum");
}

TEST(MemoryDump, CountsTheLaterOfTwoChunksThatOverlapAndOneThatIsListedTwiceOnce) {
  const Trace trace = read(dump(
      {used(0x1000, 512, 1, ""), used(0x1100, 512, 2, ""), unused(0x1300, 256), used(0x1100, 512, 2, "")},
      512));
  EXPECT_EQ(trace.devices[0].blocks.address, std::vector<uint64_t>{0x1100});
  EXPECT_EQ(trace.devices[0].segments.address, std::vector<uint64_t>{0x1100});
  ASSERT_EQ(trace.warnings.size(), 2u);
  EXPECT_EQ(trace.warnings[0].code, "memory-dump-overlap");
  EXPECT_TRUE(trace.warnings[0].isDamage);
  EXPECT_EQ(trace.warnings[1].code, "memory-dump-twice");
}

TEST(MemoryDump, LeavesOutChunksThatOverlapOrEndBehindTheLastAddress) {
  const Trace trace =
      read(dump({used(0x1000, 512, 1, ""), used(0x1100, 512, 1, ""), used(UINT64_MAX - 5, 512, 1, "")}, 512));
  EXPECT_EQ(trace.devices[0].blocks.count(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "memory-dump-chunks");
  EXPECT_TRUE(trace.warnings[0].isDamage);
}

TEST(MemoryDump, EndsInADefinedWayWhereverItIsCut) {
  const std::string whole = dump({used(0x1000, 512, 500, "MatMul"), unused(0x1200, 256)}, 512);
  for (size_t length = 2; length < whole.size(); ++length) {
    try {
      EXPECT_EQ(read(whole.substr(0, length)).devices.size(), 1u);
    } catch (const CaptureError& error) {
      EXPECT_FALSE(error.remedy.empty());
    }
  }
}

}  // namespace
}  // namespace strata::protobuf
