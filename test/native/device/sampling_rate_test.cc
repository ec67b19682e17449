#include "device/sampling_rate.h"

#include <gtest/gtest.h>

namespace strata::device {
namespace {

TEST(SamplingRate, IsWhatWasAskedForWhileSamplesKeepToIt) {
  SamplingRate rate(100);
  EXPECT_EQ(rate.hz(), 0) << "not known before two samples";
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(rate.add(i % 2 == 0 ? 90 : 110));
  EXPECT_EQ(rate.pace(), 100);
  EXPECT_NEAR(rate.hz(), 1e7, 2e5);
}

TEST(SamplingRate, CallsOneLongWaitAGap) {
  SamplingRate rate(100);
  for (int i = 0; i < 20; ++i) rate.add(100);
  EXPECT_FALSE(rate.add(250));
  EXPECT_TRUE(rate.add(10'000));
  EXPECT_FALSE(rate.add(100));
  EXPECT_EQ(rate.pace(), 100);
}

TEST(SamplingRate, CallsASlowDriverASlowPaceAndNotARowOfGaps) {
  SamplingRate rate(20);
  int gaps = 0;
  for (int i = 0; i < 100; ++i) gaps += rate.add(130) ? 1 : 0;
  EXPECT_LE(gaps, 6);
  EXPECT_FALSE(rate.add(130));
  EXPECT_EQ(rate.pace(), 160);
  EXPECT_NEAR(rate.hz(), 1e9 / 130, 1e6);
  for (int i = 0; i < 100; ++i) rate.add(20);
  EXPECT_EQ(rate.pace(), 20) << "it is quick again";
}

TEST(SamplingRate, StartsAnewWithAnotherPeriod) {
  SamplingRate rate(20);
  for (int i = 0; i < 10; ++i) rate.add(130);
  rate.setPeriod(1000);
  EXPECT_EQ(rate.pace(), 1000);
  EXPECT_EQ(rate.hz(), 0);
}

}  // namespace
}  // namespace strata::device
