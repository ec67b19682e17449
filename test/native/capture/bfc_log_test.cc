#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "allocator/rebuild.h"
#include "analysis/index.h"
#include "capture/bfc_compare.h"
#include "capture/bfc_units.h"
#include "capture/capture.h"

namespace strata {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

Trace read(const std::string& text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  Trace trace = readCapture(std::span<const uint8_t>(bytes, text.size()), {});
  rebuild(trace, {});
  return trace;
}

std::vector<std::string> codes(const Trace& trace) {
  std::vector<std::string> codes;
  for (const Warning& warning : trace.warnings) codes.push_back(warning.code);
  return codes;
}

using Codes = std::vector<std::string>;

std::string setting(const Trace& trace, const std::string& name) {
  for (const auto& [key, value] : trace.settings)
    if (key == name) return value;
  return "not there";
}

/// One region of 4 MiB: 1 MiB in use, 1 MiB free, 2 MiB in use; a request of 1.5 MiB fails.
struct Shape {
  std::string prefix = "2024-07-12 14:20:01.744246: I tensorflow/tsl/framework/bfc_allocator.cc:1095] ";
  std::string end = "\n";
  std::string allocator = "GPU_0_bfc";
  bool hasRegions = true;
  std::string failure = " (rounded to 1572864)requested by op model/dense/MatMul";
  std::string inUse = "InUse at ", free = "Free  at ", nextBefore, nextAfter = " next 2";
  uint64_t base = 0x7f5936000000;
  bool isHexPrefixed = false;

