#include "device/nvml_source.h"

#include <gtest/gtest.h>

#include "device/fake_nvml.h"

namespace strata::device {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kReserved = int64_t{600} << 20;

/// A source over the fake library, opened.
struct Opened {
  FakeNvml fake;
  CallWatch watch;
  NvmlSource source;
  LookedFor report;
  int64_t now = 0;

  explicit Opened(const std::string& configuration, FakeNvml::Age age = FakeNvml::Age::Current,
                  bool withPcie = false)
      : fake(configuration, age),
        source({.library = fake.path(), .procRoot = "/nowhere", .withPcie = withPcie}) {
    report = source.open(watch);
  }

  std::vector<GpuReadings> sample(int64_t later = kSecond) {
    std::vector<GpuReadings> readings(source.gpus().size());
    source.sample(now += later, readings, watch);
    return readings;
  }
};

TEST(NvmlSource, ReadsEverythingACurrentLibraryOffers) {
  Opened opened("gpus=2");
  EXPECT_EQ(opened.report.code, "found");
  EXPECT_EQ(opened.report.version, "999.11");
  ASSERT_EQ(opened.source.gpus().size(), 2u);
  EXPECT_EQ(opened.source.gpus()[1].id, "GPU-fake-1");
  EXPECT_EQ(opened.source.gpus()[1].slowdownTemperature, 87);
  const auto readings = opened.sample();
  const GpuReadings& gpu = readings[1];
  EXPECT_EQ(gpu[GpuMetric::Total], 80 * kGiB);
  EXPECT_EQ(gpu[GpuMetric::Used], 11 * kGiB);
  EXPECT_EQ(gpu[GpuMetric::Reserved], kReserved);
  EXPECT_EQ(gpu[GpuMetric::Free], 69 * kGiB - kReserved);
  EXPECT_EQ(gpu.accounting, MemoryAccounting::ReservedApart);
  EXPECT_EQ(gpu[GpuMetric::Busy], 51);
  EXPECT_EQ(gpu[GpuMetric::Temperature], 41);
  EXPECT_EQ(gpu[GpuMetric::Power], 301500);
  EXPECT_EQ(gpu[GpuMetric::PowerLimit], 700000);
  EXPECT_EQ(gpu[GpuMetric::CoreClock], 1830);
  EXPECT_EQ(gpu[GpuMetric::MemoryClock], 2619);
  EXPECT_EQ(gpu[GpuMetric::Energy], 123456789012);
  EXPECT_EQ(gpu[GpuMetric::PcieSent], std::nullopt) << "off unless it is asked for";
  EXPECT_TRUE(opened.source.takeNotes().empty());
}

TEST(NvmlSource, NamesProcessesAndKeepsUnavailableBytesApartFromZero) {
  Opened opened("gpus=1 processes=3");
  const auto processes = opened.sample()[0].processes;
  ASSERT_TRUE(processes);
  ASSERT_EQ(processes->size(), 3u);
  EXPECT_EQ((*processes)[0], (GpuProcess{4000000, "fake-4000000", kGiB, 20}));
  EXPECT_EQ((*processes)[1].bytes, std::nullopt);
  EXPECT_EQ((*processes)[2].bytes, 3 * kGiB);
}

TEST(NvmlSource, ReadsProcessListsThatGrowBetweenTheCalls) {
  Opened opened("gpus=1 processes=40 growing=1");
  const auto processes = opened.sample()[0].processes;
  ASSERT_TRUE(processes);
  EXPECT_GT(processes->size(), 40u);
}

TEST(NvmlSource, FallsBackToTheFirstVersionOfMemoryAndSaysWhatItCounts) {
  Opened opened("gpus=1 v1=1");
  const auto readings = opened.sample();
  EXPECT_EQ(readings[0][GpuMetric::Used], 10 * kGiB + kReserved);
  EXPECT_EQ(readings[0][GpuMetric::Reserved], std::nullopt);
  EXPECT_EQ(readings[0].accounting, MemoryAccounting::ReservedInUsed);
  EXPECT_TRUE(opened.source.takeNotes().empty());
}

TEST(NvmlSource, TakesWhatAnOldLibraryHas) {
  Opened opened("gpus=1", FakeNvml::Age::Old);
  ASSERT_EQ(opened.report.code, "found");
  const auto readings = opened.sample();
  EXPECT_EQ(readings[0].accounting, MemoryAccounting::ReservedInUsed);
  EXPECT_EQ(readings[0][GpuMetric::Power], std::nullopt);
  EXPECT_EQ(readings[0][GpuMetric::Temperature], 40);
  ASSERT_TRUE(readings[0].processes);
  EXPECT_EQ((*readings[0].processes)[0].bytes, kGiB);
  EXPECT_TRUE(opened.source.takeNotes().empty()) << "what is not offered is no failure";
}

TEST(NvmlSource, ShowsGpusOfALibraryThatOnlyCounts) {
  Opened opened("gpus=3", FakeNvml::Age::Bare);
  ASSERT_EQ(opened.source.gpus().size(), 3u);
  EXPECT_EQ(opened.source.gpus()[2].id, "NVIDIA GPU 2");
  const auto readings = opened.sample();
  for (const Reading& value : readings[2].values) EXPECT_EQ(value, std::nullopt);
  EXPECT_EQ(readings[2].processes, std::nullopt);
  EXPECT_TRUE(opened.source.takeNotes().empty());
}

TEST(NvmlSource, NestsMigInstancesUnderTheirGpu) {
  Opened opened("gpus=2 mig=3");
  const auto& gpus = opened.source.gpus();
  ASSERT_EQ(gpus.size(), 5u);
  EXPECT_EQ(gpus[0].parent, std::nullopt);
  for (size_t i = 1; i <= 3; ++i) EXPECT_EQ(gpus[i].parent, 0u);
  EXPECT_EQ(gpus[3].id, "MIG-fake-0-4") << "slots 1 and 3 are empty";
  EXPECT_EQ(gpus[4].id, "GPU-fake-1");
  const auto readings = opened.sample();
  EXPECT_EQ(readings[2][GpuMetric::Used], kGiB);
  EXPECT_EQ(readings[2][GpuMetric::Busy], std::nullopt);
  EXPECT_EQ(readings[4][GpuMetric::Used], 11 * kGiB);
  EXPECT_TRUE(opened.source.takeNotes().empty());
}

TEST(NvmlSource, ReadsPcieInTurnOnlyWhenAsked) {
  Opened opened("gpus=1", FakeNvml::Age::Current, true);
  opened.sample();
  const auto readings = opened.sample();
  EXPECT_EQ(readings[0][GpuMetric::PcieSent], 1500000);
  EXPECT_EQ(readings[0][GpuMetric::PcieReceived], 2500000);
}

TEST(NvmlSource, SaysAFailingReadingOnceAndRetriesItAtASlowerPace) {
  Opened opened("gpus=1 fail=nvmlDeviceGetPowerUsage:999");
  EXPECT_EQ(opened.sample()[0][GpuMetric::Power], std::nullopt);
  const auto notes = opened.source.takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, "reading-failed");
  EXPECT_EQ(notes[0].gpu, 0u);
  for (int i = 0; i < 100; ++i) opened.sample();
  EXPECT_TRUE(opened.source.takeNotes().empty());
  opened.fake.configure("gpus=1");
  EXPECT_EQ(opened.sample(kSecond / 10)[0][GpuMetric::Power], std::nullopt) << "not yet";
  EXPECT_EQ(opened.sample(61 * kSecond)[0][GpuMetric::Power], 300500);
  opened.fake.configure("gpus=1 fail=nvmlDeviceGetPowerUsage:10");
  opened.sample();
  EXPECT_EQ(opened.source.takeNotes().size(), 1u) << "a new failure is said again";
}

