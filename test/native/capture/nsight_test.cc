// SQLite exports of Nsight Systems: kinds of memory, pools, callers, old and new columns, damage.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "allocator/rebuild.h"
#include "analysis/index.h"
#include "capture/made_captures.h"

namespace strata::test {
namespace {

constexpr uint64_t kMiB = 1 << 20;

const Device* laneOf(const Trace& trace, DeviceKind kind, std::string_view allocator) {
  for (const Device& device : trace.devices) {
    if (device.kind == kind && device.allocator == allocator) return &device;
  }
  return nullptr;
}

std::string blocksOf(const Device& device) {
  std::string text;
  const auto moment = [](EventIndex event) { return event == kNever ? "end" : std::to_string(event); };
  for (size_t i = 0; i < device.blocks.count(); ++i) {
    std::ostringstream line;
    line << std::hex << device.blocks.address[i] << std::dec << "+" << device.blocks.bytes[i] << " "
         << moment(device.blocks.birth[i]) << ".." << moment(device.blocks.death[i]) << "\n";
    text += line.str();
  }
  return text;
}

const Warning* warningOf(const Trace& trace, std::string_view code) {
  for (const Warning& warning : trace.warnings) {
    if (warning.code == code) return &warning;
  }
  return nullptr;
}

std::string settingOf(const Trace& trace, std::string_view name) {
  for (const auto& [key, value] : trace.settings) {
    if (key == name) return value;
  }
  return "";
}

TEST(NsightExport, TellsDeviceManagedPinnedAndImportedMemoryApart) {
  const Trace trace = read(madeCapture("nsight-modern.sqlite"));
  EXPECT_EQ(trace.format, "nsight-export");
  EXPECT_EQ(trace.producer, "Nsight Systems 2026.1.1.204");
  EXPECT_TRUE(trace.isComplete);
  ASSERT_EQ(trace.devices.size(), 4u);
  const Device* gpu = laneOf(trace, DeviceKind::Cuda, "");
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(blocksOf(*gpu),
            "7f0000000000+4194304 0..4\n"
            "ff800000000000+2097152 1..end\n"
            "7e0000000000+1048576 2..5\n"
            "7a0000000000+4096 3..end\n");
  EXPECT_EQ(blocksOf(*laneOf(trace, DeviceKind::Cuda, "managed memory")), "7c0000000000+3145728 0..end\n");
  EXPECT_EQ(blocksOf(*laneOf(trace, DeviceKind::Cuda, "imported pools")), "7b0000000000+5242880 0..end\n");
  EXPECT_EQ(blocksOf(*laneOf(trace, DeviceKind::Host, "pinned memory")), "7d0000000000+512 0..end\n");
  EXPECT_EQ(gpu->blocks.region[0], Region::Pooled);
  EXPECT_EQ(gpu->blocks.region[2], Region::Virtual);
  EXPECT_EQ(gpu->streams, (std::vector<uint64_t>{0, 13}));
  EXPECT_EQ(trace.strings.at(gpu->events.label[3]), "weights");
  EXPECT_EQ(trace.strings.at(gpu->events.label[2]), "pool 0x5000");
  EXPECT_EQ(warningCodes(trace), "no-segments");
}

TEST(NsightExport, NamesTheCallOfCudaAndItsBacktrace) {
  const Trace trace = read(madeCapture("nsight-modern.sqlite"));
  const Device& gpu = *laneOf(trace, DeviceKind::Cuda, "");
  EXPECT_EQ(describeStack(trace, gpu.events.stack[0]), describeStack(trace, gpu.blocks.stack[0]));
  const auto names = [&](uint32_t stack) {
    std::string text;
    for (const uint32_t frame : trace.stacks.at(stack)) {
      text += std::string(trace.strings.at(trace.frames.name(frame))) + " ";
    }
    return text;
  };
  EXPECT_EQ(names(gpu.events.stack[0]), "cudaMalloc train() main ");
  EXPECT_EQ(names(gpu.events.stack[1]), "cudaMalloc ");
  EXPECT_EQ(names(gpu.events.stack[2]), "cudaMallocAsync ");
  EXPECT_EQ(names(gpu.events.stack[4]), "cudaFree ");
  EXPECT_EQ(gpu.events.stack[3], kNone);
}

TEST(NsightExport, GivesTimesOfDayAndFactsOfTheMachine) {
  const Trace trace = read(madeCapture("nsight-modern.sqlite"));
  EXPECT_TRUE(trace.hasClock);
  EXPECT_TRUE(trace.hasOrigin);
  EXPECT_EQ(trace.originNs, 1'776'781'226'557'295'156);
  EXPECT_EQ(laneOf(trace, DeviceKind::Cuda, "")->events.time,
            (std::vector<int64_t>{0, 100, 200, 240, 300, 400}));
  EXPECT_EQ(settingOf(trace, "device_0"), "NVIDIA H200");
  EXPECT_EQ(settingOf(trace, "device_0_total_memory"), "161061273600");
  EXPECT_EQ(settingOf(trace, "export_schema"), "3.24.14");
  EXPECT_EQ(settingOf(trace, "pool 0x5000 release threshold"), std::to_string(64 * kMiB));
}

TEST(NsightExport, KnowsTheTimeOfDayHoweverTheTimesWereExported) {
  for (const char* name : {"nsight-since-1970.sqlite", "nsight-shifted.sqlite"}) {
    SCOPED_TRACE(name);
    const Trace trace = read(madeCapture(name));
    EXPECT_TRUE(trace.hasOrigin);
    EXPECT_EQ(trace.originNs, 1'776'781'226'557'295'156);
  }
}

TEST(NsightExport, ShowsWhatCudaSaysOfItsPoolsAsCounters) {
  const Trace trace = read(madeCapture("nsight-modern.sqlite"));
  ASSERT_EQ(trace.counters.size(), 2u);
  EXPECT_EQ(trace.strings.at(trace.counters[0].group), "GPU 0");
  EXPECT_EQ(trace.strings.at(trace.counters[0].name), "pool 0x5000 size");
  EXPECT_EQ(trace.counters[0].time, (std::vector<int64_t>{200, 500}));
  EXPECT_EQ(trace.counters[0].value, (std::vector<double>{32.0 * kMiB, 0}));
  EXPECT_EQ(trace.counters[1].time, (std::vector<int64_t>{200, 400}));
}

TEST(NsightExport, ShowsTheRangesThatTheProgramNamed) {
  const Trace trace = read(madeCapture("nsight-modern.sqlite"));
  ASSERT_EQ(trace.annotations.size(), 3u);
  const Annotation& step = trace.annotations[0];
  EXPECT_EQ(trace.strings.at(step.name), "step 1");
  EXPECT_FALSE(step.hasBegin);  // it began before the first memory event
  EXPECT_EQ(step.end, 300);
  const Annotation& inner = trace.annotations[1];
  EXPECT_EQ(trace.strings.at(inner.name), "train()");
  EXPECT_EQ(inner.depth, 1);
  EXPECT_EQ(inner.begin, 50);
  EXPECT_FALSE(trace.annotations[2].hasEnd);
}

TEST(NsightExport, ReadsTheColumnsOfOldExports) {
  const Trace trace = read(madeCapture("nsight-old.sqlite"));
  EXPECT_EQ(trace.producer, "Nsight Systems");
  EXPECT_FALSE(trace.hasOrigin);
  ASSERT_EQ(trace.devices.size(), 1u);
  const Device& device = trace.devices[0];
  EXPECT_EQ(blocksOf(device), "9000+256 -1..3\n1000+256 0..2\n2000+256 1..end\n");
  EXPECT_EQ(device.blocks.region, std::vector<Region>(3, Region::Pooled));
  EXPECT_EQ(device.events.time, (std::vector<int64_t>{0, 10, 20, 30}));
  EXPECT_EQ(trace.strings.at(trace.frames.name(trace.stacks.at(device.events.stack[0])[0])), "cudaMalloc");
}

TEST(NsightExport, KeepsProcessesApartAndNamesTheGpuOfEach) {
  const Trace trace = read(madeCapture("nsight-two-processes.sqlite"));
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[0].ordinal, 0);
  EXPECT_EQ(trace.devices[0].allocator, "process 11");
  EXPECT_EQ(trace.devices[1].ordinal, 1);
  EXPECT_EQ(trace.devices[1].allocator, "process 12");
}

TEST(NsightExport, ShowsTotalsWhereThereAreNoAddresses) {
  const Trace trace = read(madeCapture("nsight-no-addresses.sqlite"));
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_EQ(trace.devices[0].layout, DeviceLayout::Totals);
  EXPECT_EQ(warningCodes(trace), "no-addresses");
}

TEST(NsightExport, CountsRowsThatSayNothingAndNamesTheFirst) {
  const Trace trace = read(madeCapture("nsight-unreadable-rows.sqlite"));
  const Warning* warning = warningOf(trace, "row-unreadable");
  ASSERT_NE(warning, nullptr);
  EXPECT_TRUE(warning->isDamage);
  EXPECT_EQ(warning->message,
            "Left out, because they say no time, size, address or operation: 5 rows. The first is row 2 of "
            "CUDA_GPU_MEMORY_USAGE_EVENTS.");
  EXPECT_NE(warningOf(trace, "nsight-unknown-kind"), nullptr);
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(blocksOf(trace.devices[0]), "1000+256 0..end\n");
}

TEST(NsightExport, SaysWhyNothingCanBeShown) {
  EXPECT_EQ(refusal(madeCapture("nsight-without-memory.sqlite")), "nsight-no-memory-events");
  EXPECT_EQ(refusal(madeCapture("nsight-no-sizes.sqlite")), "nsight-columns-missing");
  EXPECT_EQ(refusal(madeCapture("database-contacts.sqlite")), "sqlite-not-nsight");
  EXPECT_EQ(refusal(madeCapture("database-rocm.sqlite")), "sqlite-not-nsight");
  EXPECT_EQ(refusal(madeCapture("database-header.sqlite")), "sqlite-damaged");
  EXPECT_EQ(refusal(madeCapture("database-encrypted.sqlite")), "sqlite-damaged");
}

TEST(NsightExport, RefusesARealExportWithoutMemoryEventsWithTheCommandThatRecordsThem) {
  const std::string path =
      STRATA_SHARED_DIR "/captures/nsys/nsys_2026.1_schema3.24_rtx3080_no-memory-table_scrubbed.sqlite";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path;
  try {
    read(path);
    FAIL() << "it opened";
  } catch (const CaptureError& error) {
    EXPECT_EQ(error.code, "nsight-no-memory-events");
    EXPECT_STREQ(error.what(), "This profile of Nsight Systems was recorded without memory events.");
    EXPECT_NE(error.remedy.find("--cuda-memory-usage=true"), std::string::npos);
  }
}

/// Everything that a trace says, as text.
std::string everythingOf(const Trace& trace) {
  std::string text = trace.format + trace.producer;
  for (uint32_t row = 0; row < trace.strings.count(); ++row)
    text += std::string(trace.strings.at(row)) + "\n";
  for (const auto& [name, value] : trace.settings) text += name + "=" + value + "\n";
  for (const Warning& warning : trace.warnings) text += warning.message + "\n";
  for (const Device& device : trace.devices) text += device.allocator + "\n";
  return text;
}

TEST(NsightExport, NeverTakesTheEnvironmentCommandLinesOrOutputsOfAProgram) {
  constexpr std::string_view kSecret = "hunter2-do-not-tell";
  const std::vector<uint8_t> bytes = bytesOf(madeCapture("nsight-modern.sqlite"));
  ASSERT_NE(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find(kSecret),
            std::string_view::npos);
  EXPECT_EQ(everythingOf(read(bytes)).find(kSecret), std::string::npos);
}

TEST(NsightExport, ReadsTreesOfAnyPageSizeAndLongRows) {
  for (const char* name : {"nsight-large.sqlite", "nsight-large-pages.sqlite"}) {
    SCOPED_TRACE(name);
    const Trace trace = read(madeCapture(name));
    ASSERT_EQ(trace.devices.size(), 1u);
    const Device& device = trace.devices[0];
    EXPECT_EQ(device.events.count(), 3000u);
    EXPECT_EQ(device.blocks.count(), 1500u);
    EXPECT_EQ(trace.strings.at(device.events.label[100]), std::string(3000, 'x'));
    EXPECT_EQ(warningCodes(trace), "no-segments");
  }
  EXPECT_EQ(everythingOf(read(madeCapture("nsight-small-pages.sqlite"))),
            everythingOf(read(madeCapture("nsight-modern.sqlite"))));
}

TEST(NsightExport, ShowsWhatIsLeftOfAFileThatIsCutOff) {
  const Trace trace = read(madeCapture("nsight-cut-off.sqlite"));
  EXPECT_FALSE(trace.isComplete);
  EXPECT_TRUE(warningOf(trace, "capture-truncated")->isDamage);
  EXPECT_TRUE(warningOf(trace, "capture-damaged")->isDamage);
  EXPECT_GT(trace.devices.at(0).events.count(), 100u);
  EXPECT_LT(trace.devices.at(0).events.count(), 3000u);
}

/// Opens, or is refused with a sentence and a remedy; what opens can be indexed.
void expectDefined(const std::vector<uint8_t>& bytes) {
  try {
    Trace trace = read(bytes);
    rebuild(trace, {});
    for (const Device& device : trace.devices) Index(trace, device);
    EXPECT_LT(trace.warnings.size(), 20u);
  } catch (const CaptureError& error) {
    EXPECT_FALSE(error.code.empty());
    EXPECT_FALSE(error.remedy.empty());
  }
}

TEST(NsightExport, EndsInADefinedWayWhereverItIsDamaged) {
  const std::vector<uint8_t> whole = bytesOf(madeCapture("nsight-small-pages.sqlite"));
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return random() % limit; };
  for (int round = 0; round < 300; ++round) {
    std::vector<uint8_t> damaged = whole;
    for (size_t changes = 1 + below(40); changes > 0; --changes)
      damaged[16 + below(damaged.size() - 16)] = static_cast<uint8_t>(random());
    if (round % 3 == 0) damaged.resize(1 + below(damaged.size()));
    expectDefined(damaged);
  }
  for (size_t cut = 1; cut < whole.size(); cut += 97) {
    expectDefined({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(cut)});
  }
}

