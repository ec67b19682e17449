#include "analysis/difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "random_trace.h"

namespace strata {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kSecond = 1'000'000'000;

void expectSame(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i << " is " << got[i];
    } else {
      EXPECT_EQ(got[i], wanted[i]) << i;
    }
  }
}

/// Segments of 100 bytes: one from before, one from second 2 to 6, one from second 4 on; events up to
/// second 8.
Trace made() {
  Trace trace;
  trace.hasClock = true;
  Device device;
  for (int event = 0; event < 5; ++event) {
    device.events.action.push_back(Action::Other);
    device.events.time.push_back(2 * event * kSecond);
  }
  device.segments.bytes = {100, 100, 100};
  device.segments.address = {0, 1000, 2000};
  device.segments.birth = {kBeforeFirst, 1, 2};
  device.segments.death = {kNever, 3, kNever};
  device.blocks.bytes = {30};
  device.blocks.address = {0};
  device.blocks.birth = {kBeforeFirst};
  device.blocks.death = {kNever};
  trace.devices.push_back(device);
  trace.countersEnd = 100 * kSecond;
  return trace;
}

Counter driverOf(std::vector<int64_t> seconds, std::vector<double> value) {
  Counter driver;
  for (const int64_t second : seconds) driver.time.push_back(second * kSecond);
  driver.value = std::move(value);
  driver.unit = CounterUnit::Bytes;
  return driver;
}

TEST(Difference, SubtractsWhatIsReservedAtTheTimeOfEachSample) {
  Trace trace = made();
  trace.sampleTimes = {0, 3 * kSecond, 5 * kSecond, 7 * kSecond};
  // says 500 once, and again at every sample
  const Difference difference = differenceOf(trace, trace.devices[0], driverOf({0}, {500}));
  EXPECT_EQ(difference.counter.time, (std::vector<int64_t>{0, 3 * kSecond, 5 * kSecond, 7 * kSecond}));
  expectSame(difference.counter.value, {400, 300, 200, 300});
  EXPECT_EQ(difference.subtracted, Subtracted::Reserved);
  EXPECT_EQ(difference.known, 4u);
  EXPECT_EQ(difference.negative, 0u);
  EXPECT_EQ(difference.smallest, 200);
  EXPECT_EQ(difference.largest, 400);
}

TEST(Difference, CountsTheEventOfTheVeryMoment) {
  Trace trace = made();
  const Difference difference = differenceOf(trace, trace.devices[0], driverOf({2, 4, 6}, {500, 500, 501}));
  expectSame(difference.counter.value, {300, 200, 301});
}

TEST(Difference, KnowsNothingOutsideTheAllocatorsEventsAndInGapsOfTheDriver) {
  Trace trace = made();
  for (int64_t& time : trace.devices[0].events.time) time += 10 * kSecond;
  const Counter driver = driverOf({5, 11, 13, 14, 20}, {500, 500, kNan, 500, 500});
  trace.sampleTimes = {5 * kSecond, 11 * kSecond, 14 * kSecond, 20 * kSecond};
  const Difference difference = differenceOf(trace, trace.devices[0], driver);
  EXPECT_EQ(difference.counter.time,
            (std::vector<int64_t>{11 * kSecond, 13 * kSecond, 14 * kSecond, 20 * kSecond}));
  expectSame(difference.counter.value, {400, kNan, 200, kNan});
  EXPECT_EQ(difference.known, 2u);
}

TEST(Difference, KeepsAndCountsNegativeValues) {
  Trace trace = made();
  const Difference difference = differenceOf(trace, trace.devices[0], driverOf({1, 5}, {90, 400}));
  expectSame(difference.counter.value, {-10, 100});
  EXPECT_EQ(difference.negative, 1u);
  EXPECT_EQ(difference.smallest, -10);
}

TEST(Difference, TakesStatedReservedBytesWhereThereAreNoSegments) {
  Trace trace = made();
  trace.devices[0].layout = DeviceLayout::Blocks;
  Difference difference = differenceOf(trace, trace.devices[0], driverOf({1}, {500}));
  EXPECT_EQ(difference.subtracted, Subtracted::Active);
  expectSame(difference.counter.value, {470});
  Counter stated = driverOf({0, 4, 8}, {200, 250, kNan});
  stated.group = trace.strings.intern("GPU 0 (kineto.json)");
  stated.name = trace.strings.intern("Total Reserved");
  trace.counters.push_back(stated);
  difference = differenceOf(trace, trace.devices[0], driverOf({1, 4, 6}, {500, 500, 500}));
  EXPECT_EQ(difference.subtracted, Subtracted::Stated);
  expectSame(difference.counter.value, {300, 250, kNan});
}

TEST(Difference, ReadsAProcessWhereItsListMayHaveBeenRead) {
  Trace trace = made();
  for (int64_t i = 0; i <= 16; ++i) trace.sampleTimes.push_back(i * kSecond / 2);
  Counter process = driverOf({1, 5}, {500, 600});
  process.isProcess = true;
  const Difference difference = differenceOf(trace, trace.devices[0], process);
  EXPECT_EQ(difference.counter.time,
            (std::vector<int64_t>{1 * kSecond, 2 * kSecond, 4 * kSecond, 5 * kSecond, 6 * kSecond}));
  expectSame(difference.counter.value, {400, 300, 200, 300, 400});
}

TEST(Difference, IsTheDefinitionOnRandomTraces) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Trace trace = test::randomTrace(seed);
    const Device& device = trace.devices[0];
    const int64_t last = device.events.time.back();
    const Index index(trace, device);
    Counter driver;
    for (int64_t time = -last / 10; time < last + last / 10;
         time += 1 + static_cast<int64_t>(random() % 1000) * (last / 50'000 + 1)) {
      driver.time.push_back(time);
      driver.value.push_back(random() % 10 == 0 ? kNan : static_cast<double>(random() % (1u << 30)));
    }
    trace.countersEnd = 2 * last;
    const IndexedDifference found(differenceOf(trace, device, driver), trace.countersEnd);
    for (size_t i = 0; i < driver.time.size(); ++i) {
      const int64_t time = driver.time[i];
      const EventIndex event = index.eventAtTime(time);
      const bool isKnown = time >= device.events.time.front() && time <= last && !std::isnan(driver.value[i]);
      double reserved = 0;
      for (size_t row = 0; row < device.segments.count(); ++row) {
        const bool lives = device.segments.birth[row] <= event && device.segments.death[row] > event;
        if (lives) reserved += static_cast<double>(device.segments.bytes[row]);
      }
      const double value = found.index.at(static_cast<double>(time));
      if (!isKnown) {
        ASSERT_TRUE(std::isnan(value)) << i;
      } else {
        ASSERT_EQ(value, driver.value[i] - reserved) << i;
      }
    }
  }
}

}  // namespace
}  // namespace strata