TEST(NvmlSource, LosesAGpuWithItsReadingsAndTakesItBack) {
  Opened opened("gpus=2");
  opened.sample();
  opened.fake.configure("gpus=2 lost=0");
  auto readings = opened.sample();
  EXPECT_TRUE(readings[0].isLost);
  for (const Reading& value : readings[0].values) EXPECT_EQ(value, std::nullopt);
  EXPECT_FALSE(readings[1].isLost);
  EXPECT_EQ(readings[1][GpuMetric::Used], 11 * kGiB);
  auto notes = opened.source.takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, "gpu-lost");
  opened.sample();
  opened.fake.configure("gpus=2");
  readings = opened.sample(61 * kSecond);
  EXPECT_FALSE(readings[0].isLost);
  EXPECT_EQ(readings[0][GpuMetric::Used], 10 * kGiB);
  notes = opened.source.takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, "gpu-back");
}

TEST(NvmlSource, ListsAGpuThatIsLostFromTheStart) {
  Opened opened("gpus=2 lost=1");
  ASSERT_EQ(opened.source.gpus().size(), 2u);
  EXPECT_TRUE(opened.sample()[1].isLost);
  EXPECT_EQ(opened.source.takeNotes().size(), 1u);
}

TEST(NvmlSource, SurvivesEveryCodeFromEveryCall) {
  for (const char* function : {"nvmlInitWithFlags",
                               "nvmlDeviceGetCount",
                               "nvmlDeviceGetHandleByIndex",
                               "nvmlDeviceGetName",
                               "nvmlDeviceGetUUID",
                               "nvmlDeviceGetMemoryInfo_v2",
                               "nvmlDeviceGetMemoryInfo",
                               "nvmlDeviceGetUtilizationRates",
                               "nvmlDeviceGetTemperature",
                               "nvmlDeviceGetTemperatureThreshold",
                               "nvmlDeviceGetPowerUsage",
                               "nvmlDeviceGetEnforcedPowerLimit",
                               "nvmlDeviceGetClockInfo",
                               "nvmlDeviceGetPcieThroughput",
                               "nvmlDeviceGetTotalEnergyConsumption",
                               "nvmlDeviceGetComputeRunningProcesses_v3",
                               "nvmlDeviceGetGraphicsRunningProcesses_v3",
                               "nvmlDeviceGetProcessUtilization",
                               "nvmlSystemGetProcessName",
                               "nvmlDeviceGetMaxMigDeviceCount",
                               "nvmlDeviceGetMigDeviceHandleByIndex",
                               "nvmlSystemGetDriverVersion"}) {
    for (int code = 1; code <= 26; ++code) {
      SCOPED_TRACE(std::string(function) + " answers " + std::to_string(code));
      Opened opened("gpus=2 mig=1 fail=" + std::string(function) + ":" + std::to_string(code),
                    FakeNvml::Age::Current, true);
      for (int i = 0; i < 3; ++i) {
        for (const GpuReadings& gpu : opened.sample()) {
          EXPECT_EQ(gpu[GpuMetric::Total].value_or(80 * kGiB), 80 * kGiB);
        }
      }
      EXPECT_EQ(opened.report.detail.empty(), opened.report.outcome == LookedFor::Outcome::Found);
    }
  }
}

