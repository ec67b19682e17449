#include <gtest/gtest.h>

#include <map>
#include <random>

#include "allocator/pytorch_address_map.h"
#include "allocator/pytorch_ordered_set.h"

namespace strata::test {
namespace {

using pytorch::AddressMap;
using pytorch::OrderedSet;
using Plain = std::map<std::pair<uint64_t, uint64_t>, uint32_t>;

void expectSameSearch(const OrderedSet& set, const Plain& plain, const OrderedSet::Key& key) {
  const auto at = set.lowerBound(key);
  const auto expected = plain.lower_bound({key.high, key.low});
  ASSERT_EQ(set.isEnd(at), expected == plain.end());
  if (!set.isEnd(at)) {
    ASSERT_EQ(set.at(at).id, expected->second);
  }
  const auto* below = set.lastAtOrBelow(key);
  const auto above = plain.upper_bound({key.high, key.low});
  ASSERT_EQ(below == nullptr, above == plain.begin());
  if (below != nullptr) {
    ASSERT_EQ(below->id, std::prev(above)->second);
  }
}

TEST(OrderedSet, SearchesAsAMapDoesThroughGrowthAndShrinkage) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  OrderedSet set;
  Plain plain;
  for (uint32_t step = 0; step < 30000; ++step) {
    const OrderedSet::Key key{random() % 8, random() % 2000};
    const bool isGrowing = (step / 6000) % 2 == 0;
    const bool isThere = plain.count({key.high, key.low}) != 0;
    if (isThere && random() % 4 < (isGrowing ? 1u : 3u)) {
      ASSERT_TRUE(set.erase(key));
      plain.erase({key.high, key.low});
    } else if (!isThere && random() % 4 < (isGrowing ? 3u : 1u)) {
      set.insert(key, step);
      plain[{key.high, key.low}] = step;
    } else {
      ASSERT_EQ(isThere || !set.erase(key), true);
    }
    ASSERT_EQ(set.size(), plain.size());
    expectSameSearch(set, plain, {random() % 8, random() % 2000});
  }
  auto at = set.first();
  for (const auto& [key, id] : plain) {
    ASSERT_FALSE(set.isEnd(at));
    ASSERT_EQ(set.at(at).id, id);
    at = set.next(at);
  }
  ASSERT_TRUE(set.isEnd(at));
}

TEST(AddressMap, FindsWhatWasSetAndNothingThatWasTaken) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  AddressMap map;
  std::map<uint64_t, uint32_t> plain;
  for (uint32_t step = 0; step < 30000; ++step) {
    const uint64_t address = (random() % 3000) * 512;
    if (random() % 2 == 0) {
      map.set(address, step);
      plain[address] = step;
    } else {
      const auto found = plain.find(address);
      ASSERT_EQ(map.take(address), found == plain.end() ? kNone : found->second);
      plain.erase(address);
    }
    const uint64_t asked = (random() % 3000) * 512;
    ASSERT_EQ(map.find(asked), plain.count(asked) ? plain[asked] : kNone);
    ASSERT_EQ(map.size(), plain.size());
  }
}

}  // namespace
}  // namespace strata::test
