#include <gtest/gtest.h>

#include <random>

#include "allocator/rebuild.h"
#include "allocator/rebuild_truth.h"

namespace strata::test {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

struct Walk {
  PytorchSlowModel::Options options;
  std::string settings;  ///< PYTORCH_CUDA_ALLOC_CONF
  double waiting = 0;    ///< share of frees that wait for a stream
};

/// Runs a random program against the slow model.
class Walker {
 public:
  Walker(const Walk& walk, uint64_t seed) : walk_(walk), random_(seed), model_(walk.options) {}

  const PytorchSlowModel& run(int steps) {
    for (int i = 0; i < steps; ++i) step();
    return model_;
  }

 private:
  uint64_t upTo(uint64_t most) { return std::uniform_int_distribution<uint64_t>(0, most)(random_); }
  bool chance(double share) { return std::uniform_real_distribution<>(0, 1)(random_) < share; }

  uint64_t anySize() {
    switch (upTo(5)) {
      case 0:
        return 1 + upTo(2000);
      case 1:
        return 1 + upTo(kMiB);
      case 2:
        return kMiB - 600 + upTo(1200);
      case 3:
        return kMiB + upTo(8 * kMiB);
      case 4:
        return 9 * kMiB + upTo(3 * kMiB);
      default:
        return 1 + upTo(40 * kMiB);
    }
  }

  void completeOne() {
    const size_t at = upTo(waiting_.size() - 1);
    model_.complete(waiting_[at]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void freeOne() {
    const size_t at = chance(0.5) ? live_.size() - 1 : upTo(live_.size() - 1);
    const bool isWaiting = chance(walk_.waiting);
    model_.free(live_[at], isWaiting);
    if (isWaiting) waiting_.push_back(live_[at]);
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void step() {
    if (chance(0.01)) return model_.emptyCache(chance(0.5) ? std::set<uint16_t>{} : releasable());
    if (!waiting_.empty() && chance(0.3)) return completeOne();
    const bool isShrinking = live_.size() > 60 && chance(0.6);
    if (!live_.empty() && (isShrinking || chance(0.45))) return freeOne();
    const auto stream = static_cast<uint16_t>(chance(0.7) ? 0 : upTo(walk_.options.streams.size() - 1));
    const auto pool = static_cast<uint16_t>(chance(0.7) ? 0 : upTo(walk_.options.pools.size() - 1));
    if (const uint64_t address = model_.allocate(anySize(), stream, pool)) live_.push_back(address);
  }

  std::set<uint16_t> releasable() const {
    std::set<uint16_t> pools;
    for (size_t row = 1; row < walk_.options.pools.size(); ++row) pools.insert(static_cast<uint16_t>(row));
    return pools;
  }

  const Walk& walk_;
  std::mt19937_64 random_;
  PytorchSlowModel model_;
  std::vector<uint64_t> live_, waiting_;
};

Walk withSettings(const std::string& settings) {
  Walk walk;
  walk.settings = settings;
  walk.options.config = parsePytorchConfig(settings);
  return walk;
}

/// Rebuilds the whole run and its tails, as a ring buffer would have kept them.
void expectExactFromEveryCut(const Walk& walk, bool isEveryPlacementForeseen = true) {
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walker walker(walk, seed);
    const PytorchSlowModel& model = walker.run(1500);
    std::mt19937_64 random(seed);
    for (const EventIndex first : {EventIndex{0}, static_cast<EventIndex>(random() % model.eventCount()),
                                   static_cast<EventIndex>(random() % model.eventCount())}) {
      Trace trace = model.trace(first);
      trace.settings = {{"PYTORCH_CUDA_ALLOC_CONF", walk.settings}};
      rebuild(trace, {});
      const Device& device = trace.devices[0];
      SCOPED_TRACE("cut at " + std::to_string(first));
      ASSERT_EQ(differencesFromTruth(device, model, first), "");
      ASSERT_EQ(brokenInvariants(device), "");
      const bool isHidden = first > 0 && device.exactness.code == "hidden-ends";
      ASSERT_EQ(device.exactness.finalBlocksMatched, device.exactness.finalBlocks);
      ASSERT_EQ(device.exactness.segmentEventsMatched, device.exactness.segmentEvents);
      if (!isEveryPlacementForeseen) continue;
      ASSERT_TRUE(isHidden || device.exactness.verdict == Exactness::Verdict::Exact)
          << summaryOf(device.exactness) << "\n"
          << device.exactness.because;
      ASSERT_EQ(device.exactness.placementsMatched, device.exactness.placements);
    }
  }
}

TEST(RebuildWalk, IsExactFromEveryCutWithDefaultSettings) { expectExactFromEveryCut(withSettings("")); }

TEST(RebuildWalk, IsExactWhenBlocksWaitForStreams) {
  Walk walk = withSettings("");
  walk.options.streams = {0, 0x5000, 0x4000};
  walk.waiting = 0.4;
  expectExactFromEveryCut(walk);
}

TEST(RebuildWalk, IsExactWithPrivatePools) {
  Walk walk = withSettings("");
  walk.options.pools = {{0, 0}, {0, 1}, {7, 0}};
  walk.options.streams = {0, 0x4000};
  expectExactFromEveryCut(walk);
}

TEST(RebuildWalk, IsExactWithRoundedRequests) {
  expectExactFromEveryCut(withSettings("roundup_power2_divisions:[2:4,16:2,64:8,>:16]"));
  expectExactFromEveryCut(withSettings("roundup_power2_divisions:8"));
}

TEST(RebuildWalk, IsExactWhenMemoryRunsOut) {
  Walk walk = withSettings("");
  walk.options.capacity = 200 * kMiB;
  walk.options.streams = {0, 0x4000};
  expectExactFromEveryCut(walk);
}

TEST(RebuildWalk, IsExactWithMaxSplitSize) {
  Walk walk = withSettings("max_split_size_mb:24");
  walk.options.capacity = 400 * kMiB;
  expectExactFromEveryCut(walk);
}

TEST(RebuildWalk, IsExactWithExpandableSegments) {
  Walk walk = withSettings("expandable_segments:True");
  walk.options.streams = {0, 0x4000};
  walk.options.pools = {{0, 0}, {0, 1}};
  expectExactFromEveryCut(walk);
}

TEST(RebuildWalk, IsExactWithExpandableSegmentsWhenMemoryRunsOut) {
  Walk walk = withSettings("expandable_segments:True,roundup_power2_divisions:4");
  walk.options.capacity = 300 * kMiB;
  walk.options.streams = {0, 0x4000};
  walk.waiting = 0.2;
  expectExactFromEveryCut(walk);
}

/// No recording says where an expandable range ends, and near its end that decides between blocks.
TEST(RebuildWalk, SizesAreExactWhenExpandableRangesRunOut) {
  Walk walk = withSettings("expandable_segments:True");
  walk.options.capacity = 300 * kMiB;
  walk.options.isRangeBounded = true;
  expectExactFromEveryCut(walk, false);
}

TEST(RebuildWalk, IsExactWithAnotherLargeSegmentSize) {
  expectExactFromEveryCut(withSettings("large_segment_size_mb:64"));
}

}  // namespace
}  // namespace strata::test
