#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "allocator/bfc.h"
#include "allocator/bfc_slow_model.h"
#include "allocator/replay_checks.h"

namespace strata::test {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

struct World {
  BfcOptions options;
  DeviceOptions device;
};

World randomWorld(std::mt19937_64& random) {
  World world;
  world.options.limit = 1 + random() % (256 * kMebibyte);
  world.options.allowGrowth = random() % 3 > 0;
  world.options.collectGarbage = random() % 2 == 0;
  world.options.coalesceRegions = random() % 2 == 0;
  world.options.fragmentationFraction = random() % 3 == 0 ? 0.01 : 0.0;
  world.device.capacity = world.options.limit / 2 + random() % world.options.limit;
  world.device.policy = static_cast<PlacementPolicy>(random() % 3);
  if (world.options.coalesceRegions) world.device.alignment = 256;
  if (world.options.coalesceRegions) world.device.gap = 0;
  return world;
}

uint64_t randomBytes(std::mt19937_64& random) { return random() % (uint64_t{1} << (1 + random() % 26)); }

void expectSameLayout(const Layout& layout, const BfcSlowModel& model) {
  ASSERT_EQ(layout.segments.size(), model.regions().size());
  size_t at = 0;
  for (size_t i = 0; i < layout.segments.size(); ++i) {
    ASSERT_EQ(layout.segments[i].address, model.regions()[i].address);
    ASSERT_EQ(layout.segments[i].bytes, model.regions()[i].bytes);
    for (const BfcSlowModel::Chunk& chunk : model.regions()[i].chunks) {
      ASSERT_EQ(layout.blocks[at].address, chunk.address);
      ASSERT_EQ(layout.blocks[at].bytes, chunk.bytes);
      ASSERT_EQ(layout.blocks[at++].state == BlockState::Allocated, chunk.isUsed);
    }
  }
}

void walk(uint64_t seed) {
  std::mt19937_64 random(seed);
  const World world = randomWorld(random);
  DeviceModel device(world.device), slowDevice(world.device);
  BfcAllocator allocator(world.options, device);
  BfcSlowModel model(world.options, slowDevice);
  std::vector<std::pair<BlockHandle, uint64_t>> live;
  for (int step = 0; step < 600; ++step) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " step " + std::to_string(step));
    if (live.size() > 80 || (!live.empty() && random() % 2 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      allocator.free(live.back().first);
      model.free(live.back().second);
      live.pop_back();
    } else {
      const uint64_t bytes = randomBytes(random);
      const Placement placement = allocator.allocate(bytes, 0);
      const auto chunk = model.allocate(bytes);
      ASSERT_EQ(placement.outcome == Outcome::Placed, chunk.has_value()) << bytes;
      if (!chunk) continue;
      ASSERT_EQ(placement.address, chunk->address);
      ASSERT_EQ(placement.bytes, chunk->bytes);
      live.emplace_back(placement.block, placement.address);
    }
    if (step % 20 > 0) continue;
    expectSameLayout(allocator.layout(), model);
    ASSERT_EQ(brokenRule(allocator), "");
  }
}

TEST(BfcWalk, PlacesWhatListsAndScansWouldPlace) {
  for (uint64_t seed = 1; seed <= 60; ++seed) walk(seed);
}

TEST(BfcWalk, StampedChunksStillTileAndTheFrontierNeverLosesMemory) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    World world = randomWorld(random);
    world.options.hasTimingCounter = true;
    DeviceModel device(world.device);
    BfcAllocator allocator(world.options, device);
    std::vector<BlockHandle> live;
    for (int step = 0; step < 600; ++step) {
      const uint64_t choice = random() % 10;
      if (choice == 0) {
        allocator.control(
            {.kind = Control::Kind::SetSafeFrontier, .value = random() % (allocator.counter() + 2)});
      } else if (choice == 1) {
        allocator.control({.kind = Control::Kind::SetFreedBy, .value = random() % (allocator.counter() + 1)});
      } else if (choice < 6 && !live.empty()) {
        std::swap(live[random() % live.size()], live.back());
        allocator.free(live.back());
        live.pop_back();
      } else {
        const Placement placement = allocator.allocate(randomBytes(random), 0);
        if (placement.outcome == Outcome::Placed) live.push_back(placement.block);
      }
      if (step % 20 == 0) {
        ASSERT_EQ(brokenRule(allocator), "") << "step " << step;
      }
    }
    for (const BlockHandle block : live) allocator.free(block);
    EXPECT_EQ(allocator.usage().allocated, 0u);
  }
}

}  // namespace
}  // namespace strata::test