  std::string at(uint64_t offset) const {
    char text[32];
    std::snprintf(text, sizeof text, isHexPrefixed ? "0x%llx" : "%llx",
                  static_cast<unsigned long long>(base + offset));
    return text;
  }
  std::string chunk(bool isInUse, uint64_t offset, uint64_t size) const {
    return prefix + (isInUse ? inUse : free) + at(offset) + nextBefore + " of size " + std::to_string(size) +
           nextAfter + end;
  }
  std::string text() const {
    std::string log = prefix + "Allocator (" + allocator + ") ran out of memory trying to allocate 1.50MiB" +
                      failure + end + "Current allocation summary follows." + end;
    log += prefix + "BFCAllocator dump for " + allocator + end;
    log += prefix + "Bin (1048576): \tTotal Chunks: 2, Chunks in use: 1. 2.00MiB allocated for chunks. " +
           "1.00MiB in use in bin. 1.00MiB client-requested in use in bin." + end;
    if (hasRegions) log += prefix + "Next region of size 4194304" + end;
    log += chunk(true, 0, kMiB) + chunk(false, kMiB, kMiB) + chunk(true, 2 * kMiB, 2 * kMiB);
    log += prefix + "     Summary of in-use Chunks by size: " + end;
    log += prefix + "1 Chunks of size 1048576 totalling 1.00MiB" + end;
    log += prefix + "1 Chunks of size 2097152 totalling 2.00MiB" + end;
    log += prefix + "Sum Total of in-use chunks: 3.00MiB" + end;
    log += prefix + "Total bytes in pool: 4194304 memory_limit_: 4194304 available bytes: 0 " +
           "curr_region_allocation_bytes_: 8388608" + end;
    log += prefix + "Stats: " + end + "Limit:                       4194304" + end +
           "InUse:                       3145728" + end + "MaxInUse:                    4194304" + end + end;
    return log + prefix + std::string(25, '*') + std::string(25, '_') + std::string(50, '*') + end;
  }
};

void expectTheDump(const std::string& text, const std::string& what) {
  SCOPED_TRACE(what);
  const Trace trace = read(text);
  ASSERT_EQ(trace.devices.size(), 1u);
  const Device& device = trace.devices[0];
  EXPECT_EQ(codes(trace), Codes());
  EXPECT_TRUE(trace.isComplete);
  ASSERT_EQ(device.blocks.count(), 2u);
  EXPECT_EQ(device.blocks.bytes, (std::vector<uint64_t>{kMiB, 2 * kMiB}));
  EXPECT_EQ(device.blocks.region, (std::vector<Region>{Region::Immediate, Region::Pooled}));
  ASSERT_EQ(device.segments.count(), 1u);
  EXPECT_EQ(device.segments.bytes[0], 4 * kMiB);
  ASSERT_EQ(device.events.count(), 1u);
  EXPECT_EQ(device.events.action[0], Action::OutOfMemory);
  EXPECT_EQ(device.events.size[0], 1572864u);
  EXPECT_EQ(device.events.address[0], 0u) << "the pool is at its limit";
}

TEST(BfcLog, ReadsEveryShapeOfADump) {
  expectTheDump(Shape().text(), "2024");
  Shape windows;
  windows.end = "\r\n";
  windows.base = 0x505700000;
  expectTheDump(windows.text(), "Windows");
  Shape bare;
  bare.prefix = "";
  expectTheDump(bare.text(), "without a prefix");
  Shape old;
  old.prefix = "I tensorflow/core/common_runtime/bfc_allocator.cc:678] ";
  old.inUse = "Chunk at ", old.free = "Free at ", old.nextAfter = "", old.isHexPrefixed = true;
  old.hasRegions = false;
  expectTheDump(old.text(), "2017, without regions and times");
  Shape middle;
  middle.nextBefore = " next 2", middle.nextAfter = "";
  expectTheDump(middle.text(), "2020, with the handle before the size");
  Shape newest;
  newest.failure = " (rounded to 1572864) from the lower end requested by op a/b";
  newest.nextAfter = " tag lower allocation_annotation step{n=1} next 18446744073709551615 freed_at_count 0";
  expectTheDump(newest.text(), "2026, with tags and annotations");
  expectTheDump(" 1/32 [....] - ETA: 10:37" + Shape().text(), "behind a progress bar");
  expectTheDump("[ Info: gc... 1\n{}\n" + std::string(100000, 'x') + "\n" + Shape().text() + "the end",
                "inside of another log");
  std::string blanks = Shape().text();
  for (size_t tab; (tab = blanks.find('\t')) != std::string::npos;) blanks.replace(tab, 1, "    ");
  expectTheDump(blanks, "with tabs turned to blanks");
}

TEST(BfcLog, SaysWhatTheLogDoesNotTell) {
  const Trace trace = read(Shape().text());
  EXPECT_EQ(trace.format, "tensorflow-log");
  EXPECT_FALSE(trace.devices[0].areRequestsKnown);
  EXPECT_TRUE(trace.devices[0].isRegionBySize);
  EXPECT_TRUE(trace.hasClock);
  EXPECT_FALSE(trace.hasOrigin) << "local time of an unknown zone";
  EXPECT_EQ(trace.devices[0].allocator, "GPU_0_bfc");
  EXPECT_EQ(setting(trace, "GPU_0_bfc.memory_limit"), "4194304");
  EXPECT_EQ(setting(trace, "GPU_0_bfc.MaxInUse"), "4194304");
  EXPECT_EQ(setting(trace, "first_entry_local_time"), "2024-07-12 14:20:01.744246");
}

TEST(BfcLog, CountsEveryByteInOneRegion) {
  const Trace trace = read(Shape().text());
  const Index index(trace, trace.devices[0]);
  const Moment moment = index.moment(0);
  EXPECT_EQ(moment.regions[0].reserved, kMiB);
  EXPECT_EQ(moment.regions[0].active, kMiB);
  EXPECT_EQ(moment.regions[1].reserved, 3 * kMiB);
  EXPECT_EQ(moment.regions[1].active, 2 * kMiB);
  EXPECT_EQ(moment.regions[1].largestFree, kMiB);
  const SeriesWindow series = index.series({Axis::Event, 0, 1, 1});
  const auto reserved = static_cast<int>(Metric::Reserved);
  EXPECT_EQ(series.series[0][reserved].last[0], static_cast<double>(kMiB));
  EXPECT_EQ(series.series[1][reserved].last[0], static_cast<double>(3 * kMiB));
  EXPECT_EQ(series.series[kAllRegions][reserved].last[0], static_cast<double>(4 * kMiB));
}

/// Replaces the first `from`.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

TEST(BfcLog, WarnsAtTheLineOfAStatementThatDiffers) {
  const std::string whole = Shape().text();
  const auto expect = [&](const std::string& text, const std::string& code, int64_t line) {
    SCOPED_TRACE(code);
    const Trace trace = read(text);
    ASSERT_EQ(codes(trace), Codes{code});
    EXPECT_EQ(trace.warnings[0].line, line);
  };
  expect(with(whole, "Total Chunks: 2", "Total Chunks: 3"), "bfc-bin-differs", 4);
  expect(with(whole, "1 Chunks of size 2097152", "2 Chunks of size 2097152"), "bfc-size-differs", 11);
  expect(with(whole, "chunks: 3.00MiB", "chunks: 3.01MiB"), "bfc-sum-differs", 12);
  expect(with(whole, "in pool: 4194304", "in pool: 4194560"), "bfc-sum-differs", 13);
  expect(with(whole, "                       3145728", " 3145729"), "bfc-sum-differs", 16);
  expect(with(whole, "*_", "__"), "bfc-occupancy-differs", 19);
  EXPECT_EQ(codes(read(with(whole, "*_", "x_"))), Codes()) << "what a block does not use is in use, too";
}

TEST(BfcLog, KeepsWhatIsThereOfADumpThatIsCutOrShortened) {
  const std::string whole = Shape().text();
  const Trace cut = read(whole.substr(0, whole.find("     Summary")));
  EXPECT_EQ(codes(cut), Codes{"bfc-dump-cut"});
  EXPECT_FALSE(cut.isComplete);
  EXPECT_EQ(cut.devices[0].blocks.count(), 2u);
  const std::string gone = Shape().chunk(false, kMiB, kMiB);
  const Trace shortened = read(with(whole, gone, "...\n"));
  EXPECT_FALSE(shortened.isComplete);
  ASSERT_EQ(shortened.devices.size(), 1u);
  EXPECT_EQ(shortened.devices[0].segments.count(), 2u) << "what lies between is not known";
  EXPECT_EQ(shortened.devices[0].possible[1].reserved, kMiB);
  EXPECT_EQ(shortened.devices[0].possible[1].allocated, 0u);
}

TEST(BfcLog, SurvivesImpossibleNumbers) {
  Shape shape;
  const std::string huge = "18446744073709551615", beyond = "18446744073709551616";
  for (const std::string& number : {huge, beyond, std::string("0")}) {
    const Trace trace = read(with(shape.text(), "of size 2097152", "of size " + number));
    EXPECT_FALSE(trace.isComplete);
    EXPECT_EQ(trace.devices[0].blocks.count(), 1u);
  }
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "InUse at 1000 of size 256 next 1\n";
  const Trace trace = read(many);
  EXPECT_LT(trace.warnings.size(), 20u);
}

TEST(BfcLog, SaysWhatEachBinAndSizeHoldsAndTheOccupancy) {
  const Trace trace = read(Shape().text());
  EXPECT_EQ(setting(trace, "GPU_0_bfc.bin_12_from_1048576"),
            "2 chunks, 1 in use; 2,097,152 bytes, 1,048,576 in use, of which 1.00MiB were requested");
  EXPECT_EQ(setting(trace, "GPU_0_bfc.bin_13_from_2097152"),
            "1 chunk, 1 in use; 2,097,152 bytes, 2,097,152 in use");
  EXPECT_EQ(setting(trace, "GPU_0_bfc.in_use_01"), "1 chunk of 2,097,152 bytes, 2,097,152 bytes");
  EXPECT_EQ(setting(trace, "GPU_0_bfc.in_use_02"), "1 chunk of 1,048,576 bytes, 1,048,576 bytes");
  EXPECT_EQ(setting(trace, "GPU_0_bfc.in_use_03"), "not there");
  EXPECT_EQ(setting(trace, "GPU_0_bfc.occupancy"),
            std::string(25, '*') + std::string(25, '_') + std::string(50, '*'));
}

TEST(BfcLog, TakesAnXInTheOccupancyForTheRestOfAChunkInUse) {
  const std::string line = std::string(24, '*') + "x" + std::string(25, '_') + std::string(50, '*');
  const std::string plain = std::string(25, '*') + std::string(25, '_') + std::string(50, '*');
  const Trace trace = read(with(Shape().text(), plain, line));
  EXPECT_EQ(codes(trace), Codes());
  EXPECT_EQ(setting(trace, "GPU_0_bfc.occupancy"), line);
  const Trace wrong = read(with(Shape().text(), plain, std::string(26, '*') + plain.substr(26)));
  EXPECT_EQ(codes(wrong), Codes({"bfc-occupancy-differs"}));
}

TEST(BfcLog, LeavesOutEventsThatNoMemoryCanHold) {
  const std::string prefix = "I tensorflow/tsl/framework/bfc_allocator.cc:1] ";
  const std::string stack = ",stack\n";
  const Trace trace = read(prefix + "[mem-debug] AllocateRaw,GPU_0_bfc,256,0x1000" + stack + prefix +
                           "[mem-debug] AllocateRaw,GPU_0_bfc,9223372036854775808,0x2000" + stack + prefix +
                           "[mem-debug] DeallocateRaw,GPU_0_bfc,256,0x5000" + stack + prefix +
                           "[mem-debug] DeallocateRaw,GPU_0_bfc,256,0x5000" + stack + prefix +
                           "Allocated memory at 0x1000 to 0xffffffffffffffff\n");
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_EQ(codes(trace), Codes({"freed-twice", "bfc-event-impossible", "bfc-event-impossible"}));
  EXPECT_EQ(trace.warnings[0].line, 4);
  EXPECT_EQ(trace.warnings[1].line, 2);
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.events.count(), 3u);
  EXPECT_EQ(device.blocks.count(), 2u) << "a block from before the log is freed once";
}

