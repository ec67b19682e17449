// The memory profile tool of TensorBoard: totals over time, and who held the peak.

#include <gtest/gtest.h>

#include "analysis/consumers.h"
#include "analysis/index.h"
#include "capture/made_captures.h"
#include "capture/xprof/xprof_capture.h"

namespace strata::test {
namespace {

std::string stats(uint64_t heap, uint64_t stack = 0) {
  return R"({"stackReservedBytes":")" + std::to_string(stack) + R"(","heapAllocatedBytes":")" +
         std::to_string(heap) + R"(","freeMemoryBytes":")" + std::to_string(10'000 - heap - stack) +
         R"(","fragmentation":0.25,"peakBytesInUse":"9000"})";
}

std::string snapshot(uint64_t timePs, uint64_t heap, const std::string& activity, uint64_t stack = 0) {
  return R"({"timeOffsetPs":")" + std::to_string(timePs) + R"(","aggregationStats":)" + stats(heap, stack) +
         R"(,"activityMetadata":)" + activity + "}";
}

std::string activity(const std::string& kind, uint64_t bytes, const std::string& operation,
                     uint64_t address = 0) {
  return R"({"memoryActivity":")" + kind + R"(","requestedBytes":")" + std::to_string(bytes - 8) +
         R"(","allocationBytes":")" + std::to_string(bytes) + R"(","address":")" + std::to_string(address) +
         R"(","tfOpName":")" + operation +
         R"(","stepId":"3","regionType":"temp","dataType":"float","tensorShape":"[2, 128]"})";
}

std::string active(int snapshot, int special, int count) {
  return R"({"snapshotIndex":")" + std::to_string(snapshot) + R"(","specialIndex":")" +
         std::to_string(special) + R"(","numOccurrences":")" + std::to_string(count) + R"("})";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text = "[";
  for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : ",") + parts[i];
  return text + "]";
}

/// A file of version 1: samples of the timeline, the peak of 3,600 bytes at 5 us by operation.
std::string sampledProfile(const std::string& actives = active(0, -1, 2) + "," + active(-1, 0, 1) + "," +
                                                        active(-1, 1, 1)) {
  const std::string special =
      R"({"memoryActivity":"ALLOCATION","requestedBytes":"1000","allocationBytes":"1000","address":"0",)"
      R"("tfOpName":"unused preallocated device memory","stepId":"3","regionType":"persist/dynamic",)"
      R"("dataType":"INVALID","tensorShape":"unknown"})";
  const std::string stack =
      R"({"memoryActivity":"ALLOCATION","requestedBytes":"600","allocationBytes":"600","address":"0",)"
      R"("tfOpName":"stack","stepId":"3","regionType":"stack","dataType":"INVALID","tensorShape":"unknown"})";
  return R"({"memoryProfilePerAllocator":{"GPU_0_bfc":{"memoryProfileSnapshots":)" +
         joined({snapshot(4'000'000, 2000, activity("ALLOCATION", 1000, "while/MatMul"), 600)}) +
         R"(,"profileSummary":{"peakBytesUsageLifetime":"9000","peakStats":)" + stats(3000, 600) +
         R"(,"peakStatsTimePs":"5000000","memoryCapacity":"10000"},"activeAllocations":[)" + actives +
         R"(],"specialAllocations":)" + joined({special, stack}) + R"(,"sampledTimelineSnapshots":)" +
         joined({snapshot(1'000'000, 1200, activity("ALLOCATION", 200, "a"), 600),
                 snapshot(5'000'000, 3000, activity("ALLOCATION", 1000, "while/MatMul"), 600),
                 snapshot(9'000'000, 700, activity("DEALLOCATION", 500, "b"), 600)}) +
         R"(}},"numHosts":1,"memoryIds":["GPU_0_bfc"],"version":1,"hloModules":[)"
         R"({"name":"jit_step","startTimePs":"2000000","endTimePs":"8000000"}]})";
}

std::vector<uint64_t> activeOf(const Trace& trace, size_t device = 0) {
  const Index index(trace, trace.devices[device]);
  std::vector<uint64_t> totals;
  for (EventIndex event = kBeforeFirst; event < static_cast<EventIndex>(trace.devices[device].events.count());
       ++event) {
    totals.push_back(0);
    for (const RegionMoment& region : index.moment(event).regions) totals.back() += region.active;
  }
  return totals;
}

