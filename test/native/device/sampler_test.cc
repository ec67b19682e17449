#include "device/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "device/fake_nvml.h"
#include "device/gpu_events.h"
#include "device/nvml_source.h"
#include "device/simulated_source.h"

namespace strata::device {
namespace {

constexpr int64_t kForever = int64_t{1} << 60;

std::unique_ptr<Sampler> samplerOver(std::unique_ptr<GpuSource> source, SamplerOptions options) {
  std::vector<std::unique_ptr<GpuSource>> sources;
  sources.push_back(std::move(source));
  return std::make_unique<Sampler>(std::move(sources), options);
}

std::unique_ptr<Sampler> fakeSampler(const FakeNvml& fake, SamplerOptions options) {
  return samplerOver(std::make_unique<NvmlSource>(NvmlOptions{.library = fake.path()}), options);
}

template <typename Condition>
void waitUntil(const Condition& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(Sampler, SamplesWhileSomebodyLooks) {
  const FakeNvml fake("gpus=2");
  const auto sampler = fakeSampler(fake, {.hz = 50, .attentionNs = kForever});
  ASSERT_TRUE(sampler->waitForGpus(kForever));
  EXPECT_EQ(sampler->gpus().size(), 2u);
  waitUntil([&] { return sampler->status().endSample >= 5; });
  EXPECT_EQ(sampler->status().state, SamplerState::Sampling);
  const auto samples = sampler->samplesFrom(1, 3);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_LT(samples[0].time, samples[1].time);
  EXPECT_EQ(samples[0].gpus[1][GpuMetric::Used], int64_t{11} << 30);
  ASSERT_NE(samples[0].processes[0], nullptr);
  EXPECT_EQ(samples[0].processes[0]->size(), 2u);
  EXPECT_EQ(samples[0].processes[0], samples[1].processes[0]) << "lists that are equal are one";
}

TEST(Sampler, RestsWhenNobodyLooksAndLeavesAGap) {
  const FakeNvml fake("gpus=1");
  const auto sampler = fakeSampler(fake, {.hz = 50, .attentionNs = 20'000'000});
  waitUntil([&] { return sampler->status().state == SamplerState::Resting; });
  const uint64_t before = sampler->status().endSample;
  waitUntil([&] {
    sampler->look();
    return sampler->status().endSample > before;
  });
  EXPECT_TRUE(sampler->samplesFrom(before, 1).at(0).isGapBefore);
}

TEST(Sampler, NamesACallThatNeverReturnsAndEndsWithoutIt) {
  FakeNvml fake("gpus=1");
  {
    const auto sampler = fakeSampler(fake, {.hz = 50, .attentionNs = kForever, .stuckAfterNs = 1'000'000});
    waitUntil([&] { return sampler->status().endSample > 0; });
    fake.configure("gpus=1 hang=nvmlDeviceGetTemperature");
    waitUntil([&] { return sampler->status().state == SamplerState::Stuck; });
    waitUntil([&] { return sampler->status().call == "nvmlDeviceGetTemperature"; });
    sampler->look();
    sampler->mark("still answering");
    EXPECT_FALSE(sampler->samplesFrom(0, 1).empty());
  }  // returns although its thread is still inside of the call
  fake.configure("gpus=1");
}

TEST(Sampler, AnswersWhileTheDriverIsStuckBeforeAnyGpuIsKnown) {
  FakeNvml fake("hang=nvmlInitWithFlags");
  {
    const auto sampler = fakeSampler(fake, {.stuckAfterNs = 1'000'000});
    EXPECT_FALSE(sampler->waitForGpus(1'000'000));
    waitUntil([&] { return sampler->status().state == SamplerState::Stuck; });
    EXPECT_TRUE(sampler->gpus().empty());
    EXPECT_THROW(sampler->startRecording({.path = "nowhere"}), std::runtime_error);
  }
  fake.configure("");
}

TEST(Sampler, TellsOfFailuresAndMarksAsEvents) {
  FakeNvml fake("gpus=1 fail=nvmlDeviceGetPowerUsage:999");
  const auto sampler = fakeSampler(fake, {.hz = 50, .attentionNs = kForever});
  waitUntil([&] { return !sampler->eventsAfter(0).empty(); });
  const Event event = sampler->eventsAfter(0)[0];
  EXPECT_EQ(event.kind, "reading-failed");
  EXPECT_EQ(event.gpu, 0u);
  sampler->mark("here");
  const auto events = sampler->eventsAfter(event.number);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().text, "here");
}

TEST(Sampler, RecordsWithoutBeingLookedAt) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("strata-sampler-" + std::to_string(std::rand()))).string();
  const auto sampler =
      samplerOver(std::make_unique<SimulatedSource>(Scenario::EightGpus), {.hz = 50, .attentionNs = 1});
  ASSERT_TRUE(sampler->waitForGpus(kForever));
  EXPECT_EQ(sampler->gpus().size(), 10u);
  EXPECT_TRUE(sampler->status().isSimulated);
  sampler->startRecording({.path = path});
  EXPECT_THROW(sampler->startRecording({.path = path}), std::runtime_error) << "one at a time";
  const uint64_t before = sampler->status().endSample;
  waitUntil([&] { return sampler->status().endSample > before + 10; });
  sampler->stopRecording();
  ASSERT_TRUE(sampler->status().recording);
  EXPECT_FALSE(sampler->status().recording->isActive);
  EXPECT_GE(sampler->status().recording->samples, 10u);
  EXPECT_EQ(std::filesystem::file_size(path), sampler->status().recording->bytes);
  std::filesystem::remove(path);
}

