#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

#include "allocator/bfc_slow_model.h"
#include "allocator/ledger_device.h"
#include "allocator/replay_checks.h"
#include "allocator/tensorflow_vmm.h"

namespace strata::test {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
constexpr uint64_t kGibibyte = uint64_t{1} << 30;

/// The sub-allocator in so many words: a list of pieces and a cursor.
class SlowVmm final : public Driver {
 public:
  SlowVmm(uint64_t rangeBytes, uint64_t granularity, Driver& device)
      : device_(device), granularity_(granularity), end_(padded(rangeBytes)) {
    base_ = device.reserveRange(end_);
  }
  std::optional<uint64_t> allocate(uint64_t bytes) override {
    if (cursor_ + padded(bytes) > end_ || !device_.createPhysical(padded(bytes))) return std::nullopt;
    pieces_[base_ + cursor_] = padded(bytes);
    cursor_ += padded(bytes);
    return base_ + cursor_ - padded(bytes);
  }
  uint64_t granted(uint64_t bytes) const override { return padded(bytes); }
  void free(uint64_t address, uint64_t bytes) override {
    int sum = 0;  // as in the source: this is what makes large frees fail
    auto end = pieces_.find(address);
    while (end != pieces_.end() && static_cast<uint64_t>(sum) < bytes)
      sum += static_cast<int>((end++)->second);
    if (static_cast<uint64_t>(sum) != bytes) return;
    if (end == pieces_.end()) cursor_ = address - base_;
    for (auto piece = pieces_.find(address); piece != end; piece = pieces_.erase(piece))
      device_.releasePhysical(piece->second);
  }
  uint64_t reserveRange(uint64_t) override { return 0; }
  void releaseRange(uint64_t, uint64_t) override {}
  bool createPhysical(uint64_t) override { return false; }
  void releasePhysical(uint64_t) override {}
  uint64_t capacity() const override { return device_.capacity(); }
  uint64_t used() const override { return device_.used(); }

 private:
  uint64_t padded(uint64_t bytes) const { return (bytes + granularity_ - 1) / granularity_ * granularity_; }
  Driver& device_;
  uint64_t granularity_;
  uint64_t end_ = 0;
  uint64_t base_ = 0;
  uint64_t cursor_ = 0;
  std::map<uint64_t, uint64_t> pieces_;
};

struct World {
  TensorflowVmmOptions options;
  uint64_t capacity = 0;
  int largestPower = 26;
  size_t mostLive = 60;
};

World randomWorld(std::mt19937_64& random, uint64_t scale) {
  World world;
  BfcOptions& bfc = world.options.bfc;
  bfc.limit = 1 + random() % (256 * kMebibyte * scale);
  bfc.allowGrowth = random() % 3 > 0;
  bfc.collectGarbage = random() % 3 > 0;
  bfc.coalesceRegions = true;
  bfc.fragmentationFraction = random() % 3 == 0 ? 0.01 : 0.0;
  world.options.granularity = uint64_t{4096} << random() % 10;
  world.options.rangeBytes = bfc.limit;
  if (random() % 3 == 0) world.options.rangeBytes = bfc.limit / 2 + random() % bfc.limit;
  world.capacity = bfc.limit / 2 + random() % bfc.limit;
  if (scale > 1) world.mostLive = 3;  // so that whole regions become free
  while (scale >>= 1) ++world.largestPower;
  return world;
}

void expectConservation(const TensorflowVmm& allocator, const LedgerDevice& device) {
  uint64_t mapped = 0;
  for (const LayoutSegment& segment : allocator.layout().segments) {
    ASSERT_EQ(segment.region, Region::Virtual);
    mapped += segment.bytes;
  }
  ASSERT_EQ(mapped, device.createdBytes - device.releasedBytes);
  ASSERT_EQ(allocator.usage().reserved, mapped);
  ASSERT_LE(device.used(), device.capacity());
  ASSERT_EQ(device.plainBytes, 0u);
}

/// Counts the regions that leaked.
void walk(uint64_t seed, uint64_t scale, size_t& leaks) {
  std::mt19937_64 random(seed);
  const World world = randomWorld(random, scale);
  LedgerDevice device({.capacity = world.capacity}), slowDevice({.capacity = world.capacity});
  TensorflowVmm allocator(world.options, device);
  ASSERT_TRUE(allocator.start());
  SlowVmm slow(world.options.rangeBytes, world.options.granularity, slowDevice);
  BfcSlowModel model(world.options.bfc, slow);
  std::vector<std::pair<BlockHandle, uint64_t>> live;
  for (int step = 0; step < 500; ++step) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " step " + std::to_string(step));
    if (live.size() > world.mostLive || (!live.empty() && random() % 2 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      allocator.free(live.back().first);
      model.free(live.back().second);
      live.pop_back();
    } else {
      const uint64_t power = 1 + random() % world.largestPower;
      const uint64_t bytes = random() % (uint64_t{1} << power);
      const Placement placement = allocator.allocate(bytes, static_cast<uint32_t>(random() % 3));
      const auto chunk = model.allocate(bytes);
      ASSERT_EQ(placement.outcome == Outcome::Placed, chunk.has_value()) << bytes;
      if (!chunk) continue;
      ASSERT_EQ(placement.address, chunk->address);
      ASSERT_EQ(placement.bytes, chunk->bytes);
      live.emplace_back(placement.block, placement.address);
    }
    ASSERT_EQ(device.used(), slowDevice.used());
    if (step % 20 > 0) continue;
    ASSERT_EQ(brokenRule(allocator), "");
    expectConservation(allocator, device);
  }
  leaks += allocator.subAllocator().leaks().size();
}