TEST(MemoryProfile, StatesTheTotalsOfItsSamples) {
  const Trace trace = readText(sampledProfile());
  EXPECT_EQ(trace.format, "tensorboard-memory-profile");
  ASSERT_EQ(trace.devices.size(), 1u);
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.allocator, "GPU_0_bfc");
  EXPECT_EQ(device.layout, DeviceLayout::Totals);
  EXPECT_EQ(activeOf(trace), (std::vector<uint64_t>{0, 1800, 3600, 1300}));
  EXPECT_EQ(device.events.time, (std::vector<int64_t>{0, 4000, 8000}));
  EXPECT_TRUE(trace.hasClock);
  EXPECT_FALSE(trace.hasOrigin);
  EXPECT_EQ(trace.strings.at(device.events.label[1]), "float [2, 128], temp, step 3");
  EXPECT_EQ(trace.settings, (std::vector<std::pair<std::string, std::string>>{
                                {"memory_capacity of GPU_0_bfc", "10000"},
                                {"peak_bytes_usage_lifetime of GPU_0_bfc", "9000"}}));
}

TEST(MemoryProfile, KnowsWhoHeldThePeakByOperation) {
  const Trace trace = readText(sampledProfile());
  const Device& device = trace.devices[0];
  ASSERT_EQ(device.peak, 1);
  const auto consumers = consumersAt(device, device.peak, 10);
  ASSERT_EQ(consumers.size(), 3u);
  const auto nameOf = [&](uint32_t stack) {
    return std::string(trace.strings.at(trace.frames.name(trace.stacks.at(stack)[0])));
  };
  EXPECT_EQ(nameOf(consumers[0].stack), "while/MatMul");
  EXPECT_EQ(consumers[0].bytes, 2000u);
  EXPECT_EQ(consumers[0].count, 2u);
  EXPECT_EQ(nameOf(consumers[1].stack), "outside_this_step");
  EXPECT_EQ(nameOf(consumers[2].stack), "stack");
  EXPECT_EQ(warningCodes(trace), "memory-profile-sampled memory-profile-unmapped");
}

TEST(MemoryProfile, KeepsHeapStackFreeFragmentationAndPeakAsCounters) {
  const Trace trace = readText(sampledProfile());
  ASSERT_EQ(trace.counters.size(), 5u);
  EXPECT_EQ(trace.strings.at(trace.counters[0].name), "heap_allocated_bytes");
  EXPECT_EQ(trace.counters[0].value, (std::vector<double>{1200, 3000, 700}));
  EXPECT_EQ(trace.counters[0].time, (std::vector<int64_t>{0, 4000, 8000}));
  EXPECT_EQ(trace.strings.at(trace.counters[3].name), "fragmentation");
  EXPECT_EQ(trace.counters[3].value, (std::vector<double>{25}));
}

TEST(MemoryProfile, NamesTheProgramsThatRan) {
  const Trace trace = readText(sampledProfile());
  ASSERT_EQ(trace.annotations.size(), 1u);
  EXPECT_EQ(trace.strings.at(trace.annotations[0].name), "jit_step");
  EXPECT_EQ(trace.annotations[0].begin, 1000);
  EXPECT_EQ(trace.annotations[0].end, 7000);
}

TEST(MemoryProfile, PlacesBlocksWhereTheTimelineLeavesNothingOut) {
  const Trace trace =
      readText(R"({"memory_profile_per_allocator":{"GPU_0_bfc":{"memory_profile_snapshots":)" +
               joined({snapshot(1'000'000, 700, activity("ALLOCATION", 200, "a", 4096)),
                       snapshot(2'000'000, 1000, activity("ALLOCATION", 300, "b", 8192)),
                       snapshot(3'000'000, 800, activity("DEALLOCATION", 200, "a", 4096))}) +
               "}}}");
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.layout, DeviceLayout::Blocks);
  EXPECT_EQ(device.blocks.address, (std::vector<uint64_t>{4096, 8192}));
  EXPECT_EQ(device.blocks.bytes, (std::vector<uint64_t>{200, 300}));
  EXPECT_EQ(device.blocks.requested, (std::vector<uint64_t>{192, 292}));
  EXPECT_EQ(device.blocks.death[0], 2);
  EXPECT_EQ(warningCodes(trace), "memory-before-recording no-segments");
  EXPECT_NE(trace.warnings[0].message.find("had 500 bytes"), std::string::npos);
}

TEST(MemoryProfile, ClaimsNoPlacesWhereAnEventIsMissing) {
  const Trace trace = readText(R"({"memoryProfilePerAllocator":{"0":{"memoryProfileSnapshots":)" +
                               joined({snapshot(1'000'000, 700, activity("ALLOCATION", 200, "a", 4096)),
                                       snapshot(3'000'000, 900, activity("DEALLOCATION", 200, "a", 4096))}) +
                               "}}}");
  EXPECT_EQ(trace.devices[0].layout, DeviceLayout::Totals);
  EXPECT_EQ(activeOf(trace), (std::vector<uint64_t>{0, 700, 900}));
}

