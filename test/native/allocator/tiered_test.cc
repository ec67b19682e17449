#include <gtest/gtest.h>

#include <random>

#include "allocator/plan_traces.h"
#include "allocator/replay.h"
#include "allocator/replay_checks.h"
#include "allocator/replay_error.h"
#include "allocator/tiered_simulators.h"
#include "allocator/tiered_slow_model.h"

namespace strata::test {
namespace {

using By = TieredAllocator::PageUse::By;
constexpr uint64_t kKibibyte = 1024;
constexpr uint64_t kMebibyte = 1024 * kKibibyte;

/// What segment events say is reserved in each region.
class RegionCounter : public EventSink {
 public:
  void onEvent(const AllocatorEvent& event) override {
    if (event.kind == AllocatorEvent::Kind::SegmentMap)
      bytes[static_cast<size_t>(event.region)] += event.bytes;
    if (event.kind == AllocatorEvent::Kind::SegmentUnmap)
      bytes[static_cast<size_t>(event.region)] -= event.bytes;
  }
  uint64_t bytes[kRegionCount] = {};
};

class DecisionKeeper : public DecisionSink {
 public:
  void onDecision(const Decision& decision) override { decisions.push_back(decision); }
  /// How often a reason was given since the last call, in order, as numbers.
  std::vector<Decision::Reason> takeReasons() {
    std::vector<Decision::Reason> reasons;
    for (const Decision& decision : decisions) reasons.push_back(decision.reason);
    decisions.clear();
    return reasons;
  }
  std::vector<Decision> decisions;
};

/// A random program on both, compared after every operation.
class Walk {
 public:
  Walk(const TieredOptions& options, uint64_t capacity, uint64_t usedByOthers, uint64_t seed)
      : options_(options),
        random_(seed),
        device_({.capacity = capacity}),
        slowDevice_({.capacity = capacity}),
        allocator_(options, device_),
        slow_(options, slowDevice_) {
    device_.createPhysical(usedByOthers);
    slowDevice_.createPhysical(usedByOthers);
    allocator_.setEventSink(&regions_);
    EXPECT_TRUE(allocator_.start());
  }

  void run(int steps, size_t live) {
    for (int step = 0; step < steps && !testing::Test::HasFatalFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      const uint64_t dice = random_() % 100;
      if (dice < 3)
        synchronize();
      else if (dice < 4)
        emptyCache();
      else if (dice < 12 && !live_.empty())
        recordStream();
      else if (!live_.empty() && random_() % (2 * live) < live_.size())
        free();
      else
        allocate();
      compareUsage();
      if (step % 8 == 0) compareLayout();
    }
  }

  const uint64_t* placedByTier() const { return placed_; }

 private:
  struct Live {
    uint32_t id;
    BlockHandle block;
  };

  void allocate() {
    const uint64_t limit = uint64_t{1} << (random_() % 17);
    const uint64_t bytes = 1 + random_() % (options_.pageBytes * limit / 4096);
    const auto stream = static_cast<uint32_t>(random_() % 3);
    const Placement placement = allocator_.allocate(bytes, stream);
    const auto place = slow_.allocate(next_, bytes, stream);
    ASSERT_EQ(placement.outcome == Outcome::Placed, place.has_value()) << bytes;
    if (!place) return;
    ASSERT_EQ(placement.address, place->address) << bytes;
    ASSERT_EQ(placement.bytes, place->bytes) << bytes;
    ++placed_[static_cast<size_t>(place->tier)];
    live_.push_back({next_++, placement.block});
  }

  void free() {
    std::swap(live_[random_() % live_.size()], live_.back());
    allocator_.free(live_.back().block);
    slow_.free(live_.back().id);
    live_.pop_back();
  }

  void recordStream() {
    const Live& used = live_[random_() % live_.size()];
    const auto stream = static_cast<uint32_t>(random_() % 3);
    allocator_.recordStream(used.block, stream);
    slow_.recordStream(used.id, stream);
  }

