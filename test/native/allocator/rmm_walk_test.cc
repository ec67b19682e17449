#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "allocator/direct.h"
#include "allocator/replay_checks.h"
#include "allocator/rmm_arena.h"
#include "allocator/rmm_binning.h"
#include "allocator/rmm_fixed.h"
#include "allocator/rmm_pool.h"
#include "allocator/rmm_slow_model.h"

namespace strata::test {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
constexpr uint64_t kRounding = 16;

struct Live {
  BlockHandle block;
  uint64_t address, bytes;
  uint32_t stream;
};

uint64_t randomBytes(std::mt19937_64& random) { return random() % (uint64_t{1} << (1 + random() % 24)); }

Live takeRandom(std::vector<Live>& live, std::mt19937_64& random) {
  std::swap(live[random() % live.size()], live.back());
  const Live taken = live.back();
  live.pop_back();
  return taken;
}

/// Random requests on a few streams; `allocate` and `free` are the slow model's.
template <typename Allocate, typename Free>
void walk(Allocator& allocator, std::mt19937_64& random, Allocate&& allocate, Free&& free) {
  std::vector<Live> live;
  const uint32_t streams = 1 + static_cast<uint32_t>(random() % 4);
  for (int step = 0; step < 600; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    if (live.size() > 80 || (!live.empty() && random() % 2 == 0)) {
      const Live freed = takeRandom(live, random);
      allocator.free(freed.block);
      free(freed);
    } else {
      const uint64_t bytes = randomBytes(random);
      const auto stream = static_cast<uint32_t>(random() % streams);
      const Placement placement = allocator.allocate(bytes, stream);
      const std::optional<uint64_t> address = allocate(bytes, stream);
      ASSERT_EQ(placement.outcome == Outcome::Placed, address.has_value()) << bytes;
      if (!address) continue;
      ASSERT_EQ(placement.address, *address) << bytes;
      live.push_back({placement.block, placement.address, bytes, stream});
    }
    if (step % 20 == 0) {
      ASSERT_EQ(brokenRule(allocator), "");
    }
  }
}

TEST(RmmWalk, PoolPlacesWhatSortedListsWouldPlace) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    RmmPoolOptions options;
    if (random() % 2 == 0) options.initialBytes = 256 * (random() % 10'000);
    if (random() % 2 == 0) options.maximumBytes = options.initialBytes + 256 * (random() % 400'000);
    const DeviceOptions deviceOptions{.capacity = options.initialBytes + random() % (256 * kMebibyte) + 16};
    DeviceModel device(deviceOptions), slowDevice(deviceOptions);
    DirectAllocator direct(device, kRounding);
    RmmPool pool(options, direct);
    ASSERT_TRUE(pool.start());
    RmmPoolSlowModel model(options, slowDevice);
    walk(
        pool, random, [&](uint64_t bytes, uint32_t stream) { return model.allocate(bytes, stream); },
        [&](const Live& freed) { model.free(freed.address, freed.bytes, freed.stream); });
  }
}

TEST(RmmWalk, ArenaPlacesWhatScannedSuperblocksWouldPlace) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const uint64_t bytes = kMebibyte + 256 * (random() % 400'000);
    DeviceModel device({});
    DirectAllocator direct(device, kRounding);
    RmmArena arena(bytes, direct);
    ASSERT_TRUE(arena.start());
    RmmArenaSlowModel model(DeviceModel::kBase, bytes);
    walk(
        arena, random, [&](uint64_t size, uint32_t stream) { return model.allocate(size, stream); },
        [&](const Live& freed) { model.free(freed.address, freed.bytes); });
  }
}

TEST(RmmWalk, FixedBlocksLeaveAtTheFrontAndReturnToTheEnd) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    DeviceModel device({}), slowDevice({});
    DirectAllocator direct(device, kRounding);
    const uint64_t count = 1 + random() % 9;
    RmmFixed fixed({1000, count}, direct);
    ASSERT_TRUE(fixed.start());
    std::vector<uint32_t> order = {0};
    std::map<uint32_t, std::deque<uint64_t>> lists;
    const auto addBatch = [&](uint32_t stream) {
      const uint64_t address = slowDevice.allocate(1024 * count).value();
      for (uint64_t i = 0; i < count; ++i) lists[stream].push_back(address + i * 1024);
    };
    addBatch(0);
    const auto allocate = [&](uint64_t bytes, uint32_t stream) -> std::optional<uint64_t> {
      if (bytes == 0) return std::nullopt;
      if (std::find(order.begin(), order.end(), stream) == order.end()) order.push_back(stream);
      if (bytes > 1024) return std::nullopt;
      uint32_t from = stream;
      for (size_t i = 0; lists[from].empty() && i < order.size(); ++i) from = order[i];
      if (lists[from].empty()) addBatch(from = stream);
      const uint64_t address = lists[from].front();
      lists[from].pop_front();
      return address;
    };
    walk(fixed, random, allocate, [&](const Live& freed) { lists[freed.stream].push_back(freed.address); });
  }
}

TEST(RmmWalk, BinsOverAPoolNeverOverlapAndAddUp) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    DeviceModel device({});
    DirectAllocator direct(device, kRounding);
    RmmPool pool({}, direct);
    RmmBinning binning({{700, 5}, {4096, 33}, {20'000, 11}}, pool);
    ASSERT_TRUE(binning.start());
    std::vector<Live> live;
    for (int step = 0; step < 1000; ++step) {
      if (live.size() > 100 || (!live.empty() && random() % 2 == 0)) {
        binning.free(takeRandom(live, random).block);
      } else {
        const Placement placement = binning.allocate(1 + random() % 60'000, random() % 3);
        ASSERT_EQ(placement.outcome, Outcome::Placed);
        live.push_back({placement.block, placement.address, placement.bytes, 0});
      }
      const Layout layout = binning.layout();
      uint64_t bytes = 0, end = 0, count = 0;
      for (const LayoutBlock& block : layout.blocks) {
        ASSERT_GE(block.address, end);
        end = block.address + block.bytes;
        if (block.state == BlockState::Allocated) bytes += block.bytes;
        if (block.state == BlockState::Allocated) ++count;
      }
      ASSERT_EQ(bytes, binning.usage().allocated);
      ASSERT_EQ(count, live.size());
    }
  }
}

}  // namespace
}  // namespace strata::test
