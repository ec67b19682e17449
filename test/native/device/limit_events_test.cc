#include "device/limit_events.h"

#include <gtest/gtest.h>

namespace strata::device {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

Sample sampleOf(int64_t time, Reading used, Reading temperature = {}, Reading power = {}) {
  Sample sample;
  sample.time = time;
  sample.gpus.resize(2);
  GpuReadings& second = sample.gpus[1];
  second[GpuMetric::Total] = 1000;
  second[GpuMetric::Used] = used;
  second[GpuMetric::Temperature] = temperature;
  second[GpuMetric::Power] = power;
  return sample;
}

TEST(LimitEvents, TellsOnceThatALimitIsReachedWithValueAndLimit) {
  LimitEvents events;
  events.set({{}, {90, {}, {}}});
  EXPECT_TRUE(events.next(sampleOf(0, 899)).empty());
  const auto told = events.next(sampleOf(1, 915));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, "memory-limit");
  EXPECT_EQ(told[0].gpu, 1u);
  EXPECT_EQ(told[0].text, "91.5 % ≥ 90 %");
  EXPECT_TRUE(events.next(sampleOf(2, 999)).empty());
}

TEST(LimitEvents, TellsAnewOnlyAfterFiveSecondsBelow) {
  LimitEvents events;
  events.set({{}, {{}, 80, {}}});
  EXPECT_EQ(events.next(sampleOf(0, {}, 80)).size(), 1u);
  EXPECT_TRUE(events.next(sampleOf(1 * kSecond, {}, 79)).empty());
  EXPECT_TRUE(events.next(sampleOf(2 * kSecond, {}, 81)).empty()) << "it flutters";
  EXPECT_TRUE(events.next(sampleOf(7 * kSecond, {}, 79)).empty());
  EXPECT_EQ(events.next(sampleOf(8 * kSecond, {}, 81)).size(), 1u);
}

TEST(LimitEvents, PassesNothingThatIsNotKnown) {
  LimitEvents events;
  events.set({{1, 1, 1}, {1, 1, 1}});
  Sample sample = sampleOf(0, {});
  sample.gpus[1][GpuMetric::Total] = 0;
  sample.gpus[1][GpuMetric::Used] = 5;
  EXPECT_TRUE(events.next(sample).empty());
}

TEST(LimitEvents, StartsAnewWithALimitThatChangesAndKeepsTheOthers) {
  LimitEvents events;
  events.set({{}, {50, {}, 400}});
  EXPECT_EQ(events.next(sampleOf(0, 600, {}, 500'000)).size(), 2u);
  events.set({{}, {55, {}, 400}});
  const auto told = events.next(sampleOf(1, 600, {}, 500'000));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, "memory-limit");
  events.set({});
  EXPECT_TRUE(events.next(sampleOf(2, 600)).empty());
}

}  // namespace
}  // namespace strata::device