TEST(BfcLog, MakesOneInstantOfEachDump) {
  Shape shape;
  std::string second = with(shape.text(), "InUse at 7f5936000000", "Free  at 7f5936000000");
  second = with(second, "Free  at 7f5936100000", "InUse at 7f5936100000");
  const Trace trace = read(shape.text() + second);
  const Device& device = trace.devices.at(0);
  ASSERT_EQ(device.events.count(), 2u);
  ASSERT_EQ(device.blocks.count(), 3u);
  EXPECT_EQ(device.blocks.birth, (std::vector<EventIndex>{kBeforeFirst, kBeforeFirst, 1}));
  EXPECT_EQ(device.blocks.death, (std::vector<EventIndex>{1, kNever, kNever}));
  EXPECT_EQ(device.exactness.code, "between-dumps");
  EXPECT_EQ(device.exactness.verdict, Exactness::Verdict::Estimated);
}

TEST(BfcLog, TellsInterleavedDumpsApart) {
  Shape one, other;
  other.allocator = "GPU_1_bfc";
  other.base = 0x7f6000000000;
  const auto lines = [](const std::string& text) {
    std::vector<std::string> lines;
    for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      lines.push_back(text.substr(at, end + 1 - at));
    return lines;
  };
  const auto first = lines(one.text()), second = lines(other.text());
  std::string mixed;
  for (size_t i = 0; i < 8; ++i) mixed += first[i] + second[i];
  for (size_t i = 8; i < first.size(); ++i) mixed += first[i];
  for (size_t i = 8; i < second.size(); ++i) mixed += second[i];
  const Trace trace = read(mixed);
  EXPECT_EQ(codes(trace), Codes());
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[0].allocator, "GPU_0_bfc");
  EXPECT_EQ(trace.devices[1].ordinal, 1);
  for (const Device& device : trace.devices) EXPECT_EQ(device.blocks.count(), 2u);
  EXPECT_EQ(trace.devices[1].blocks.address[0], other.base);
}

