#include "analysis/counters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace strata {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

Counter counterOf(std::vector<int64_t> time, std::vector<double> value) {
  Counter counter;
  counter.time = std::move(time);
  counter.value = std::move(value);
  return counter;
}

/// The definition, point by point.
SeriesColumns slowWindow(const Counter& counter, int64_t end, double from, double to, uint32_t columns) {
  SeriesColumns result;
  const double width = (to - from) / columns;
  for (uint32_t column = 0; column < columns; ++column) {
    const double left = from + width * column;
    const double right = column + 1 == columns ? to : left + width;
    double min = kNan, max = kNan, last = kNan;
    for (size_t i = 0; i < counter.time.size() && left < static_cast<double>(end); ++i) {
      const bool isLast = i + 1 == counter.time.size();
      const auto time = static_cast<double>(counter.time[i]);
      const bool isBefore = time < right || (isLast && column + 1 == columns && time == right);
      const bool holds = isLast || static_cast<double>(counter.time[i + 1]) > left;
      if (!isBefore || !holds) continue;
      min = std::fmin(min, counter.value[i]);
      max = std::fmax(max, counter.value[i]);
      last = counter.value[i];
    }
    result.min.push_back(min);
    result.max.push_back(max);
    result.last.push_back(last);
  }
  return result;
}

void expectSame(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "column " << i << " is " << got[i];
    } else {
      EXPECT_EQ(got[i], wanted[i]) << "column " << i;
    }
  }
}

TEST(CounterIndex, HoldsAValueUntilTheNextAndNothingBeforeTheFirst) {
  const Counter counter = counterOf({10, 20}, {5, 7});
  const CounterIndex index(counter, 30);
  const SeriesColumns columns = index.window(0, 40, 4);
  expectSame(columns.min, {kNan, 5, 7, kNan});
  expectSame(columns.max, {kNan, 5, 7, kNan});
  EXPECT_TRUE(std::isnan(index.at(9)));
  EXPECT_EQ(index.at(19), 5);
  EXPECT_TRUE(std::isnan(index.at(30)));
}

TEST(CounterIndex, KnowsAValueThatWasReadInTheLastMoment) {
  const Counter counter = counterOf({0, 20}, {5, 7});
  const CounterIndex index(counter, 20);
  expectSame(index.window(0, 20, 2).max, {5, 7});
  expectSame(index.window(0, 20, 2).last, {5, 7});
  expectSame(index.window(0, 40, 2).max, {5, 7});
  EXPECT_EQ(index.at(20), 7);
  EXPECT_TRUE(std::isnan(index.at(21)));
  const Counter once = counterOf({0}, {9});
  expectSame(CounterIndex(once, 0).window(0, 1, 1).last, {9});
}

TEST(CounterIndex, LeavesAGapWhereNothingIsKnown) {
  const Counter counter = counterOf({0, 10, 20}, {5, kNan, 0});
  const CounterIndex index(counter, 30);
  const SeriesColumns columns = index.window(0, 30, 3);
  expectSame(columns.last, {5, kNan, 0});
}

TEST(CounterIndex, AnswersAnyWindowAsTheDefinitionDoes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const size_t points : {0u, 1u, 15u, 16u, 17u, 300u, 5000u}) {
    Counter counter;
    int64_t time = 0;
    for (size_t i = 0; i < points; ++i) {
      counter.time.push_back(time += 1 + random() % 5);
      counter.value.push_back(random() % 7 == 0 ? kNan : static_cast<double>(random() % 1000));
    }
    const int64_t end = time + 3;
    const CounterIndex index(counter, end);
    for (int window = 0; window < 20; ++window) {
      const double from = static_cast<double>(random() % static_cast<unsigned>(end + 10)) - 5;
      const double to = from + 1 + random() % static_cast<unsigned>(end + 10);
      const uint32_t columns = 1 + random() % 60;
      const SeriesColumns got = index.window(from, to, columns);
      const SeriesColumns wanted = slowWindow(counter, end, from, to, columns);
      expectSame(got.min, wanted.min);
      expectSame(got.max, wanted.max);
      expectSame(got.last, wanted.last);
    }
  }
}

}  // namespace
}  // namespace strata
