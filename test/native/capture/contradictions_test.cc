// Rows that no memory can have written: impossible sizes, and segments and blocks that contradict each other.

#include <gtest/gtest.h>

#include <random>

#include "allocator/rebuild.h"
#include "analysis/index.h"
#include "capture/made_captures.h"

namespace strata::test {
namespace {

constexpr char kHeader[] = "action,address,bytes\n";

const Warning& warningOf(const Trace& trace, const std::string& code) {
  static const Warning none;
  for (const Warning& warning : trace.warnings)
    if (warning.code == code) return warning;
  ADD_FAILURE() << "no warning " << code << " among: " << warningCodes(trace);
  return none;
}

/// At every event what is reserved holds what is active, and what is free holds what is cached whole.
void expectConsistent(const Trace& trace) {
  for (const Device& device : trace.devices) {
    const Index index(trace, device);
    for (EventIndex event = kBeforeFirst; event < static_cast<EventIndex>(device.events.count()); ++event) {
      for (const RegionMoment& region : index.moment(event).regions) {
        EXPECT_GE(region.reserved, region.active) << "event " << event;
        EXPECT_GE(region.reserved - region.active, region.cachedWhole) << "event " << event;
        EXPECT_GE(region.reserved - region.active, region.largestFree) << "event " << event;
      }
    }
  }
}

TEST(Contradictions, LeavesOutASizeThatNoMemoryHas) {
  const std::string huge = "9223372036854775808";
  const Trace trace = readText(std::string(kHeader) + "alloc,0x1000,512\nalloc,0x2000," + huge +
                               "\nalloc,0x7fffffffffffffff,512\nsegment_alloc,0," + huge +
                               "\nfree,0x1000,\n" + "oom,," + huge + "\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.events.count(), 3u);
  EXPECT_EQ(device.blocks.count(), 1u);
  EXPECT_EQ(device.events.size[2], uint64_t{1} << 63) << "a request that failed may be of any size";
  const Warning& warning = warningOf(trace, "size-impossible");
  EXPECT_EQ(warning.line, 3);
  EXPECT_TRUE(warning.isDamage);
  EXPECT_EQ(warning.message.find("3 rows are left out"), 0u) << warning.message;
}

TEST(Contradictions, KeepsSumsWithinBoundsWhereOnlyTotalsAreKnown) {
  std::string text = "action,bytes\n";
  for (int i = 0; i < 300; ++i) text += "alloc,1125899906842624\n";
  const Trace trace = readText(text);
  EXPECT_EQ(trace.devices[0].blocks.count(), 128u);
  EXPECT_EQ(warningOf(trace, "size-impossible").line, 130);
  const Index index(trace, trace.devices[0]);
  EXPECT_EQ(index.extremes().final[kAllRegions][1], uint64_t{1} << 57);
}

TEST(Contradictions, RefusesAFileWhoseEveryRowIsImpossible) {
  try {
    readText(std::string(kHeader) + "alloc,0x1000,9223372036854775808\n");
    FAIL();
  } catch (const CaptureError& error) {
    EXPECT_EQ(error.code, "capture-damaged");
  }
}

TEST(Contradictions, LeavesOutImpossibleRowsOfRmmAndOfAProfiler) {
  const Trace rmm = readText(
      "Time,Action,Pointer,Size,Stream\n10:00:00:000001,allocate,0x1000,10,0x0\n"
      "10:00:00:000002,allocate,0x2000,9223372036854775808,0x0\n");
  EXPECT_EQ(rmm.devices[0].events.count(), 1u);
  EXPECT_EQ(warningOf(rmm, "size-impossible").line, 3);
  const std::string before =
      R"({"traceEvents":[{"ph":"i","name":"[memory]","ts":1,"args":{"Device Type":1,"Device Id":0,"Bytes":8,"Addr":4096}},)";
  const Trace kineto = readText(
      before +
      R"({"ph":"i","name":"[memory]","ts":2,"args":{"Device Type":1,"Device Id":0,"Bytes":9000000000000000000,"Addr":8192}}]})");
  EXPECT_EQ(kineto.devices[0].events.count(), 1u);
  EXPECT_EQ(warningOf(kineto, "size-impossible").byte, static_cast<int64_t>(before.size()));
}

TEST(Contradictions, EndsASegmentThatAnotherIsTakenOver) {
  const Trace trace =
      readText(std::string(kHeader) +
               "segment_alloc,0x100000,0x100000\nalloc,0x100000,0x1000\n"
               "alloc,0x1f0000,0x1000\nsegment_alloc,0x180000,0x100000\nalloc,0x180000,0x2000\n"
               "free,0x100000,\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.segments.death, (std::vector<EventIndex>{3, kNever}));
  EXPECT_EQ(device.blocks.death, (std::vector<EventIndex>{3, 3, kNever}));
  EXPECT_EQ(device.blocks.segment, (std::vector<uint32_t>{0, 0, 1}));
  EXPECT_EQ(warningCodes(trace), "freed-twice segments-overlap segment-in-use");
  EXPECT_EQ(warningOf(trace, "segments-overlap").line, 5);
  expectConsistent(trace);
}

TEST(Contradictions, ChangesNothingWhenASegmentIsTakenTwice) {
  const Trace trace =
      readText(std::string(kHeader) +
               "segment_alloc,0x100000,4096\nalloc,0x100000,512\nsegment_alloc,0x100000,4096\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.segments.count(), 1u);
  EXPECT_EQ(device.blocks.death, (std::vector<EventIndex>{kNever}));
  EXPECT_EQ(warningOf(trace, "segment-taken-twice").line, 4);
  expectConsistent(trace);
}

TEST(Contradictions, EndsTheBlocksOfASegmentThatIsGivenBack) {
  const Trace trace = readText(std::string(kHeader) +
                               "segment_alloc,0x100000,4096\nalloc,0x100000,512\nsegment_free,0x100000,4096\n"
                               "free,0x100000,512\n");
  EXPECT_EQ(trace.devices[0].blocks.death, (std::vector<EventIndex>{2}));
  EXPECT_EQ(warningOf(trace, "segment-in-use").line, 4);
  expectConsistent(trace);
}

TEST(Contradictions, LeavesOutABlockAcrossTheBorderOfASegment) {
  const Trace trace = readText(std::string(kHeader) +
                               "segment_alloc,0x100000,4096\nalloc,0x100f00,512\nalloc,0xfff00,512\n"
                               "alloc,0x200000,512\nfree,0x100f00,\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.blocks.count(), 1u);
  EXPECT_EQ(warningOf(trace, "allocation-across-segments").message.find("2 allocations are left out"), 0u);
  EXPECT_EQ(warningOf(trace, "block-outside-segments").message,
            "1 block lies in no recorded segment and stands for itself.");
  expectConsistent(trace);
}

TEST(Contradictions, LeavesOutASegmentFromBeforeTheRecordingThatABlockContradicts) {
  const Trace trace = readText(std::string(kHeader) +
                               "alloc,0x1f00,512\nfree,0x1f00,\nalloc,0x5000,512\nfree,0x5000,\n"
                               "segment_free,0x1000,4096\nsegment_free,0x5000,4096\n");
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.segments.address, (std::vector<uint64_t>{0x5000, 0x1f00}));
  EXPECT_EQ(device.blocks.segment, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(warningCodes(trace), "segment-contradicted block-outside-segments");
  expectConsistent(trace);
}

TEST(Contradictions, KeepsSumsRightWhateverTheOrderOfRows) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const char* actions[] = {"alloc", "free", "segment_alloc", "segment_free"};
  for (int round = 0; round < 200; ++round) {
    std::string text = "action,address,bytes,region\n";
    for (int row = 0; row < 40; ++row) {
      const auto pick = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
      const char* regions[] = {"immediate", "pooled", "virtual", ""};
      text += std::string(actions[pick(4)]) + "," + std::to_string(pick(16) * 256) + "," +
              std::to_string((1 + pick(6)) * 256) + "," + regions[pick(4)] + "\n";
    }
    expectConsistent(readText(text));
    if (HasFailure()) {
      std::printf("%s", text.c_str());
      return;
    }
  }
}

/// A snapshot whose end is one block of 512 bytes, after an event that asked for 1.5 MiB there.
std::string snapshotThatDisagrees(const std::string& finalType, const std::string& requested) {
  return R"({"segments": [{"device": 0, "address": 4096, "total_size": 2097152, "stream": 0, "segment_type": ")" +
         finalType +
         R"(", "blocks": [{"address": 4096, "size": 512, "state": "active_allocated", "requested_size": )" +
         requested + R"(}, {"address": 4608, "size": 2096640, "state": "inactive"}]}], "device_traces": [[
         {"action": "segment_alloc", "addr": 4096, "size": 2097152, "stream": 0, "time_us": 1700000000000000},
         {"action": "alloc", "addr": 4096, "size": 1572864, "stream": 0, "time_us": 1700000000000001}]]})";
}

TEST(Contradictions, OfASnapshotsEndAndItsEventsLeaveRequestsAndRegionsThatAddUp) {
  for (const char* finalType : {"small", "large"}) {
    for (const char* requested : {"512", "9999"}) {
      SCOPED_TRACE(std::string(finalType) + " " + requested);
      Trace trace = readText(snapshotThatDisagrees(finalType, requested));
      rebuild(trace, {});
      const BlockColumns& blocks = trace.devices[0].blocks;
      ASSERT_GE(blocks.count(), 1u);
      for (size_t i = 0; i < blocks.count(); ++i) {
        EXPECT_LE(blocks.requested[i], blocks.bytes[i]);
        EXPECT_EQ(blocks.region[i], trace.devices[0].segments.region[blocks.segment[i]]);
      }
      expectConsistent(trace);
    }
  }
}

}  // namespace
}  // namespace strata::test