TEST(BfcLog, DoesNotTakeARefusalThatHarmsNobodyForAFailure) {
  const std::string benign =
      "W bfc_allocator.cc:245] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.25GiB with "
      "freed_by_count=0. The caller indicates that this is not a failure, but may mean\n";
  const Trace trace = read(benign + Shape().text());
  EXPECT_EQ(trace.devices[0].events.count(), 1u);
  EXPECT_EQ(setting(trace, "requests_refused_without_failing"), "1");
  EXPECT_THROW(read(benign), CaptureError);
}

TEST(BfcLog, ReadsTheArenaOfOnnxRuntime) {
  const std::string p = "2023-01-01 00:00:00.123456789 [I:onnxruntime:, bfc_arena.cc:261 DumpMemoryLog] ";
  const Trace trace =
      read(p + "Allocator:Cuda\n" + p + "Bin size: Chunks in_use/total (if not zero).\n" + p +
           "256: Chunks 1/2. Bytes 256/512. Requested 100.\n" + p +
           "Bin for 1024 bytes has max bytes of 1024, Chunk State: \n" + p + "Overall chunks summary:\n" + p +
           "  Chunk at 0x7000 of size 256\n" + p + "  Free  at 0x7100 of size 256\n" + p +
           "Summary of in-use chunks by size: \n" + p + "  1 chunks of size 256. Total 256\n" + p +
           "Sum Total of in-use chunks: 256\n");
  EXPECT_EQ(codes(trace), Codes());
  EXPECT_EQ(trace.devices.at(0).allocator, "Cuda");
  EXPECT_EQ(trace.devices[0].blocks.bytes, std::vector<uint64_t>{256});
  EXPECT_EQ(trace.devices[0].events.size[0], 1024u);
  EXPECT_TRUE(trace.producer.starts_with("ONNX Runtime"));
}

