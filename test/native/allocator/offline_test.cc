#include <gtest/gtest.h>

#include <algorithm>

#include "allocator/live_bound.h"
#include "allocator/offline_allocator.h"
#include "allocator/offline_simulators.h"
#include "allocator/plan_slow_model.h"
#include "allocator/plan_traces.h"
#include "allocator/replay.h"
#include "allocator/replay_checks.h"
#include "allocator/replay_error.h"
#include "allocator/simulator.h"

namespace strata::test {
namespace {

using Operation = RequestTrace::Operation;
constexpr uint64_t kKibibyte = 1024;
constexpr uint64_t kMebibyte = 1024 * kKibibyte;

TraceShape shapeOf(uint64_t seed) {
  return {.operations = 60 + seed * 7 % 260,
          .live = 2 + seed % 25,
          .largest = uint64_t{1} << (10 + seed % 24),
          .stepLength = seed % 3 == 0 ? 0 : 20 + seed % 37,
          .isRepeating = seed % 2 == 0,
          .hasExtremes = seed % 5 == 0};
}

OfflinePlanOptions optionsOf(uint64_t seed) {
  OfflinePlanOptions options;
  options.alignment = uint64_t{1} << (seed % 10);
  options.turn = static_cast<double>(seed % 6) / 10;
  if (seed % 4 == 1) options.mostPairs = seed * seed % 2000;
  return options;
}

std::string overlapOf(const RequestTrace& trace, const OfflinePlan& plan, const OfflinePlanOptions& options) {
  const PlanSlowModel model(trace, options);
  const auto& lives = model.lives();
  for (size_t a = 0; a < lives.size(); ++a)
    for (size_t b = 0; b < a; ++b) {
      if (plan.offsets[a] == kNoPlace || plan.offsets[b] == kNoPlace || !lives[a].meets(lives[b])) continue;
      if (plan.offsets[a] < plan.offsets[b] + plan.bytes[b] &&
          plan.offsets[b] < plan.offsets[a] + plan.bytes[a])
        return "requests " + std::to_string(b) + " and " + std::to_string(a);
    }
  return "";
}

void expectSame(const OfflinePlan& plan, const OfflinePlan& slow) {
  EXPECT_EQ(plan.offsets, slow.offsets);
  EXPECT_EQ(plan.bytes, slow.bytes);
  EXPECT_EQ(plan.poolBytes, slow.poolBytes);
  EXPECT_EQ(plan.searched, slow.searched);
  EXPECT_EQ(plan.swept, slow.swept);
  EXPECT_EQ(plan.dynamic, slow.dynamic);
}

TEST(LiveBound, IsTheFirstHighestSumOfLiveRequests) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RequestTrace trace = randomTrace(shapeOf(seed), seed);
    const PlanSlowModel model(trace, {.alignment = 1});
    long double highest = 0;
    int64_t where = -1;
    for (size_t at = 0; at < trace.operations.size(); ++at) {
      long double sum = 0;
      for (const auto& life : model.lives())
        if (life.birth <= at && at < life.death) sum += static_cast<long double>(life.bytes);
      if (sum <= highest) continue;
      highest = sum;
      where = static_cast<int64_t>(at);
    }
    const LiveBound bound = liveBound(trace);
    EXPECT_EQ(bound.operation, where);
    EXPECT_EQ(static_cast<long double>(bound.bytes), std::min(highest, 0x1p64L - 1));
  }
}

TEST(LiveBound, OfNothingIsNothing) {
  TraceWriter writer;
  writer.free(writer.allocate(0));
  writer.allocate(kLargestRequest + 1);
  EXPECT_EQ(liveBound(writer.trace).bytes, 0u);
  EXPECT_EQ(liveBound(writer.trace).operation, -1);
}

TEST(LiveBound, StaysAtTheTopWhenTheSumHasNoNumber) {
  TraceWriter writer;
  for (int i = 0; i < 5; ++i) writer.allocate(kLargestRequest);
  EXPECT_EQ(liveBound(writer.trace).bytes, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(liveBound(writer.trace).operation, 4);
}

TEST(OfflinePlan, GreedyPlacesTheLargestFirstAtTheLowestFreeOffset) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RequestTrace trace = randomTrace(shapeOf(seed), seed);
    const OfflinePlanOptions options = optionsOf(seed);
    const OfflinePlan plan = planGreedyBySize(trace, options);
    expectSame(plan, PlanSlowModel(trace, options).greedyBySize());
    EXPECT_EQ(overlapOf(trace, plan, options), "");
  }
}

TEST(OfflinePlan, SpatioTemporalStacksWhatSharesItsPhases) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RequestTrace trace = randomTrace(shapeOf(seed), seed);
    const OfflinePlanOptions options = optionsOf(seed);
    const OfflinePlan plan = planSpatioTemporal(trace, options);
    expectSame(plan, PlanSlowModel(trace, options).spatioTemporal());
    EXPECT_EQ(overlapOf(trace, plan, options), "");
  }
}

