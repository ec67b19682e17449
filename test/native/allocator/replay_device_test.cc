#include <gtest/gtest.h>

#include <map>
#include <random>

#include "allocator/device_model.h"

namespace strata {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

uint64_t roundUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

/// First fit as the documentation words it: candidates are 0 and the rounded end of every live allocation.
uint64_t scanFirstFit(const std::map<uint64_t, uint64_t>& live, uint64_t bytes,
                      const DeviceOptions& options) {
  const auto fits = [&](uint64_t offset) {
    for (const auto& [start, size] : live)
      if (start < offset + bytes + options.gap && offset < start + size + options.gap) return false;
    return true;
  };
  if (fits(0)) return 0;
  for (const auto& [start, size] : live) {
    const uint64_t offset = roundUp(start + size + options.gap, options.alignment);
    if (fits(offset)) return offset;
  }
  return 0;
}

TEST(ReplayDevice, FirstFitPlacesWhereAScanOfAllAllocationsWould) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    DeviceOptions options{.policy = PlacementPolicy::FirstFit};
    options.alignment = seed % 2 == 0 ? 256 : 2 * kMebibyte;
    options.gap = seed % 2 == 0 ? 0 : 2 * kMebibyte;
    DeviceModel device(options);
    std::map<uint64_t, uint64_t> live;
    for (int step = 0; step < 2'000; ++step) {
      if (live.size() > 60 || (!live.empty() && random() % 2 == 0)) {
        auto victim = live.lower_bound(random() % (live.rbegin()->first + 1));
        device.free(DeviceModel::kBase + victim->first, victim->second);
        live.erase(victim);
        continue;
      }
      const uint64_t bytes = 1 + random() % (8 * kMebibyte);
      const auto address = device.allocate(bytes);
      ASSERT_TRUE(address.has_value());
      ASSERT_EQ(*address - DeviceModel::kBase, scanFirstFit(live, bytes, options)) << "step " << step;
      live.emplace(*address - DeviceModel::kBase, bytes);
    }
  }
}

TEST(ReplayDevice, ASpanOfTouchingAllocationsIsFreedAtOnce) {
  DeviceModel device({.policy = PlacementPolicy::FirstFit, .alignment = 256, .gap = 0});
  const uint64_t first = device.allocate(1024).value();
  device.allocate(2048);
  device.allocate(512);
  device.allocate(256);
  device.free(first, 1024 + 2048 + 512);
  EXPECT_EQ(device.used(), 256u);
  EXPECT_EQ(device.allocate(3584), first);
  EXPECT_EQ(device.allocate(256), first + 3584 + 256);
}

TEST(ReplayDevice, CapacityCountsExactBytes) {
  DeviceModel device({.capacity = 1000});
  EXPECT_TRUE(device.allocate(400).has_value());
  EXPECT_FALSE(device.allocate(601).has_value());
  EXPECT_TRUE(device.createPhysical(600));
  EXPECT_FALSE(device.createPhysical(1));
  EXPECT_EQ(device.freeBytes(), 0u);
  EXPECT_EQ(device.calls.refuse, 1u);
  EXPECT_EQ(device.calls.refuseCreate, 1u);
}

TEST(ReplayDevice, BumpNeverReusesAndDescendingGoesBelowTheBase) {
  DeviceModel bump({});
  const uint64_t first = bump.allocate(100).value();
  bump.free(first, 100);
  EXPECT_EQ(first, DeviceModel::kBase);
  EXPECT_EQ(bump.allocate(100), DeviceModel::kBase + 4 * kMebibyte);

  DeviceModel descending({.policy = PlacementPolicy::Descending});
  EXPECT_EQ(descending.allocate(100), DeviceModel::kBase - 2 * kMebibyte);
  EXPECT_EQ(descending.allocate(3 * kMebibyte), DeviceModel::kBase - 8 * kMebibyte);
}

TEST(ReplayDevice, AddressesRunOutInsteadOfWrapping) {
  DeviceModel bump({});
  const uint64_t huge = uint64_t{1} << 62;
  const auto first = bump.allocate(huge);
  ASSERT_TRUE(first.has_value());
  bump.free(*first, huge);
  EXPECT_FALSE(bump.allocate(huge).has_value());
  DeviceModel descending({.policy = PlacementPolicy::Descending});
  EXPECT_FALSE(descending.allocate(DeviceModel::kBase + 1).has_value());
}

}  // namespace
}  // namespace strata