TEST(BfcLog, TakesTheHistogramOfTheAsyncAllocatorAsACensus) {
  const std::string p = "2022-03-04 10:00:00.000001: E gpu_cudamallocasync_allocator.cc:288] ";
  const Trace trace = read(
      p + "gpu_async_0 cuMemAllocAsync failed to allocate 5000000 bytes: CUDA error: out of memory\n" +
      " Reported by CUDA: Free memory/Total memory: 1000/16000\n" + p + "Stats: \nLimit: 9000\n\n" + p +
      "Histogram of current allocation: (allocation_size_in_bytes, nb_allocation_of_that_sizes), ...;\n" + p +
      "256, 3\n" + p + "1024, 2\n" + p + "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: 4096\n");
  const Device& device = trace.devices.at(0);
  EXPECT_EQ(device.layout, DeviceLayout::Totals);
  EXPECT_EQ(device.blocks.count(), 5u);
  EXPECT_EQ(device.events.address[0], 1000u);
  EXPECT_EQ(setting(trace, "gpu_async_0.RESERVED_MEM_CURRENT"), "4096");
}

const char kGrowth[] =
    "I bfc_allocator.cc:1] Extending allocation by 2.00MiB bytes for GPU_0_bfc.\n"
    "I bfc_allocator.cc:2] Total allocated bytes: 2.00MiB\n"
    "I bfc_allocator.cc:3] Allocated memory at 0x10000000 to 0x10200000\n";

