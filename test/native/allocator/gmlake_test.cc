#include "allocator/gmlake.h"

#include <gtest/gtest.h>

#include "allocator/ledger_device.h"
#include "allocator/pytorch_allocator.h"
#include "allocator/replay_checks.h"

namespace strata::test {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
constexpr uint64_t kUnlimited = uint64_t{1} << 62;

GmlakeOptions stitchingAll() {
  GmlakeOptions options;
  options.fragLimit = 0;
  return options;
}

struct Lake {
  explicit Lake(const GmlakeOptions& options, uint64_t capacity = kUnlimited)
      : device({.capacity = capacity}), small(PytorchConfig{}, device), allocator(options, small, device) {}

  Placement place(uint64_t mebibytes, uint32_t stream = 0) {
    const Placement placement = allocator.allocate(mebibytes * kMebibyte, stream);
    EXPECT_EQ(placement.outcome, Outcome::Placed);
    return placement;
  }
  void free(const Placement& placement) { allocator.free(placement.block); }

  LedgerDevice device;
  PytorchAllocator small;
  Gmlake allocator;
};

/// Two free blocks of 10 and 30 MiB that do not touch.
void scatter(Lake& lake, Placement& ten, Placement& thirty) {
  ten = lake.place(10);
  lake.place(4);
  thirty = lake.place(30);
  lake.free(ten);
  lake.free(thirty);
}

TEST(Gmlake, TakesABlockOfExactlyTheSizeFirst) {
  Lake lake(stitchingAll());
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  EXPECT_EQ(lake.place(30).address, thirty.address);
  EXPECT_EQ(lake.place(10).address, ten.address);
}

TEST(Gmlake, CutsASingleLargerBlockAndMergesItAgain) {
  Lake lake(stitchingAll());
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  const Placement part = lake.place(12);
  EXPECT_EQ(part.address, thirty.address);
  EXPECT_EQ(lake.place(18).address, thirty.address + 12 * kMebibyte);
  lake.free(part);
  EXPECT_EQ(lake.place(12).address, thirty.address);
}

TEST(Gmlake, StitchesSeveralBlocksWithoutNewMemoryAndFindsThemAgain) {
  Lake lake(stitchingAll());
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  const uint64_t created = lake.device.createdBytes;
  const Placement stitched = lake.place(36);
  EXPECT_EQ(lake.device.createdBytes, created);
  EXPECT_NE(stitched.address, thirty.address);
  EXPECT_EQ(lake.allocator.usage().largestFree, 4 * kMebibyte) << "the last block was cut to fit";
  lake.free(stitched);
  const uint64_t mapped = lake.device.calls.map;
  EXPECT_EQ(lake.place(36).address, stitched.address);
  EXPECT_EQ(lake.device.calls.map, mapped);
}

TEST(Gmlake, CreatesOnlyWhatIsMissingAndStitchesIt) {
  Lake lake(stitchingAll());
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  const uint64_t created = lake.device.createdBytes;
  lake.place(50);
  EXPECT_EQ(lake.device.createdBytes - created, 10 * kMebibyte);
  EXPECT_EQ(lake.allocator.usage().largestFree, 0u);
}

TEST(Gmlake, StitchesNothingForRequestsBelowTheFragmentLimit) {
  GmlakeOptions options;
  options.fragLimit = 37 * kMebibyte;
  Lake lake(options);
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  lake.place(36);
  EXPECT_EQ(lake.allocator.blocks().stitchedBytes(), 0u);
  lake.place(40);
  EXPECT_EQ(lake.allocator.blocks().stitchedBytes(), 40 * kMebibyte);
}

TEST(Gmlake, StitchesOnlyAfterARefusalWithDefragLevelOne) {
  GmlakeOptions options = stitchingAll();
  options.defragLevel = 1;
  Lake lake(options, 84 * kMebibyte);
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  lake.place(38);
  EXPECT_EQ(lake.allocator.blocks().stitchedBytes(), 0u);
  lake.place(40);
  EXPECT_EQ(lake.allocator.blocks().stitchedBytes(), 40 * kMebibyte);
}

TEST(Gmlake, UsesTheFirstBlocksOfAStitchedOneUpToTheReuseLimit) {
  GmlakeOptions options = stitchingAll();
  options.reuseLimit = 2;
  Lake lake(options);
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  const Placement stitched = lake.place(40);
  lake.free(stitched);
  const Placement partial = lake.place(32);
  EXPECT_EQ(partial.address, stitched.address) << "thirty and the first two of ten";
  EXPECT_EQ(lake.place(8).address, ten.address + 2 * kMebibyte) << "the others are free for anyone";
  EXPECT_EQ(brokenRule(lake.allocator), "");
  lake.free(partial);
}

TEST(Gmlake, DropsTheIdlestStitchedBlockWhenTooManyAddressesAreStitched) {
  GmlakeOptions options = stitchingAll();
  options.autoGC = 50 * kMebibyte;
  options.reuseLimit = 1;
  Lake lake(options);
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  lake.free(lake.place(40));
  const Placement other = lake.place(38);
  EXPECT_EQ(lake.allocator.blocks().stitchedBytes(), 38 * kMebibyte);
  const uint64_t reserved = lake.allocator.usage().reserved;
  lake.free(other);
  EXPECT_EQ(lake.allocator.usage().reserved, reserved) << "memory stays";
}

TEST(Gmlake, FailsOnlyWhenEverythingFreeIsGivenBackAndTooLittle) {
  Lake lake(stitchingAll(), 60 * kMebibyte);
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  EXPECT_EQ(lake.allocator.allocate(57 * kMebibyte, 1).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(lake.device.used(), 4 * kMebibyte);
  EXPECT_EQ(lake.place(56, 1).outcome, Outcome::Placed);
  EXPECT_EQ(lake.allocator.allocate(1, 0).outcome, Outcome::OutOfMemory);
}

TEST(Gmlake, ShowsEveryByteOnceWhereItIsUsed) {
  Lake lake(stitchingAll());
  Placement ten, thirty;
  scatter(lake, ten, thirty);
  const Placement stitched = lake.place(36);
  const Layout layout = lake.allocator.layout();
  ASSERT_EQ(layout.segments.size(), 3u);
  uint64_t bytes = 0;
  for (const LayoutSegment& segment : layout.segments) bytes += segment.bytes;
  EXPECT_EQ(bytes, 44 * kMebibyte);
  EXPECT_EQ(layout.segments[2].address, stitched.address);
  EXPECT_EQ(layout.segments[2].bytes, 36 * kMebibyte);
}

TEST(Gmlake, AFreedBlockWaitsForTheStreamsThatUsedIt) {
  Lake lake(stitchingAll());
  const Placement shared = lake.place(20, 1);
  lake.allocator.recordStream(shared.block, 2);
  lake.free(shared);
  EXPECT_EQ(lake.allocator.usage().allocated, 0u);
  EXPECT_EQ(lake.allocator.usage().active, 20 * kMebibyte);
  EXPECT_NE(lake.place(20, 1).address, shared.address);
  lake.allocator.control({.kind = Control::Kind::Synchronize, .hasStream = true, .stream = 2});
  EXPECT_EQ(lake.place(20, 1).address, shared.address);
}

TEST(Gmlake, LeavesSmallRequestsAndEverythingWhenOffToTheCachingAllocator) {
  Lake lake(stitchingAll());
  lake.allocator.allocate(kMebibyte, 0);
  EXPECT_EQ(lake.allocator.blocks().reserved(), 0u);
  EXPECT_EQ(lake.allocator.usage().reserved, lake.small.usage().reserved);
  GmlakeOptions off;
  off.vmmDefragment = false;
  Lake cached(off);
  cached.place(100);
  EXPECT_EQ(cached.device.calls.create, 0u);
}

TEST(Gmlake, ServesNothingForNoBytesAndRefusesWhatNoDeviceHas) {
  Lake lake(stitchingAll(), 60 * kMebibyte);
  EXPECT_EQ(lake.allocator.allocate(0, 0).outcome, Outcome::Nothing);
  EXPECT_EQ(lake.allocator.allocate(kLargestRequest, 3'000'000'000).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(lake.allocator.allocate(std::numeric_limits<uint64_t>::max(), 0).outcome, Outcome::OutOfMemory);
  lake.allocator.control({.kind = Control::Kind::Synchronize, .hasStream = true, .stream = 12345});
  EXPECT_EQ(lake.place(20).outcome, Outcome::Placed);
}

}  // namespace
}  // namespace strata::test
