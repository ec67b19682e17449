// Many ranges joined, beside one bit for each byte.

#include "analysis/joined_ranges.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace strata::test {
namespace {

using Ranges = std::vector<JoinedRanges::Range>;

TEST(JoinedRanges, JoinWhatOverlapsOrTouches) {
  JoinedRanges joined;
  joined.add(10, 5);
  joined.add(0, 3);
  joined.add(15, 1);
  joined.add(12, 20);
  joined.add(40, 0);
  EXPECT_EQ(joined.take(), (Ranges{{0, 3}, {10, 32}}));
}

TEST(JoinedRanges, CoverJustTheBytesThatWereAddedInAnyOrder) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const size_t space : {200ul, 400'000ul}) {
    std::vector<bool> isCovered(space + 32);
    JoinedRanges joined;
    for (int i = 0; i < 60'000; ++i) {
      const size_t from = random() % space, bytes = random() % 8;
      joined.add(from, bytes);
      std::fill_n(isCovered.begin() + static_cast<ptrdiff_t>(from), bytes, true);
    }
    Ranges expected;
    for (size_t at = 0; at < isCovered.size(); ++at) {
      if (!isCovered[at]) continue;
      if (expected.empty() || expected.back().second != at) expected.emplace_back(at, at);
      expected.back().second = at + 1;
    }
    EXPECT_EQ(joined.take(), expected);
  }
}

}  // namespace
}  // namespace strata::test