TEST(BfcLog, MakesATimelineOfTheEventsOfVerbosityFour) {
  const Trace trace = read(std::string(kGrowth) +
                           "[mem-debug] AllocateRaw,GPU_0_bfc,1000,0x10000000,*** Begin stack trace ***\n"
                           "\ttsl::CurrentStackTrace()\n\ttensorflow::MatMulOp::Compute()\n"
                           "*** End stack trace ***\n"
                           "[mem-debug] AllocateRaw,GPU_0_bfc,300,0x10000400,\n"
                           "[mem-debug] DeallocateRaw,GPU_0_bfc,1000,0x10000000,\n"
                           "[mem-debug] AllocateRaw,GPU_0_bfc,10,0x10000000,\n");
  const Device& device = trace.devices.at(0);
  EXPECT_EQ(codes(trace), Codes());
  EXPECT_FALSE(trace.hasClock);
  EXPECT_EQ(device.events.action, (std::vector<Action>{Action::SegmentAlloc, Action::Alloc, Action::Alloc,
                                                       Action::FreeCompleted, Action::Alloc}));
  EXPECT_EQ(device.blocks.bytes, (std::vector<uint64_t>{1024, 512, 256}));
  EXPECT_EQ(device.blocks.requested, (std::vector<uint64_t>{1000, 300, 10}));
  EXPECT_EQ(device.exactness.verdict, Exactness::Verdict::Exact);
  EXPECT_EQ(device.exactness.placementsMatched, 3u);
  EXPECT_TRUE(device.areRequestsKnown);
  const auto stack = trace.stacks.at(device.blocks.stack[0]);
  ASSERT_EQ(stack.size(), 1u);
  EXPECT_EQ(trace.strings.at(trace.frames.name(stack[0])), "tensorflow::MatMulOp::Compute()");
}

TEST(BfcLog, CountsAnEventThatTwoVerbositiesPrintOnce) {
  const Trace trace = read(std::string(kGrowth) +
                           "AllocateRaw GPU_0_bfc 1000 alignment=64\n"
                           "AllocateRaw GPU_0_bfc  1000 0x10000000\n"
                           "[mem-debug] AllocateRaw,GPU_0_bfc,1000,0x10000000,\n"
                           "DeallocateRaw GPU_0_bfc 1000\n"
                           "[mem-debug] DeallocateRaw,GPU_0_bfc,1000,0x10000000,\n");
  EXPECT_EQ(trace.devices.at(0).events.count(), 3u);
  EXPECT_EQ(trace.devices[0].blocks.death, std::vector<EventIndex>{2});
}

TEST(BfcLog, EstimatesWhichBlockIsFreedWhereVerbosityThreeDoesNotSay) {
  const Trace trace = read(std::string(kGrowth) +
                           "AllocateRaw GPU_0_bfc  1000 0x10000000\nAllocateRaw GPU_0_bfc  1000 0x10000400\n"
                           "DeallocateRaw GPU_0_bfc 1000\n");
  EXPECT_EQ(trace.devices.at(0).exactness.code, "frees-without-address");
  EXPECT_EQ(trace.devices[0].blocks.death, (std::vector<EventIndex>{3, kNever}));
}

TEST(BfcLog, KnowsOnlyBlocksWhereNoRegionIsPrinted) {
  const Trace trace = read(
      "[mem-debug] AllocateRaw,GPU_0_bfc,1000,0x10000000,\n"
      "[mem-debug] DeallocateRaw,GPU_0_bfc,64,0x20000000,\n");
  const Device& device = trace.devices.at(0);
  EXPECT_EQ(device.layout, DeviceLayout::Blocks);
  EXPECT_EQ(device.segments.count(), 2u);
  EXPECT_EQ(device.exactness.code, "regions-unknown");
  EXPECT_EQ(device.blocks.birth, (std::vector<EventIndex>{kBeforeFirst, 0}));
}

