// Live blocks by address, beside a tree that does the same slowly.

#include "capture/live_blocks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace strata::test {
namespace {

using Block = LiveBlocks::Block;

/// The same with a map.
class SlowBlocks {
 public:
  std::vector<uint32_t> removeOverlapping(uint64_t from, uint64_t to) {
    std::vector<uint32_t> rows;
    for (auto next = blocks_.begin(); next != blocks_.end();) {
      if (next->second.end <= from || next->first >= to) {
        ++next;
        continue;
      }
      rows.push_back(next->second.row);
      next = blocks_.erase(next);
    }
    return rows;
  }
  void insert(const Block& block) { blocks_[block.address] = block; }
  std::map<uint64_t, Block>& blocks() { return blocks_; }

 private:
  std::map<uint64_t, Block> blocks_;
};

TEST(LiveBlocks, FindNothingWhereThereIsNothing) {
  LiveBlocks blocks;
  uint32_t row = 0;
  EXPECT_FALSE(blocks.isLive(0));
  EXPECT_FALSE(blocks.remove(7, row));
  blocks.removeOverlapping(0, 100, [](const Block&) { FAIL(); });
}

TEST(LiveBlocks, AnswerAsATreeDoesWhateverHappens) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const uint64_t space : {60ull, 5'000ull, 1'000'000ull}) {
    LiveBlocks blocks;
    SlowBlocks slow;
    for (uint32_t step = 0; step < 4'000; ++step) {
      const uint64_t address = random() % space, bytes = random() % 2 ? 8 : 1 + random() % 40;
      std::vector<uint32_t> gone;
      const auto note = [&](const Block& block) { gone.push_back(block.row); };
      const int what = static_cast<int>(random() % 8);
      if (what < 4) {
        blocks.insert({address, address + bytes, step}, note);
        ASSERT_EQ(gone, slow.removeOverlapping(address, address + bytes));
        slow.insert({address, address + bytes, step});
      } else if (what == 4) {
        blocks.removeOverlapping(address, address + bytes, note);
        ASSERT_EQ(gone, slow.removeOverlapping(address, address + bytes));
      } else {
        const auto near = slow.blocks().lower_bound(address);
        const uint64_t wanted = near == slow.blocks().end() || what == 7 ? address : near->first;
        const auto expected = slow.blocks().find(wanted);
        const bool isThere = expected != slow.blocks().end();
        ASSERT_EQ(blocks.isLive(wanted), isThere);
        uint32_t row = 0;
        ASSERT_EQ(blocks.remove(wanted, row), isThere);
        if (isThere) {
          ASSERT_EQ(row, expected->second.row);
          slow.blocks().erase(expected);
        }
      }
    }
    for (const auto& [address, block] : slow.blocks()) ASSERT_TRUE(blocks.isLive(address));
    std::vector<uint32_t> rest;
    blocks.removeOverlapping(0, 2 * space, [&](const Block& block) { rest.push_back(block.row); });
    ASSERT_EQ(rest, slow.removeOverlapping(0, 2 * space));
  }
}

TEST(LiveBlocks, KnowWhetherABlockIsWhereOneOfItsSizeWas) {
  LiveBlocks blocks;
  uint32_t row = 0;
  const auto none = [](const Block&) { FAIL(); };
  EXPECT_FALSE(blocks.insert({16, 24, 0}, none));
  EXPECT_TRUE(blocks.remove(16, row));
  EXPECT_FALSE(blocks.isLive(16));
  EXPECT_TRUE(blocks.insert({16, 24, 1}, none));
  std::vector<uint32_t> ended;
  EXPECT_TRUE(blocks.insert({16, 24, 2}, [&](const Block& block) { ended.push_back(block.row); }));
  EXPECT_EQ(ended, std::vector<uint32_t>{1});
  EXPECT_TRUE(blocks.remove(16, row));
  EXPECT_EQ(row, 2u);
  EXPECT_FALSE(blocks.insert({8, 17, 3}, none));   // over the empty place, which goes
  EXPECT_FALSE(blocks.insert({17, 24, 4}, none));  // beside it
  EXPECT_FALSE(blocks.isLive(16));
}

TEST(LiveBlocks, KeepWhatIsLiveWhenTheyForgetPlacesThatStayEmpty) {
  LiveBlocks blocks;
  const auto none = [](const Block&) { FAIL(); };
  constexpr uint32_t kBlocks = 100'000;
  uint32_t row = 0;
  for (uint32_t i = 0; i < kBlocks; ++i) {
    blocks.insert({i * uint64_t{512}, (i + 1) * uint64_t{512}, i}, none);
    if (i % 100 != 0) {
      ASSERT_TRUE(blocks.remove(i * uint64_t{512}, row));
    }
  }
  for (uint32_t i = 0; i < kBlocks; ++i) {
    ASSERT_EQ(blocks.find(i * uint64_t{512}, row), i % 100 == 0);
    if (i % 100 == 0) {
      ASSERT_EQ(row, i);
    }
  }
}

}  // namespace
}  // namespace strata::test