TEST(TensorflowVmmWalk, PlacesWhatListsAndACursorWouldPlace) {
  size_t leaks = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) walk(seed, 1, leaks);
  EXPECT_EQ(leaks, 0u);
}

TEST(TensorflowVmmWalk, LosesLargeRegionsWhereA32BitSumWould) {
  size_t leaks = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) walk(seed, 256, leaks);
  EXPECT_GT(leaks, 0u);
}

TensorflowVmmOptions smallOptions() {
  TensorflowVmmOptions options;
  options.bfc.limit = 64 * kMebibyte;
  options.bfc.collectGarbage = true;
  options.rangeBytes = options.bfc.limit;
  options.granularity = 2 * kMebibyte;
  return options;
}

TEST(TensorflowVmm, ARequestSpansMemoryThatCameAtDifferentTimes) {
  LedgerDevice device({});
  TensorflowVmm allocator(smallOptions(), device);
  allocator.start();
  const Placement first = allocator.allocate(2 * kMebibyte, 0);
  const Placement second = allocator.allocate(4 * kMebibyte, 0);
  allocator.free(first.block);
  allocator.free(second.block);
  const Placement both = allocator.allocate(6 * kMebibyte, 0);
  EXPECT_EQ(both.address, first.address);
  EXPECT_EQ(device.calls.map, 2u);
  EXPECT_EQ(allocator.layout().segments.size(), 1u);
}

TEST(TensorflowVmm, AFreeOfTwoGibibytesLeaksAndSaysSo) {
  LedgerDevice device({.capacity = 8 * kGibibyte});
  TensorflowVmmOptions options = smallOptions();
  options.bfc.limit = options.rangeBytes = 6 * kGibibyte;
  TensorflowVmm allocator(options, device);
  allocator.start();
  allocator.free(allocator.allocate(4 * kGibibyte, 0).block);
  EXPECT_EQ(allocator.allocate(5 * kGibibyte, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(device.used(), 4 * kGibibyte);
  EXPECT_EQ(allocator.usage().reserved, 4 * kGibibyte);
  const Layout layout = allocator.layout();
  ASSERT_EQ(layout.blocks.size(), 1u);
  EXPECT_EQ(layout.blocks[0].state, BlockState::PendingFree);
}

TEST(TensorflowVmm, RefusesWhatCannotBeAndKeepsServing) {
  LedgerDevice device({.capacity = 32 * kMebibyte});
  TensorflowVmm allocator(smallOptions(), device);
  allocator.start();
  EXPECT_EQ(allocator.allocate(0, 0).outcome, Outcome::Nothing);
  EXPECT_EQ(allocator.allocate(kLargestRequest, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(allocator.allocate(std::numeric_limits<uint64_t>::max(), 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(allocator.allocate(40 * kMebibyte, 7).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(allocator.allocate(1, 9).outcome, Outcome::Placed);
}

}  // namespace
}  // namespace strata::test