TEST(OfflinePlan, LiesBetweenTheLiveBoundAndTheSumOfAllRequests) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TraceShape shape = shapeOf(seed);
    shape.hasExtremes = false;
    const RequestTrace trace = randomTrace(shape, seed);
    const OfflinePlanOptions options = optionsOf(seed);
    const OfflinePlan greedy = planGreedyBySize(trace, options);
    uint64_t sum = 0;
    for (const uint64_t bytes : greedy.bytes) sum += bytes;
    EXPECT_LE(liveBound(trace).bytes, greedy.poolBytes);
    EXPECT_LE(greedy.poolBytes, sum);
    EXPECT_LE(planSpatioTemporal(trace, options).poolBytes, sum);
  }
}

TEST(OfflinePlan, ForwardAndBackwardPassesBecomePhases) {
  TraceWriter writer;
  const uint32_t weights = writer.allocate(8 * kMebibyte);
  for (int step = 0; step < 2; ++step) {
    std::vector<uint32_t> saved;
    for (int layer = 0; layer < 3; ++layer) {
      saved.push_back(writer.allocate(2 * kMebibyte));
      writer.free(writer.allocate(kMebibyte));
    }
    for (int layer = 2; layer >= 0; --layer) {
      writer.free(writer.allocate(kMebibyte));
      writer.free(saved[layer]);
    }
  }
  const PlanSlowModel model(writer.trace, {});
  // Up to the highest moment, a temporary of the last layer; down to the end of the step; and again.
  EXPECT_EQ(model.phaseStarts(), (std::vector<size_t>{9, 19, 27}));
  const OfflinePlan plan = planSpatioTemporal(writer.trace, {});
  EXPECT_EQ(plan.offsets[weights], 0u);
  EXPECT_EQ(plan.poolBytes, 15 * kMebibyte);
  EXPECT_EQ(plan.poolBytes, liveBound(writer.trace).bytes);
}

TEST(OfflinePlan, IsTheSameEveryTime) {
  const RequestTrace trace = randomTrace({.operations = 3000, .live = 200, .stepLength = 500}, 5);
  EXPECT_EQ(planGreedyBySize(trace, {}).offsets, planGreedyBySize(trace, {}).offsets);
  EXPECT_EQ(planSpatioTemporal(trace, {}).offsets, planSpatioTemporal(trace, {}).offsets);
}

TEST(OfflinePlan, GivesNoPlaceBeyondTheLargestRequest) {
  TraceWriter writer;
  const uint32_t first = writer.allocate(kLargestRequest - 511);
  const uint32_t second = writer.allocate(kMebibyte);
  const OfflinePlan plan = planGreedyBySize(writer.trace, {});
  EXPECT_EQ(plan.offsets[first], 0u);
  EXPECT_EQ(plan.offsets[second], kNoPlace);
  EXPECT_EQ(plan.poolBytes, kLargestRequest);
}

/// Replays a trace and checks the state after every step.
class Checked : public ReplayObserver {
 public:
  explicit Checked(const OfflineAllocator& allocator) : allocator_(allocator) {}
  void onStep(const ReplayStep& step) override {
    ASSERT_EQ(brokenRule(allocator_), "") << "after operation " << step.index;
    const Usage usage = allocator_.usage();
    peakReserved_ = std::max(peakReserved_, usage.reserved);
    peakAllocated_ = std::max(peakAllocated_, usage.allocated);
    ASSERT_EQ(usage.peakReserved, peakReserved_);
    ASSERT_EQ(usage.peakAllocated, peakAllocated_);
    uint64_t segments = 0;
    for (const LayoutSegment& segment : allocator_.layout().segments) segments += segment.bytes;
    ASSERT_EQ(segments, usage.reserved);
    if (step.operation.kind == Operation::Kind::Allocate) placements.push_back(step.placement);
  }
  std::vector<Placement> placements;

 private:
  const OfflineAllocator& allocator_;
  uint64_t peakReserved_ = 0, peakAllocated_ = 0;
};

TEST(OfflineAllocator, AnswersWithThePlannedPlaces) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TraceShape shape = shapeOf(seed);
    shape.hasExtremes = false;
    const RequestTrace trace = randomTrace(shape, seed);
    DeviceModel device({});
    OfflineAllocator allocator(planGreedyBySize(trace, {}), 512, device, nullptr);
    ASSERT_TRUE(allocator.start());
    Checked checked(allocator);
    replay(trace, allocator, &checked, {});
    for (size_t i = 0; i < checked.placements.size(); ++i) {
      const bool isAsked = allocator.plan().bytes[i] > 0;
      ASSERT_EQ(checked.placements[i].outcome, isAsked ? Outcome::Placed : Outcome::Nothing);
      if (isAsked) {
        ASSERT_EQ(checked.placements[i].address, DeviceModel::kBase + allocator.plan().offsets[i]);
      }
    }
    EXPECT_EQ(allocator.usage().reserved, allocator.plan().poolBytes);
  }
}