  void synchronize() {
    const bool hasStream = random_() % 2 == 0;
    const auto stream = static_cast<uint32_t>(random_() % 3);
    allocator_.control({.kind = Control::Kind::Synchronize, .hasStream = hasStream, .stream = stream});
    slow_.synchronize(hasStream ? std::optional(stream) : std::nullopt);
  }

  void emptyCache() {
    allocator_.control({.kind = Control::Kind::EmptyCache});
    slow_.emptyCache();
  }

  void compareUsage() {
    const Usage usage = allocator_.usage();
    ASSERT_EQ(usage.allocated, slow_.allocated());
    ASSERT_EQ(usage.active, slow_.active());
    ASSERT_EQ(usage.reserved, slow_.heldBytes());
    ASSERT_EQ(device_.used(), slowDevice_.used());
    ASSERT_LE(device_.used(), device_.capacity());
    ASSERT_EQ(device_.calls.synchronize, slow_.synchronizations());
  }

  void compareLayout() {
    ASSERT_EQ(brokenRule(allocator_), "");
    compareRegions();
    comparePages();
  }

  void compareRegions() {
    uint64_t bytes[kRegionCount] = {};
    for (const LayoutSegment& segment : allocator_.layout().segments)
      bytes[static_cast<size_t>(segment.region)] += segment.bytes;
    for (int region = 0; region < kRegionCount; ++region) ASSERT_EQ(bytes[region], regions_.bytes[region]);
    ASSERT_EQ(bytes[0] + bytes[1] + bytes[2], slow_.heldBytes());
  }

  void comparePages() {
    std::vector<TieredAllocator::PageUse> single;
    uint64_t next = 0;
    for (const auto& use : allocator_.pageUses()) {
      ASSERT_EQ(use.pages.first, next);
      next += use.pages.count;
      for (uint64_t i = 0; i < use.pages.count; ++i)
        single.push_back({.pages = {use.pages.first + i, 1},
                          .by = use.by,
                          .address = use.address == 0 ? 0 : use.address + i * options_.pageBytes});
    }
    const auto slow = slow_.pageUses();
    ASSERT_EQ(single.size(), slow.size());
    for (size_t page = 0; page < slow.size(); ++page) {
      ASSERT_EQ(single[page].by, slow[page].by) << "page " << page;
      ASSERT_EQ(single[page].address, slow[page].address) << "page " << page;
    }
  }

  TieredOptions options_;
  std::mt19937_64 random_;
  DeviceModel device_, slowDevice_;
  RegionCounter regions_;
  TieredAllocator allocator_;
  TieredSlowModel slow_;
  std::vector<Live> live_;
  uint32_t next_ = 0;
  uint64_t placed_[kRegionCount] = {};
};

TEST(TieredWalk, EveryChoiceFollowsTheRules) {
  uint64_t placed[kRegionCount] = {};
  for (uint64_t seed = 1; seed <= 48; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TieredOptions options;
    options.pageBytes = seed % 16 == 0 ? 2 * kMebibyte : uint64_t{4096} << (seed % 5);
    options.immediateBelow = seed % 4 == 0 ? options.pageBytes / 3 : options.pageBytes * (1 + seed % 2);
    options.virtualFrom = seed % 5 == 0 ? options.pageBytes * 5 + 1 : 0;
    options.rangeBytes = 3 * options.pageBytes;
    options.hasImmediate = seed % 7 != 0;
    options.hasPooled = seed % 11 != 0;
    options.hasVirtual = seed % 6 != 1;
    const uint64_t capacity = options.pageBytes * (20 + seed % 60) + 100;
    const uint64_t usedByOthers = seed % 8 == 3 ? options.pageBytes * 7 : 0;
    Walk walk(options, capacity, usedByOthers, seed);
    walk.run(400, 5 + seed % 60);
    ASSERT_FALSE(HasFatalFailure());
    for (int tier = 0; tier < kRegionCount; ++tier) placed[tier] += walk.placedByTier()[tier];
  }
  for (const uint64_t count : placed) EXPECT_GT(count, 300u);
}

/// The lesson "Three tiers together": 28 pages of 2 MiB.
class TieredLesson : public testing::Test {
 protected:
  TieredLesson() : device_({.capacity = 56 * kMebibyte}), allocator_({}, device_) { allocator_.start(); }
  Placement allocate(uint64_t bytes) { return allocator_.allocate(bytes, 0); }