TEST(Sampler, SaysThatThereIsNoGpu) {
  const auto sampler = samplerOver(std::make_unique<NvmlSource>(NvmlOptions{.library = "/nowhere"}), {});
  ASSERT_TRUE(sampler->waitForGpus(kForever));
  EXPECT_EQ(sampler->status().state, SamplerState::NoGpus);
  ASSERT_EQ(sampler->lookedFor().size(), 1u);
  EXPECT_EQ(sampler->lookedFor()[0].code, "library-not-found");
  EXPECT_TRUE(sampler->window(0, 0, 100, 10).empty());
}

Sample ringSample(int64_t time, Reading used, bool isGap = false) {
  Sample sample;
  sample.time = time;
  sample.isGapBefore = isGap;
  sample.gpus.resize(1);
  sample.gpus[0][GpuMetric::Used] = used;
  sample.processes.resize(1);
  return sample;
}

TEST(SampleRing, DrawsGapsAsGapsAndNullAsNothing) {
  SampleRing ring(1, 0);
  ring.push(ringSample(0, 1), 10);
  ring.push(ringSample(10, 2), 10);
  ring.push(ringSample(20, std::nullopt), 10);
  ring.push(ringSample(30, 0), 10);
  ring.push(ringSample(100, 9, true), 10);
  const RingColumns columns = ring.window(0, GpuMetric::Used, 0, 130, 13);
  const double nan = std::nan("");
  const double wanted[] = {1, 2, nan, 0, 0, nan, nan, nan, nan, nan, 9, 9, nan};
  for (size_t i = 0; i < 13; ++i) {
    EXPECT_TRUE(columns.last[i] == wanted[i] || (std::isnan(columns.last[i]) && std::isnan(wanted[i])))
        << "column " << i << " is " << columns.last[i];
  }
  const RingColumns one = ring.window(0, GpuMetric::Used, 0, 130, 1);
  EXPECT_EQ(one.min[0], 0);
  EXPECT_EQ(one.max[0], 9);
}

TEST(SampleRing, ForgetsTheOldest) {
  SampleRing ring(1, 0);
  for (int64_t i = 0; i < 1000; ++i) ring.push(ringSample(i, i), 1);
  EXPECT_EQ(ring.first(), 400u);
  EXPECT_EQ(ring.value(400, 0, GpuMetric::Used), 400);
  EXPECT_EQ(ring.value(999, 0, GpuMetric::Used), 999);
  EXPECT_TRUE(std::isnan(ring.window(0, GpuMetric::Used, 0, 400, 1).last[0]));
}

Sample processSample(std::vector<GpuProcess> processes) {
  Sample sample;
  sample.gpus.resize(1);
  sample.processes.push_back(std::make_shared<const std::vector<GpuProcess>>(std::move(processes)));
  return sample;
}

TEST(ProcessEvents, TellsWhoCameWhoWentAndWhoGrewByMoreThanTheThreshold) {
  ProcessEvents events(100);
  EXPECT_TRUE(events.next(processSample({{1, "a", 10, {}}})).empty()) << "it was there already";
  EXPECT_TRUE(events.next(processSample({{1, "a", 110, {}}})).empty()) << "exactly the threshold";
  auto told = events.next(processSample({{1, "a", 111, {}}, {2, "", {}, {}}}));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].kind, "process-grew");
  EXPECT_EQ(told[0].bytes, 101);
  EXPECT_EQ(told[1].kind, "process-came");
  EXPECT_EQ(told[1].text, "2");
  EXPECT_TRUE(events.next(processSample({{1, "a", 50, {}}, {2, "", 5, {}}})).empty());
  told = events.next(processSample({{2, "", 5, {}}}));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, "process-went");
  EXPECT_EQ(told[0].text, "a (1)");
}

}  // namespace
}  // namespace strata::device