TEST(OfflineAllocator, RefusesExactlyWhatLiesBeyondASmallDevice) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TraceShape shape = shapeOf(seed);
    shape.hasExtremes = false;
    const RequestTrace trace = randomTrace(shape, seed);
    const OfflinePlan plan = planGreedyBySize(trace, {});
    DeviceModel device({.capacity = plan.poolBytes * 3 / 4});
    OfflineAllocator allocator(plan, 512, device, nullptr);
    ASSERT_TRUE(allocator.start());
    Checked checked(allocator);
    replay(trace, allocator, &checked, {});
    for (size_t i = 0; i < checked.placements.size(); ++i) {
      if (plan.bytes[i] == 0) continue;
      const bool fits = plan.offsets[i] + plan.bytes[i] <= device.capacity() / 512 * 512;
      ASSERT_EQ(checked.placements[i].outcome, fits ? Outcome::Placed : Outcome::OutOfMemory);
    }
  }
}

TEST(OfflineAllocator, LeavesWhatWasNotForetoldToTheCachingAllocator) {
  size_t unplanned = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TraceShape shape = shapeOf(seed);
    shape.hasExtremes = false;
    shape.stepLength = 30;
    const RequestTrace trace = randomTrace(shape, seed);
    DeviceModel device({});
    const Simulator& simulator = simulatorNamed("offline-stalloc");
    const AllocatorStack stack = simulator.build(Settings(simulator.knobs, {}), device, trace);
    for (const auto& layer : stack) ASSERT_TRUE(layer->start());
    auto& allocator = static_cast<OfflineAllocator&>(*stack.back());
    Checked checked(allocator);
    replay(trace, allocator, &checked, {});
    for (size_t i = 0; i < checked.placements.size(); ++i) {
      if (allocator.plan().bytes[i] == 0) continue;
      ASSERT_EQ(checked.placements[i].outcome, Outcome::Placed);
      const bool isPlanned = allocator.plan().offsets[i] != kNoPlace;
      if (!isPlanned) ++unplanned;
      const uint64_t address = checked.placements[i].address;
      const uint64_t end = DeviceModel::kBase + allocator.plan().poolBytes;
      ASSERT_EQ(isPlanned, DeviceModel::kBase <= address && address < end);
    }
  }
  EXPECT_GT(unplanned, 100u);
}

TEST(OfflineAllocator, ServesNobodyWhomThePlanDoesNotKnow) {
  TraceWriter writer;
  writer.allocate(kMebibyte);
  DeviceModel device({});
  OfflineAllocator allocator(planGreedyBySize(writer.trace, {}), 512, device, nullptr);
  ASSERT_TRUE(allocator.start());
  EXPECT_EQ(allocator.allocate(2 * kMebibyte, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(allocator.allocate(kMebibyte, 0).outcome, Outcome::OutOfMemory);
  EXPECT_EQ(allocator.usage().allocated, 0u);
}

TEST(OfflineAllocator, SaysThatAPlaceWasPlanned) {
  struct Kept : DecisionSink {
    void onDecision(const Decision& decision) override { decisions.push_back(decision); }
    std::vector<Decision> decisions;
  } kept;
  TraceWriter writer;
  writer.allocate(1000);
  DeviceModel device({});
  OfflineAllocator allocator(planGreedyBySize(writer.trace, {}), 512, device, nullptr);
  ASSERT_TRUE(allocator.start());
  allocator.setDecisionSink(&kept);
  allocator.allocate(1000, 0);
  ASSERT_EQ(kept.decisions.size(), 2u);
  EXPECT_EQ(kept.decisions[0].step, Decision::Step::Round);
  EXPECT_EQ(kept.decisions[1].step, Decision::Step::Take);
  EXPECT_EQ(kept.decisions[1].reason, Decision::Reason::Planned);
  EXPECT_EQ(kept.decisions[1].address, DeviceModel::kBase);
  EXPECT_EQ(kept.decisions[1].bytes, 1024u);
}

TEST(OfflineSimulators, AreModelsAndRefuseAnAlignmentThatIsNoPowerOfTwo) {
  for (const Simulator& simulator : offlineSimulators()) {
    EXPECT_TRUE(simulator.isModel);
    DeviceModel device({});
    EXPECT_THROW(simulator.build(Settings(simulator.knobs, {{"alignment", "384"}}), device, {}), ReplayError);
  }
}

}  // namespace
}  // namespace strata::test
