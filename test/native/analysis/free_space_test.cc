#include "analysis/free_space.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace strata {
namespace {

/// Bytes one by one: which range each free byte belongs to.
class PlainHoles {
 public:
  void insert(uint64_t from, uint64_t to, uint32_t range) {
    for (uint64_t at = from; at < to; ++at) range_[at] = range;
  }
  void erase(uint64_t from, uint64_t to) { range_.erase(range_.lower_bound(from), range_.lower_bound(to)); }
  std::vector<std::pair<uint64_t, uint64_t>> holes() const {
    std::vector<std::pair<uint64_t, uint64_t>> holes;
    uint32_t before = 0;
    for (const auto& [at, range] : range_) {
      if (!holes.empty() && holes.back().second == at && before == range) {
        ++holes.back().second;
      } else {
        holes.emplace_back(at, at + 1);
      }
      before = range;
    }
    return holes;
  }

 private:
  std::map<uint64_t, uint32_t> range_;
};

class HolesAtRandom : public testing::TestWithParam<uint32_t> {};

TEST_P(HolesAtRandom, AreWhatIsLeftByteByByte) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  std::mt19937 random(GetParam());
  HoleSet set;
  PlainHoles plain;
  constexpr uint64_t kEnd = 6000;
  // Two ranges that touch in the middle.
  for (int step = 0; step < 3000; ++step) {
    const uint32_t range = random() % 2;
    const uint64_t low = range * kEnd / 2;
    const uint64_t from = low + random() % (kEnd / 2);
    const uint64_t to = std::min(low + kEnd / 2, from + 1 + random() % (random() % 20 == 0 ? 500 : 4));
    if (random() % 100 < (step / 500 % 2 == 0 ? 70 : 30)) {
      set.insert(from, to, range);
      plain.insert(from, to, range);
    } else {
      set.erase(from, to);
      plain.erase(from, to);
    }
    if (step % 25 != 0) continue;
    std::vector<std::pair<uint64_t, uint64_t>> got;
    set.forEach([&](uint64_t holeFrom, uint64_t holeTo) { got.emplace_back(holeFrom, holeTo); });
    const auto expected = plain.holes();
    ASSERT_EQ(got, expected);
    ASSERT_EQ(set.count(), expected.size());
    uint64_t largest = 0;
    for (const auto& [holeFrom, holeTo] : expected) largest = std::max(largest, holeTo - holeFrom);
    ASSERT_EQ(set.largest(), largest);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, HolesAtRandom, testing::Range(1u, 9u),
                         [](const auto& seed) { return "Seed" + std::to_string(seed.param); });

TEST(HoleSet, KeepsTensOfThousandsOfHolesAndTheLargest) {
  HoleSet set;
  for (uint64_t i = 0; i < 50000; ++i) set.insert(i * 7919 % 50000 * 100, i * 7919 % 50000 * 100 + 50, 0);
  EXPECT_EQ(set.count(), 50000u);
  EXPECT_EQ(set.largest(), 50u);
  set.insert(2000050, 2000100, 0);
  EXPECT_EQ(set.count(), 49999u);
  EXPECT_EQ(set.largest(), 150u);
  set.erase(0, 50000 * 100);
  EXPECT_EQ(set.count(), 0u);
  EXPECT_EQ(set.largest(), 0u);
}

}  // namespace
}  // namespace strata
