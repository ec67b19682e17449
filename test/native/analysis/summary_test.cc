#include "analysis/summary.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Summary, CountsAllocationsAndFindsTheLastTime) {
  Device device;
  device.events.action = {Action::SegmentAlloc, Action::Alloc, Action::FreeRequested, Action::Alloc};
  device.events.time = {0, 5, 9, 12};
  const Summary summary = summarise(device);
  EXPECT_EQ(summary.allocations, 2u);
  EXPECT_EQ(summary.lastTime, 12);
}

TEST(Summary, NamesTheRegionsThatEverHeldASegment) {
  Device device;
  device.segments.region = {Region::Pooled, Region::Pooled, Region::Virtual};
  const Summary summary = summarise(device);
  EXPECT_FALSE(summary.uses[static_cast<int>(Region::Immediate)]);
  EXPECT_TRUE(summary.uses[static_cast<int>(Region::Pooled)]);
  EXPECT_TRUE(summary.uses[static_cast<int>(Region::Virtual)]);
}

TEST(Summary, AddsUpWhatACutOffCaptureLeavesOpen) {
  Device device;
  device.possible[0].reserved = 10;
  device.possible[2].reserved = 5;
  device.possible[1].active = 3;
  const Summary summary = summarise(device);
  EXPECT_EQ(summary.possible.reserved, 15u);
  EXPECT_EQ(summary.possible.active, 3u);
  EXPECT_EQ(summary.possible.allocated, 0u);
}

TEST(Summary, AddsUpTheEndAsTheCaptureStatesIt) {
  Device device;
  device.final.segments.resize(2);
  device.final.segments[0].bytes = 100;
  device.final.segments[0].active = 60;
  device.final.segments[1].bytes = 20;
  const Summary summary = summarise(device);
  EXPECT_EQ(summary.storedEnd.reserved, 120u);
  EXPECT_EQ(summary.storedEnd.active, 60u);
  EXPECT_EQ(summary.storedEnd.requested, 0u);
}

TEST(Summary, OfAnEmptyDeviceIsNothing) {
  const Summary summary = summarise(Device{});
  EXPECT_EQ(summary.allocations, 0u);
  EXPECT_EQ(summary.lastTime, 0);
}

}  // namespace
}  // namespace strata
