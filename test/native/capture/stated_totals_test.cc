#include "capture/stated_totals.h"

#include <gtest/gtest.h>

#include "analysis/consumers.h"
#include "analysis/index.h"

namespace strata {
namespace {

uint64_t activeAfter(const Trace& trace, EventIndex event) {
  const Index index(trace, trace.devices[0]);
  uint64_t active = 0;
  for (const RegionMoment& region : index.moment(event).regions) active += region.active;
  return active;
}

TEST(StatedTotals, AreRightAfterEveryEvent) {
  StatedTotals totals;
  totals.startWith(100);
  for (const uint64_t total : {300, 250, 40, 40, 0, 70}) totals.state({}, total);
  Trace trace;
  totals.finish(trace.devices.emplace_back());
  EXPECT_EQ(trace.devices[0].layout, DeviceLayout::Totals);
  EXPECT_EQ(activeAfter(trace, kBeforeFirst), 100u);
  EventIndex event = 0;
  for (const uint64_t total : {300, 250, 40, 40, 0, 70}) EXPECT_EQ(activeAfter(trace, event++), total);
}

TEST(StatedTotals, KnowWhoHoldsThePeakAndNobodyElse) {
  StatedTotals totals;
  totals.state({}, 500);
  totals.state({}, 700);
  EXPECT_FALSE(totals.own({{300, 2, 4}}));
  EXPECT_TRUE(totals.own({{300, 2, 4}, {100, 1, 5}}));
  totals.state({}, 650);
  Trace trace;
  Device& device = trace.devices.emplace_back();
  totals.finish(device);
  EXPECT_EQ(device.peak, 1);
  const auto consumers = consumersAt(device, device.peak, 10);
  ASSERT_EQ(consumers.size(), 2u);
  EXPECT_EQ(consumers[0].stack, 4u);
  EXPECT_EQ(consumers[0].bytes, 600u);
  EXPECT_EQ(consumers[0].count, 2u);
  EXPECT_EQ(activeAfter(trace, 2), 650u);
}

TEST(StatedTotals, ShowNoPeakThatAnotherMomentExceeds) {
  StatedTotals totals;
  totals.state({}, 500);
  EXPECT_TRUE(totals.own({{500, 1, 1}}));
  totals.state({}, 501);
  Device device;
  totals.finish(device);
  EXPECT_EQ(device.peak, kNever);
}

TEST(StatedTotals, OfOneMomentAreOwnedFromTheStart) {
  StatedTotals totals;
  totals.startWith(30);
  EXPECT_TRUE(totals.own({{10, 3, 2}}));
  Device device;
  totals.finish(device);
  EXPECT_FALSE(device.hasHistory);
  EXPECT_EQ(device.blocks.bytes, (std::vector<uint64_t>{10, 10, 10}));
}

TEST(StatedTotals, DoNotWrapWhenOwnersClaimMoreThanNumbersHold) {
  StatedTotals totals;
  totals.state({}, 16);
  EXPECT_FALSE(totals.own({{8, 2, 1}, {uint64_t{1} << 63, 2, 1}}));
}

}  // namespace
}  // namespace strata
