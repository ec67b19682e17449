#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "allocator/best_fit_index.h"
#include "allocator/first_fit_index.h"

namespace strata {
namespace {

constexpr int kSteps = 60'000;

/// Sets grow for a while and then shrink, so that nodes split up to the root and merge back down to it.
bool isInsertion(int step, uint64_t random) { return random % 8 < (step / 20'000 % 2 == 0 ? 7 : 1); }

using Sizes = std::set<std::pair<uint64_t, uint64_t>>;

/// Checks the best fit, and the fits after it, for one size.
void expectSameFits(const BestFitIndex& index, const Sizes& model, uint64_t bytes) {
  BestFitIndex::Cursor cursor;
  auto expected = model.lower_bound({bytes, 0});
  bool isFound = index.bestFit(bytes, cursor);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(isFound, expected != model.end()) << bytes;
    if (!isFound) return;
    ASSERT_EQ(index.bytesAt(cursor), expected->first);
    ASSERT_EQ(index.blockAt(cursor), expected->second / 256);
    isFound = index.advance(cursor);
    ++expected;
  }
}

void walkBestFit(uint64_t seed, uint64_t sizes, size_t limit) {
  std::mt19937_64 random(seed);
  BestFitIndex index;
  Sizes model;
  for (int step = 0; step < kSteps; ++step) {
    const uint64_t bytes = 256 * (1 + random() % sizes);
    const uint64_t address = 256 * (random() % 100'000);
    if (model.size() < limit && isInsertion(step, random())) {
      if (model.insert({bytes, address}).second)
        index.insert(bytes, address, static_cast<uint32_t>(address / 256));
    } else if (!model.empty()) {
      auto victim = model.lower_bound({bytes, address});
      if (victim == model.end()) victim = model.begin();
      index.erase(victim->first, victim->second);
      model.erase(victim);
    }
    ASSERT_EQ(index.size(), model.size());
    ASSERT_EQ(index.largest(), model.empty() ? 0 : model.rbegin()->first);
    expectSameFits(index, model, bytes);
  }
  std::vector<uint32_t> blocks;
  index.forEach([&](uint32_t block) { blocks.push_back(block); });
  ASSERT_EQ(blocks.size(), model.size());
}

TEST(ReplayIndex, BestFitFindsWhatASortedSetFinds) {
  for (const uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    walkBestFit(seed, 3, 20'000);        // nearly all sizes alike: one deep tree
    walkBestFit(seed, 1 << 20, 20'000);  // many sizes: many small trees
    walkBestFit(seed, 64, 40);           // few blocks, emptied again and again
  }
}

void walkFirstFit(uint64_t seed, size_t limit) {
  std::mt19937_64 random(seed);
  FirstFitIndex index;
  std::map<uint64_t, uint64_t> model;  // address -> bytes
  for (int step = 0; step < kSteps; ++step) {
    const uint64_t address = 16 * (random() % 50'000);
    const uint64_t bytes = uint64_t{1} << random() % 20;
    const auto at = model.lower_bound(address);
    if (model.size() < limit && isInsertion(step, random())) {
      if (model.emplace(address, bytes).second) index.insert({address, bytes, 7});
    } else if (at != model.end() && random() % 2 == 0) {
      FirstFitIndex::Cursor cursor;
      ASSERT_TRUE(index.find(at->first, cursor));
      index.replaceAt(cursor, {at->first, bytes, 7});
      at->second = bytes;
    } else if (at != model.end()) {
      index.erase(at->first);
      model.erase(at);
    }
    FirstFitIndex::Cursor cursor;
    const uint64_t wanted = step % 7 == 0 ? uint64_t{1} << 18 : bytes;
    const auto fit =
        std::find_if(model.begin(), model.end(), [&](const auto& block) { return block.second >= wanted; });
    ASSERT_EQ(index.firstFit(wanted, cursor), fit != model.end());
    if (fit != model.end()) {
      ASSERT_EQ(index.at(cursor).address, fit->first);
    }
    const auto above = model.upper_bound(address);
    ASSERT_EQ(index.floor(address, cursor), above != model.begin());
    if (above != model.begin()) {
      ASSERT_EQ(index.at(cursor).address, std::prev(above)->first);
    }
  }
}

TEST(ReplayIndex, FirstFitFindsWhatAScanFinds) {
  for (const uint64_t seed : {4, 5, 6}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    walkFirstFit(seed, 20'000);
    walkFirstFit(seed, 50);
  }
}

TEST(ReplayIndex, ARunOfBlocksIsReplacedByOneWhereverItLies) {
  for (uint64_t first = 0; first + 4 <= 200; ++first) {
    for (uint32_t count = 1; count <= 4; ++count) {
      FirstFitIndex index;
      for (uint64_t i = 0; i < 200; ++i) index.insert({i * 10, 5, static_cast<uint32_t>(i)});
      index.replaceRun(first * 10, count, {first * 10, 99, 1000});
      size_t left = 0;
      index.forEach([&](const FirstFitIndex::Entry& entry) {
        const bool isReplaced = entry.address > first * 10 && entry.address < (first + count) * 10;
        EXPECT_FALSE(isReplaced) << entry.address;
        ++left;
      });
      ASSERT_EQ(left, 200 - count + 1);
      FirstFitIndex::Cursor cursor;
      ASSERT_TRUE(index.firstFit(6, cursor));
      ASSERT_EQ(index.at(cursor).address, first * 10);
    }
  }
}

}  // namespace
}  // namespace strata