TEST(NsightExport, EndsWhenPagesNameEachOtherWithoutEnd) {
  std::vector<uint8_t> bytes = bytesOf(madeCapture("nsight-large.sqlite"));
  for (size_t page = 512; page < bytes.size(); page += 512) {
    if (bytes[page] != 5) continue;
    for (size_t i = 0; i < 4; ++i) bytes[page + 8 + i] = 0;
    bytes[page + 11] = static_cast<uint8_t>(page / 512 + 1);  // its right child is the page itself
  }
  expectDefined(bytes);
}

TEST(NsightExport, CanBeStopped) {
  const Progress stop = [](const char*, uint64_t, uint64_t, uint64_t) { return false; };
  EXPECT_THROW(readCapture(madeCapture("nsight-modern.sqlite"), stop), Cancelled);
}

TEST(NsightExport, SaysWhenTheNewestRowsLieInALogBesideIt) {
  const auto folder = std::filesystem::temp_directory_path() / "strata-nsight-log";
  std::filesystem::create_directories(folder);
  const auto path = folder / "report.sqlite";
  std::filesystem::copy_file(madeCapture("nsight-modern.sqlite"), path,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(warningOf(read(path.string()), "sqlite-log-beside"), nullptr);
  std::ofstream(path.string() + "-wal") << "rows";
  EXPECT_NE(warningOf(read(path.string()), "sqlite-log-beside"), nullptr);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace strata::test
