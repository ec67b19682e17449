#include "device/simulated_source.h"

#include <gtest/gtest.h>

namespace strata::device {
namespace {

TEST(SimulatedSource, SaysInEveryNameThatItIsSimulated) {
  for (const auto scenario :
       {Scenario::TrainingLoop, Scenario::SlowLeak, Scenario::EightGpus, Scenario::LostGpu}) {
    EXPECT_EQ(scenarioOf(nameOf(scenario)), scenario);
    CallWatch watch;
    SimulatedSource source(scenario);
    EXPECT_EQ(source.open(watch).kind, "simulated");
    for (const GpuIdentity& gpu : source.gpus()) {
      EXPECT_EQ(gpu.vendor, "simulated");
      EXPECT_EQ(gpu.name.find("Simulated"), 0u);
    }
    std::vector<GpuReadings> readings(source.gpus().size());
    for (int64_t second = 0; second < 4000; ++second) {
      source.sample(second * 1'000'000'000, readings, watch);
      for (const GpuReadings& gpu : readings) {
        if (gpu.isLost) continue;
        ASSERT_EQ(*gpu[GpuMetric::Used] + *gpu[GpuMetric::Reserved] + *gpu[GpuMetric::Free],
                  *gpu[GpuMetric::Total]);
        ASSERT_GE(*gpu[GpuMetric::Free], 0);
      }
    }
  }
}

TEST(SimulatedSource, LosesAGpuAndFindsItAgain) {
  CallWatch watch;
  SimulatedSource source(Scenario::LostGpu);
  source.open(watch);
  std::vector<GpuReadings> readings(2);
  for (const int64_t second : {0, 19, 20, 25, 30}) source.sample(second * 1'000'000'000, readings, watch);
  const auto notes = source.takeNotes();
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].code, "gpu-lost");
  EXPECT_EQ(notes[1].code, "gpu-back");
}

}  // namespace
}  // namespace strata::device