  /// Slabs of three classes in four pages, and a pool of 10, 8, 6, 6, 8 and 10 MiB.
  void fill() {
    for (int i = 0; i < 5; ++i) allocate(512 * kKibibyte);
    allocate(1536 * kKibibyte);
    allocate(kMebibyte);
    for (const uint64_t size : {10, 8, 6, 6, 8, 10}) pool_.push_back(allocate(size * kMebibyte));
  }

  DeviceModel device_;
  TieredAllocator allocator_;
  std::vector<Placement> pool_;
};

TEST_F(TieredLesson, BacksARequestWithScatteredPagesWhenNoHoleIsLargeEnough) {
  fill();
  for (const int at : {1, 3, 5}) allocator_.free(pool_[at].block);
  DecisionKeeper keeper;
  allocator_.setDecisionSink(&keeper);
  const Placement placement = allocate(20 * kMebibyte);
  ASSERT_EQ(placement.outcome, Outcome::Placed);
  EXPECT_GE(placement.address, DeviceModel::kRangeBase + 56 * kMebibyte);
  using Reason = Decision::Reason;
  EXPECT_EQ(keeper.takeReasons(),
            (std::vector<Reason>{Reason::ImmediateTier, Reason::AboveThreshold, Reason::PooledTier,
                                 Reason::TooSmall, Reason::VirtualTier, Reason::Fits, Reason::Remapped,
                                 Reason::Remapped, Reason::Remapped, Reason::Stitched}));
  std::vector<uint64_t> pages;
  for (const auto& use : allocator_.pageUses())
    for (uint64_t i = 0; use.by == By::Virtual && i < use.pages.count; ++i)
      pages.push_back(use.pages.first + i);
  EXPECT_EQ(pages, (std::vector<uint64_t>{9, 10, 11, 12, 16, 17, 18, 23, 24, 25}));
  EXPECT_EQ(allocator_.usage().reserved, 56 * kMebibyte);
}

TEST_F(TieredLesson, RunsOutOfMemoryWithoutTheVirtualTier) {
  TieredOptions options;
  options.hasVirtual = false;
  DeviceModel device({.capacity = 56 * kMebibyte});
  TieredAllocator allocator(options, device);
  ASSERT_TRUE(allocator.start());
  std::vector<Placement> pool;
  for (int i = 0; i < 4; ++i) allocator.allocate(1536 * kKibibyte, 0);
  for (const uint64_t size : {10, 8, 6, 6, 8, 10}) pool.push_back(allocator.allocate(size * kMebibyte, 0));
  for (const int at : {1, 3, 5}) allocator.free(pool[at].block);
  EXPECT_EQ(allocator.allocate(20 * kMebibyte, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(allocator.allocate(10 * kMebibyte, 0).outcome, Outcome::Placed);
}

TEST_F(TieredLesson, SlotsComeBackLastInFirstOutAndSlabsAtTheEndOfAStep) {
  const Placement first = allocate(kKibibyte), second = allocate(kKibibyte), third = allocate(kKibibyte);
  EXPECT_EQ(second.address, first.address + kKibibyte);
  allocator_.free(first.block);
  allocator_.free(third.block);
  EXPECT_EQ(allocate(kKibibyte).address, third.address);
  EXPECT_EQ(allocate(kKibibyte).address, first.address);
  EXPECT_EQ(allocate(kKibibyte).address, third.address + kKibibyte);
  EXPECT_EQ(allocator_.pageUses().front().by, By::Immediate);

  const Placement other = allocator_.allocate(kKibibyte, 7);
  EXPECT_EQ(other.address, first.address + 2 * kMebibyte);
  allocator_.free(other.block);
  allocator_.control({.kind = Control::Kind::Synchronize});
  ASSERT_EQ(allocator_.pageUses().size(), 2u);
  EXPECT_EQ(allocator_.pageUses()[1].by, By::Nobody);
  EXPECT_EQ(allocator_.usage().reserved, 4 * kMebibyte);
  allocator_.control({.kind = Control::Kind::EmptyCache});
  EXPECT_EQ(allocator_.usage().reserved, 2 * kMebibyte);
}

TEST_F(TieredLesson, ABlockOfAnotherStreamWaitsUntilThatIsSynchronized) {
  const Placement block = allocate(40 * kMebibyte);
  allocator_.recordStream(block.block, 1);
  allocator_.free(block.block);
  EXPECT_EQ(allocator_.usage().allocated, 0u);
  EXPECT_EQ(allocator_.usage().active, 40 * kMebibyte);
  allocator_.control({.kind = Control::Kind::Synchronize, .hasStream = true, .stream = 2});
  EXPECT_EQ(allocator_.usage().active, 40 * kMebibyte);
  // Rather than refuse, it waits for the stream.
  EXPECT_EQ(allocate(40 * kMebibyte).address, block.address);
  EXPECT_EQ(device_.calls.synchronize, 1u);
  EXPECT_EQ(allocator_.usage().active, 40 * kMebibyte);
}

TEST(TieredAllocator, HandlesNothingAndTooMuch) {
  DeviceModel endless({});
  TieredAllocator allocator({}, endless);
  ASSERT_TRUE(allocator.start());
  EXPECT_EQ(allocator.allocate(0, 0).outcome, Outcome::Nothing);
  EXPECT_EQ(allocator.allocate(kLargestRequest + 1, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(allocator.allocate(kLargestRequest, 0).outcome, Outcome::OutOfMemory);
  const Placement most = allocator.allocate(PagedMemory::kMostBytes, 0);
  EXPECT_EQ(most.outcome, Outcome::Placed);
  EXPECT_EQ(allocator.allocate(1, 0).outcome, Outcome::OutOfMemory);
  allocator.free(most.block);
  EXPECT_EQ(allocator.allocate(1, 0).outcome, Outcome::Placed);

  DeviceModel tiny({.capacity = kMebibyte});
  TieredAllocator none({}, tiny);
  ASSERT_TRUE(none.start());
  EXPECT_EQ(none.allocate(1, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(brokenRule(none), "");
}

TEST(TieredAllocator, SaysNothingAndCostsNothingWithoutASink) {
  const RequestTrace trace = randomTrace({.operations = 3000, .live = 50, .stepLength = 200}, 3);
  const auto run = [&](DecisionSink* sink) {
    DeviceModel device({.capacity = 200 * kMebibyte});
    TieredAllocator allocator({}, device);
    allocator.setDecisionSink(sink);
    EXPECT_TRUE(allocator.start());
    replay(trace, allocator, nullptr, {});
    return allocator.layout().blocks.size();
  };
  DecisionKeeper keeper;
  EXPECT_EQ(run(nullptr), run(&keeper));
  EXPECT_GT(keeper.decisions.size(), 3000u);
}

TEST(TieredSimulators, IsAModelWithEveryThresholdASetting) {
  const Simulator simulator = tieredSimulators().front();
  EXPECT_EQ(simulator.name, "tiered");
  EXPECT_TRUE(simulator.isModel);
  DeviceModel device({.capacity = 64 * kMebibyte});
  EXPECT_THROW(simulator.build(Settings(simulator.knobs, {{"page", "3MiB"}}), device, {}), ReplayError);
  const AllocatorStack stack = simulator.build(
      Settings(simulator.knobs, {{"immediate_tier", "false"}, {"virtual_from", "4MiB"}}), device, {});
  ASSERT_TRUE(stack.front()->start());
  const BlockHandle small = stack.front()->allocate(100, 0).block;
  const BlockHandle large = stack.front()->allocate(4 * kMebibyte, 0).block;
  const Layout layout = stack.front()->layout();
  ASSERT_EQ(layout.segments.size(), 2u);
  EXPECT_EQ(layout.segments[0].region, Region::Pooled);
  EXPECT_EQ(layout.segments[1].region, Region::Virtual);
  stack.front()->free(small);
  stack.front()->free(large);
  EXPECT_EQ(stack.front()->usage().allocated, 0u);
}

}  // namespace
}  // namespace strata::test