TEST(BfcLog, LetsADumpCorrectTheEventsBeforeIt) {
  Shape shape;
  const Trace trace = read("[mem-debug] AllocateRaw,GPU_0_bfc,2097152,0x7f5936200000,\n" + shape.text());
  const Device& device = trace.devices.at(0);
  ASSERT_EQ(device.blocks.count(), 2u);
  EXPECT_EQ(device.blocks.birth, (std::vector<EventIndex>{kBeforeFirst, 0}));
  EXPECT_EQ(device.exactness.finalBlocks, 2u);
  EXPECT_EQ(device.exactness.finalBlocksMatched, 1u);
  EXPECT_EQ(device.segments.count(), 1u);
}

TEST(BfcLog, CanBeCancelled) {
  const std::string text(size_t{40} << 20, 'a');
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto refuse = [](const char*, uint64_t, uint64_t, uint64_t) { return false; };
  EXPECT_THROW(readCapture(std::span<const uint8_t>(bytes, text.size()), refuse), Cancelled);
}

TEST(BfcUnits, WritesSizesAsTensorFlowDoes) {
  const auto size = [](uint64_t digits, int decimals, int unit) {
    return bfc::HumanBytes{digits, decimals, unit, {}};
  };
  EXPECT_TRUE(size(512, 0, 0).standsFor(512));
  EXPECT_TRUE(size(12, 1, 1).standsFor(1280)) << "glibc rounds a tie to even";
  EXPECT_TRUE(size(13, 1, 1).standsFor(1280)) << "Windows rounds it up";
  EXPECT_FALSE(size(14, 1, 1).standsFor(1280));
  EXPECT_TRUE(size(3711, 2, 3).standsFor(39851412480));
  EXPECT_FALSE(size(3712, 2, 3).standsFor(39851412480));
}

struct Real {
  const char* file;
  uint64_t reserved, inUse, blocks, segments, request;
  bool isComplete;
};

/// The sums are those that the logs state themselves: "Total bytes in pool", "InUse", counts of chunks.
TEST(BfcLog, ReadsRealLogs) {
  const std::filesystem::path folder = std::filesystem::path(STRATA_SHARED_DIR) / "captures" / "tensorflow";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there are no captures beside the repository";
  const Real logs[] = {
      {"bfc_oom_2017-06_tf1.2_chunk-style_160MB.log", 160432128, 21853696, 43, 1, 299892736, true},
      {"bfc_oom_2024-07_tf2.12_tsl_a100-40GB_fragmented.log", 40231108608, 39851412480, 292, 1, 512000000,
       true},
      {"bfc_oom_2025-01_xla_pjrt_19GB_large-tail-free.log", 18995773440, 16000000000, 4, 1, 4000000000, true},
  };
  for (const Real& log : logs) {
    SCOPED_TRACE(log.file);
    Trace trace = readCapture((folder / log.file).string(), {});
    ASSERT_EQ(trace.devices.size(), 1u);
    const Device& device = trace.devices[0];
    EXPECT_EQ(codes(trace), Codes()) << "bins, sizes, sums and the picture are all reproduced";
    const Moment moment = Index(trace, device).moment(0);
    uint64_t reserved = 0, active = 0;
    for (const RegionMoment& region : moment.regions) reserved += region.reserved, active += region.active;
    EXPECT_EQ(reserved, log.reserved);
    EXPECT_EQ(active, log.inUse);
    EXPECT_EQ(device.blocks.count(), log.blocks);
    EXPECT_EQ(device.segments.count(), log.segments);
    ASSERT_EQ(device.events.action.back(), Action::OutOfMemory);
    EXPECT_EQ(device.events.size.back(), log.request);
    EXPECT_EQ(trace.isComplete, log.isComplete);
  }
  const Trace elided =
      readCapture((folder / "bfc_oom_2020-06_tf2.0_windows_next-before-size_elided.log").string(), {});
  EXPECT_FALSE(elided.isComplete);
  const PossibleExtra& possible = elided.devices.at(0).possible[1];
  uint64_t known = 0;
  for (const uint64_t bytes : elided.devices[0].segments.bytes) known += bytes;
  EXPECT_EQ(known + possible.reserved, 568350976u);
}

}  // namespace
}  // namespace strata