TEST(MemoryProfile, ClaimsNoPlacesWhereAddressesContradictOneAnother) {
  const Trace trace = readText(R"({"memoryProfilePerAllocator":{"0":{"memoryProfileSnapshots":)" +
                               joined({snapshot(1'000'000, 200, activity("ALLOCATION", 200, "a", 4096)),
                                       snapshot(2'000'000, 500, activity("ALLOCATION", 300, "b", 4096))}) +
                               "}}}");
  EXPECT_EQ(trace.devices[0].layout, DeviceLayout::Totals);
  EXPECT_EQ(activeOf(trace), (std::vector<uint64_t>{0, 200, 500}));
}

TEST(MemoryProfile, PutsThePeakAmongSamplesThatDoNotHoldIt) {
  const Trace trace =
      readText(R"({"memoryProfilePerAllocator":{"0":{"profileSummary":{"peakStats":)" + stats(900) +
               R"(,"peakStatsTimePs":"2000000"},"sampledTimelineSnapshots":)" +
               joined({snapshot(1'000'000, 100, "{}"), snapshot(3'000'000, 200, "{}")}) + "}}}");
  EXPECT_EQ(activeOf(trace), (std::vector<uint64_t>{0, 100, 900, 200}));
}

TEST(MemoryProfile, SaysWhenThePeakDoesNotAddUp) {
  const Trace differs = readText(sampledProfile(active(0, -1, 1)));
  EXPECT_EQ(warningCodes(differs), "memory-profile-peak memory-profile-sampled");
  EXPECT_EQ(differs.devices[0].peak, kNever);
  const Trace absent = readText(sampledProfile(active(17, -1, 1)));
  EXPECT_EQ(absent.warnings[0].code, "memory-profile-peak");
  EXPECT_TRUE(absent.warnings[0].isDamage);
  const Trace many =
      readText(sampledProfile(R"({"snapshotIndex":0,"numOccurrences":"18446744073709551615"})"));
  EXPECT_EQ(many.warnings[0].code, "memory-profile-peak");
}

TEST(MemoryProfile, GivesEachMemoryADevice) {
  const std::string one = R"({"sampledTimelineSnapshots":)" + joined({snapshot(5, 100, "{}")}) + "}";
  const Trace trace =
      readText(R"({"memoryProfilePerAllocator":{"GPU_0_bfc":)" + one + R"(,"gpu_host_bfc":)" + one + "}}");
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[1].kind, DeviceKind::Host);
  EXPECT_EQ(trace.devices[1].ordinal, 1);
}

TEST(MemoryProfile, LeavesOutSnapshotsWithoutTotalsAndCountsThem) {
  const std::string bad = R"({"timeOffsetPs":"9","aggregationStats":{"heapAllocatedBytes":"-4"}})";
  const Trace trace = readText(R"({"memoryProfilePerAllocator":{"0":{"sampledTimelineSnapshots":)" +
                               joined({snapshot(5, 100, "{}"), bad, bad}) + "}}}");
  EXPECT_EQ(trace.devices[0].events.count(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "row-unreadable");
  EXPECT_GT(trace.warnings[0].byte, 0);
}

TEST(MemoryProfile, RefusesOneThatHoldsNothingAndSaysHowToRecord) {
  EXPECT_EQ(refusalOfText(R"({"memoryProfilePerAllocator":{},"numHosts":1})"), "memory-profile-empty");
  EXPECT_EQ(refusalOfText(R"({"memoryProfilePerAllocator":{"a":{"memoryPro)"), "capture-truncated");
  EXPECT_EQ(refusalOfText(R"({"memoryProfilePerAllocator":{"a" 5)"), "capture-damaged");
}

TEST(MemoryProfile, EndsInADefinedWayWhereverItIsCut) {
  const std::string whole = sampledProfile();
  for (size_t length = 40; length < whole.size(); ++length) {
    try {
      const Trace trace = readText(std::string_view(whole).substr(0, length));
      EXPECT_FALSE(trace.isComplete);
      EXPECT_FALSE(trace.devices.empty());
    } catch (const CaptureError& error) {
      EXPECT_EQ(error.code, "capture-truncated") << length;
    }
  }
}

TEST(XprofTools, AreToldByTheNamesOfTheirMembers) {
  const auto toolOf = [](std::string_view text) {
    return xprof::recognise({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(toolOf("\xef\xbb\xbf{\"numHosts\":1,\"memoryProfilePerAllocator\":{}}"),
            xprof::Tool::MemoryProfile);
  EXPECT_EQ(toolOf(R"({"heapSizes":[1],"unpaddedHeapSizes":[1]})"), xprof::Tool::MemoryViewer);
  EXPECT_EQ(toolOf(R"({"heap_sizes":[1, 2)"), xprof::Tool::MemoryViewer);
  EXPECT_EQ(toolOf(R"({"heapSizes":[1],"other":2})"), xprof::Tool::None);
  EXPECT_EQ(toolOf(R"({"segments":[]})"), xprof::Tool::None);
  EXPECT_EQ(toolOf("{nonsense"), xprof::Tool::None);
}

}  // namespace
}  // namespace strata::test
