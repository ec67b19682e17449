#include <gtest/gtest.h>

#include "allocator/bfc.h"

namespace strata {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

/// Offset and size of what was handed out, in a form that reads well in a failure.
std::pair<uint64_t, uint64_t> place(BfcAllocator& allocator, uint64_t bytes) {
  const Placement placement = allocator.allocate(bytes, 0);
  EXPECT_EQ(placement.outcome, Outcome::Placed);
  return {placement.address - DeviceModel::kBase, placement.bytes};
}
std::pair<uint64_t, uint64_t> chunk(uint64_t offset, uint64_t bytes) { return {offset, bytes}; }

struct Bfc {
  explicit Bfc(const BfcOptions& options, const DeviceOptions& deviceOptions = {})
      : device(deviceOptions), allocator(options, device) {}
  DeviceModel device;
  BfcAllocator allocator;
};

const BfcOptions kWhole{.limit = 1024 * kMebibyte, .allowGrowth = false};

TEST(Bfc, RoundsUpTo256AndPacksFromTheBottom) {
  Bfc bfc(kWhole);
  const Placement first = bfc.allocator.allocate(1, 0);
  EXPECT_EQ(first.bytes, 256u);
  EXPECT_EQ(place(bfc.allocator, 257), chunk(256, 512));
  EXPECT_EQ(place(bfc.allocator, kMebibyte), chunk(768, kMebibyte));
  bfc.allocator.free(first.block);
  EXPECT_EQ(place(bfc.allocator, 100), chunk(0, 256)) << "the hole is used before the tail";
}

/// A pool whose only free chunk has this many bytes.
void expectFromHole(uint64_t hole, uint64_t request, uint64_t wanted) {
  Bfc bfc({.limit = hole, .allowGrowth = false});
  EXPECT_EQ(place(bfc.allocator, request).second, wanted);
}

TEST(Bfc, KeepsTheWholeChunkWhenTheRestIsUnder128MiBAndTheChunkUnderTwiceTheRequest) {
  expectFromHole(300 * kMebibyte, 200 * kMebibyte, 300 * kMebibyte);
  expectFromHole(300 * kMebibyte, 173 * kMebibyte, 300 * kMebibyte);
  expectFromHole(562273024, 536870912, 562273024);
}

TEST(Bfc, SplitsAtTwiceTheRequestOrWhen128MiBRemain) {
  expectFromHole(300 * kMebibyte, 150 * kMebibyte, 150 * kMebibyte);
  expectFromHole(300 * kMebibyte, 172 * kMebibyte, 172 * kMebibyte);
  expectFromHole(300 * kMebibyte, 171 * kMebibyte, 171 * kMebibyte);
}

TEST(Bfc, GrowsByDoublingAndDoesNotDoubleAgainAfterAJump) {
  Bfc bfc({.limit = 1024 * kMebibyte});
  place(bfc.allocator, kMebibyte);
  EXPECT_EQ(bfc.allocator.statistics().pool, 2 * kMebibyte);
  place(bfc.allocator, 3 * kMebibyte);
  EXPECT_EQ(bfc.allocator.statistics().pool, 6 * kMebibyte);
  place(bfc.allocator, 30 * kMebibyte);
  EXPECT_EQ(bfc.allocator.nextRegionBytes(), 32 * kMebibyte);
  place(bfc.allocator, 30 * kMebibyte);
  EXPECT_EQ(bfc.allocator.nextRegionBytes(), 64 * kMebibyte);
}

TEST(Bfc, BacksOffInSinglePrecision) {
  Bfc bfc({.limit = 695'559'424, .allowGrowth = false}, {.capacity = 600'000'000});
  place(bfc.allocator, 256);
  EXPECT_EQ(bfc.allocator.statistics().pool, 563'403'264u);
}

TEST(Bfc, ABackOffThatNoLongerShrinksEnds) {
  Bfc bfc({.limit = 2304, .allowGrowth = false}, {.capacity = 300});
  EXPECT_EQ(place(bfc.allocator, 256), chunk(0, 256));
  Bfc none({.limit = 2304, .allowGrowth = false}, {.capacity = 100});
  EXPECT_EQ(none.allocator.allocate(256, 0).outcome, Outcome::OutOfMemory);
}

TEST(Bfc, AnAimThatCannotBeDoubledStays) {
  Bfc bfc({.limit = uint64_t{1} << 40, .collectGarbage = true}, {.capacity = kMebibyte});
  for (int i = 0; i < 100; ++i) {
    // A little more than there is: the region is returned. Then another one, and the aim doubles once more.
    for (const uint64_t bytes : {bfc.allocator.largestFree() + 1, kMebibyte / 2}) {
      const Placement placement = bfc.allocator.allocate(bytes, 0);
      if (placement.outcome == Outcome::Placed) bfc.allocator.free(placement.block);
    }
  }
  EXPECT_EQ(bfc.allocator.nextRegionBytes(), uint64_t{1} << 63);
}

TEST(Bfc, ALimitBelowOneRequestRefusesEveryRequestAndAsksTheDeviceForNothing) {
  Bfc bfc({.limit = 100});
  EXPECT_EQ(bfc.allocator.allocate(1, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(bfc.device.calls.allocate, 0u);
  EXPECT_EQ(bfc.allocator.allocate(0, 0).outcome, Outcome::Nothing);
}

TEST(Bfc, AnImpossiblyLargeRequestIsRefused) {
  Bfc bfc({.limit = std::numeric_limits<int64_t>::max()});
  EXPECT_EQ(bfc.allocator.allocate(std::numeric_limits<uint64_t>::max(), 0).outcome, Outcome::OutOfMemory);
}

TEST(Bfc, ReturnsFreeRegionsOnlyWhenThatMakesRoom) {
  Bfc bfc({.limit = 16 * kMebibyte, .collectGarbage = true});
  std::vector<BlockHandle> blocks;
  for (const uint64_t mebibytes : {1, 3, 7})
    blocks.push_back(bfc.allocator.allocate(mebibytes * kMebibyte, 0).block);
  bfc.allocator.free(blocks[0]);
  bfc.allocator.free(blocks[1]);
  EXPECT_EQ(bfc.allocator.allocate(14 * kMebibyte, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(bfc.device.calls.free, 0u);
  bfc.allocator.free(blocks[2]);
  EXPECT_EQ(bfc.allocator.allocate(14 * kMebibyte, 0).outcome, Outcome::Placed);
  EXPECT_EQ(bfc.device.calls.free, 3u);
}

TEST(Bfc, BinsAreByPowersOfTwoAndTheLastHoldsTheRest) {
  EXPECT_EQ(BfcAllocator::binOf(256), 0);
  EXPECT_EQ(BfcAllocator::binOf(511), 0);
  EXPECT_EQ(BfcAllocator::binOf(512), 1);
  EXPECT_EQ(BfcAllocator::binOf(256 * kMebibyte), 20);
  EXPECT_EQ(BfcAllocator::binOf(256 * kMebibyte - 256), 19);
  EXPECT_EQ(BfcAllocator::binOf(uint64_t{1} << 40), 20);
}

}  // namespace
}  // namespace strata