TEST(NvmlSource, SaysWhatWasLookedForWhenThereIsNoLibrary) {
  CallWatch watch;
  NvmlSource source({.library = "/nowhere/libnvidia-ml.so.1"});
  const LookedFor report = source.open(watch);
  EXPECT_EQ(report.outcome, LookedFor::Outcome::Missing);
  EXPECT_EQ(report.code, "library-not-found");
  EXPECT_EQ(report.where, std::vector<std::string>{"/nowhere/libnvidia-ml.so.1"});
}

TEST(NvmlSource, TellsAFileThatIsNoLibraryFromOneThatIsMissing) {
  CallWatch watch;
  NvmlSource source({.library = __FILE__});
  const LookedFor report = source.open(watch);
  EXPECT_EQ(report.outcome, LookedFor::Outcome::Failed);
  EXPECT_EQ(report.code, "library-unusable");
  EXPECT_FALSE(report.detail.empty());
}

TEST(NvmlSource, TellsADriverThatIsNotLoadedAndOneThatFoundNothing) {
  EXPECT_EQ(Opened("fail=nvmlInitWithFlags:9").report.code, "driver-not-loaded");
  EXPECT_EQ(Opened("fail=nvmlInitWithFlags:18").report.code, "driver-mismatch");
  EXPECT_EQ(Opened("gpus=0").report.code, "no-gpus");
}

}  // namespace
}  // namespace strata::device
