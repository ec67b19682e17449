#include "allocator/async_pool.h"

#include <gtest/gtest.h>

#include "allocator/ledger_device.h"
#include "allocator/replay_checks.h"

namespace strata::test {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
constexpr uint64_t kPiece = 32 * kMebibyte;

AsyncPoolOptions withoutPolicies() {
  AsyncPoolOptions options;
  options.followEventDependencies = options.allowOpportunistic = options.allowInternalDependencies = false;
  options.releaseThreshold = std::numeric_limits<uint64_t>::max();
  return options;
}

void synchronize(AsyncPool& pool) { pool.control({.kind = Control::Kind::Synchronize}); }
void synchronize(AsyncPool& pool, uint32_t stream) {
  pool.control({.kind = Control::Kind::Synchronize, .hasStream = true, .stream = stream});
}
Placement place(AsyncPool& pool, uint64_t bytes, uint32_t stream) {
  const Placement placement = pool.allocate(bytes, stream);
  EXPECT_EQ(placement.outcome, Outcome::Placed);
  return placement;
}

TEST(AsyncPool, KeepsFreedMemoryUntilTheNextSynchronize) {
  LedgerDevice device({});
  AsyncPool pool({}, device);
  pool.free(place(pool, 1000, 0).block);
  EXPECT_EQ(pool.usage().reserved, kPiece);
  synchronize(pool);
  EXPECT_EQ(pool.usage().reserved, 0u);
  EXPECT_EQ(device.used(), 0u);
}

TEST(AsyncPool, HoldsOnToTheReleaseThreshold) {
  LedgerDevice device({});
  AsyncPoolOptions options;
  options.releaseThreshold = kPiece + 1;
  AsyncPool pool(options, device);
  pool.free(place(pool, 4 * kPiece, 0).block);
  synchronize(pool);
  EXPECT_EQ(pool.usage().reserved, 2 * kPiece);
}

TEST(AsyncPool, TrimsDownToWhatIsToBeKeptAndLeavesWhatIsOutstanding) {
  LedgerDevice device({});
  AsyncPoolOptions options;
  options.releaseThreshold = std::numeric_limits<uint64_t>::max();
  AsyncPool pool(options, device);
  const Placement low = place(pool, 2 * kPiece, 0);
  const Placement high = place(pool, 2 * kPiece, 0);
  pool.free(low.block);
  pool.trimTo(0);
  EXPECT_EQ(pool.usage().reserved, 4 * kPiece) << "no host has seen the free complete";
  synchronize(pool);
  pool.trimTo(3 * kPiece);
  EXPECT_EQ(pool.usage().reserved, 3 * kPiece);
  pool.trimTo(3 * kPiece + 1);
  EXPECT_EQ(pool.usage().reserved, 3 * kPiece);
  pool.trimTo(0);
  EXPECT_EQ(pool.usage().reserved, 2 * kPiece);
  pool.free(high.block);
  pool.control({.kind = Control::Kind::EmptyCache});
  EXPECT_EQ(pool.usage().reserved, 0u);
}

TEST(AsyncPool, ReusesAFreeOnItsOwnStreamAtOnceAndOnAnotherOnlyAfterASynchronize) {
  LedgerDevice device({});
  AsyncPool pool(withoutPolicies(), device);
  const Placement first = place(pool, kPiece, 1);
  pool.free(first.block);
  EXPECT_NE(place(pool, kPiece, 2).address, first.address);
  const Placement again = place(pool, kPiece, 1);
  EXPECT_EQ(again.address, first.address);
  pool.free(again.block);
  synchronize(pool, 2);
  EXPECT_NE(place(pool, kPiece, 2).address, first.address) << "stream 2 had nothing to do with the free";
  synchronize(pool, 1);
  EXPECT_EQ(place(pool, kPiece, 2).address, first.address);
}

TEST(AsyncPool, FollowsTheWaitThatASecondUserOfABlockNeeds) {
  LedgerDevice device({});
  AsyncPoolOptions options = withoutPolicies();
  options.followEventDependencies = true;
  AsyncPool pool(options, device);
  const Placement shared = place(pool, kPiece, 1);
  const Placement other = place(pool, kPiece, 2);
  pool.recordStream(shared.block, 2);
  pool.free(other.block);
  EXPECT_NE(place(pool, kPiece, 1).address, other.address) << "nothing orders the two streams yet";
  pool.free(shared.block);  // stream 1 waits for stream 2 first
  const Placement own = place(pool, kPiece, 1);
  EXPECT_EQ(own.address, shared.address);
  EXPECT_EQ(place(pool, kPiece, 1).address, other.address);
}

TEST(AsyncPool, TakesAFreeThatHasCompletedInFact) {
  LedgerDevice device({});
  AsyncPoolOptions options = withoutPolicies();
  options.allowOpportunistic = true;
  options.completionLag = 3;
  AsyncPool pool(options, device);
  const Placement first = place(pool, kPiece, 1);
  pool.free(first.block);
  EXPECT_NE(place(pool, kPiece, 2).address, first.address);
  EXPECT_NE(place(pool, kPiece, 2).address, first.address);
  EXPECT_EQ(place(pool, kPiece, 2).address, first.address);
}

TEST(AsyncPool, MakesAStreamWaitOnlyWhenTheDeviceHasRefused) {
  LedgerDevice device({.capacity = 3 * kPiece});
  AsyncPoolOptions options = withoutPolicies();
  options.allowInternalDependencies = options.followEventDependencies = true;
  AsyncPool pool(options, device);
  const Placement first = place(pool, kPiece, 1);
  const Placement second = place(pool, kPiece, 1);
  pool.free(second.block);
  const Placement grown = place(pool, kPiece, 2);
  EXPECT_NE(grown.address, second.address);
  EXPECT_EQ(place(pool, kPiece, 2).address, second.address) << "the device is full";
  pool.free(first.block);
  EXPECT_EQ(device.calls.synchronize, 0u);
}

TEST(AsyncPool, WaitsForEverythingBeforeItFails) {
  LedgerDevice device({.capacity = 2 * kPiece});
  AsyncPool pool(withoutPolicies(), device);
  const Placement first = place(pool, kPiece, 1);
  const Placement second = place(pool, kPiece, 2);
  pool.free(first.block);
  pool.free(second.block);
  EXPECT_EQ(place(pool, 2 * kPiece, 3).address, first.address);
  EXPECT_EQ(device.calls.synchronize, 1u);
  EXPECT_EQ(pool.allocate(1, 1).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(device.calls.synchronize, 1u) << "nothing is pending";
}

TEST(AsyncPool, SynchronisingAStreamCompletesWhatItWaitedFor) {
  LedgerDevice device({});
  AsyncPoolOptions options = withoutPolicies();
  options.nonBlockingStreams = false;
  AsyncPool pool(options, device);
  const Placement first = place(pool, 100, 1);
  pool.free(first.block);
  place(pool, 100, 0);  // the default stream comes after stream 1
  synchronize(pool, 0);
  EXPECT_EQ(place(pool, 100, 2).address, first.address);
}

TEST(AsyncPool, MovesUnusedPiecesBeforeItAsksForMore) {
  LedgerDevice device({});
  AsyncPoolOptions options;
  options.releaseThreshold = std::numeric_limits<uint64_t>::max();
  AsyncPool pool(options, device);
  const Placement low = place(pool, kPiece, 0);
  const Placement kept = place(pool, kPiece, 0);
  const Placement high = place(pool, kPiece, 0);
  place(pool, kPiece, 0);
  pool.free(low.block);
  pool.free(high.block);
  synchronize(pool);
  const uint64_t created = device.createdBytes;
  EXPECT_GT(place(pool, 2 * kPiece, 0).address, kept.address);
  EXPECT_EQ(device.createdBytes, created);
  EXPECT_EQ(device.calls.unmap, 2u);
  EXPECT_EQ(device.calls.map, 6u);
  EXPECT_EQ(brokenRule(pool), "");
}

TEST(AsyncPool, RefusesBeyondItsMaximumSizeWithoutAskingTheDevice) {
  LedgerDevice device({});
  AsyncPoolOptions options;
  options.maxSize = 2 * kPiece;
  AsyncPool pool(options, device);
  EXPECT_EQ(pool.allocate(3 * kPiece, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(device.calls.create, 0u);
  place(pool, 2 * kPiece, 0);
  EXPECT_EQ(pool.allocate(1, 0).outcome, Outcome::OutOfMemory);
}

TEST(AsyncPool, KeepsHighWaterMarksUntilTheyAreReset) {
  LedgerDevice device({});
  AsyncPool pool({}, device);
  pool.free(place(pool, 1000, 0).block);
  synchronize(pool);
  EXPECT_EQ(pool.usage().peakAllocated, 1024u);
  EXPECT_EQ(pool.usage().peakReserved, kPiece);
  pool.resetHighMarks();
  EXPECT_EQ(pool.usage().peakAllocated, 0u);
  EXPECT_EQ(pool.usage().peakReserved, 0u);
}

TEST(AsyncPool, ServesNothingForNoBytesAndRefusesWhatNoDeviceHas) {
  LedgerDevice device({});
  AsyncPool pool({}, device);
  EXPECT_EQ(pool.allocate(0, 5).outcome, Outcome::Nothing);
  EXPECT_EQ(pool.allocate(std::numeric_limits<uint64_t>::max(), 5).outcome, Outcome::OutOfMemory);
  const Placement huge = place(pool, kLargestRequest, 4'000'000'000);
  EXPECT_EQ(pool.allocate(kLargestRequest, 5).outcome, Outcome::OutOfMemory);
  pool.free(huge.block);
  EXPECT_EQ(place(pool, kLargestRequest, 5).outcome, Outcome::Placed);
  pool.control({.kind = Control::Kind::Synchronize, .hasStream = true, .stream = 77});
  EXPECT_EQ(brokenRule(pool), "");
}

/// Adds up what is mapped from the events alone.
struct MappedBytes final : EventSink {
  void onEvent(const AllocatorEvent& event) override {
    EXPECT_EQ(event.region, Region::Virtual);
    if (event.kind == AllocatorEvent::Kind::SegmentMap) bytes += event.bytes;
    if (event.kind == AllocatorEvent::Kind::SegmentUnmap) bytes -= event.bytes;
  }
  uint64_t bytes = 0;
};

TEST(AsyncPool, TellsWhatItMapsAndUnmaps) {
  LedgerDevice device({.capacity = 5 * kPiece});
  AsyncPool pool({}, device);
  MappedBytes mapped;
  pool.setEventSink(&mapped);
  const Placement first = place(pool, 3 * kPiece, 0);
  const Placement second = place(pool, kPiece, 1);
  EXPECT_EQ(mapped.bytes, 4 * kPiece);
  pool.free(first.block);
  pool.allocate(4 * kPiece, 1);
  EXPECT_EQ(mapped.bytes, pool.usage().reserved);
  pool.free(second.block);
  synchronize(pool);
  EXPECT_EQ(mapped.bytes, pool.usage().reserved);
}

}  // namespace
}  // namespace strata::test
