#include <gtest/gtest.h>

#include <map>
#include <random>

#include "allocator/async_pool.h"
#include "allocator/async_pool_slow_model.h"
#include "allocator/ledger_device.h"
#include "allocator/replay_checks.h"

namespace strata::test {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

struct Live {
  BlockHandle block;
  uint64_t address;
};

/// What an allocator said, to be held against what it did.
struct Log final : DecisionSink {
  void onDecision(const Decision& decision) override {
    all.push_back(decision);
    ++seen[{decision.step, decision.reason}];
  }
  std::vector<Decision> all;
  std::map<std::pair<Decision::Step, Decision::Reason>, int> seen;
};

AsyncPoolOptions randomOptions(std::mt19937_64& random) {
  AsyncPoolOptions options;
  options.pieceBytes = 4096 * (1 + random() % 40);
  options.releaseThreshold = random() % 2 == 0 ? 0 : random() % (4 * kMebibyte);
  options.minBytesToKeep = random() % 2 == 0 ? 0 : random() % (2 * kMebibyte);
  options.followEventDependencies = random() % 2 == 0;
  options.allowOpportunistic = random() % 2 == 0;
  options.allowInternalDependencies = random() % 2 == 0;
  options.nonBlockingStreams = random() % 3 > 0;
  options.completionLag = random() % 80;
  if (random() % 3 == 0) options.maxSize = 1 + random() % (16 * kMebibyte);
  return options;
}

void expectSameState(const AsyncPool& pool, const AsyncPoolSlowModel& model, const LedgerDevice& device) {
  const Layout layout = pool.layout();
  uint64_t mapped = 0;
  for (const LayoutSegment& segment : layout.segments) {
    ASSERT_EQ(segment.region, Region::Virtual);
    mapped += segment.bytes;
  }
  ASSERT_EQ(mapped, device.createdBytes - device.releasedBytes);
  ASSERT_EQ(mapped, device.used());
  ASSERT_EQ(mapped, pool.usage().reserved);
  ASSERT_EQ(mapped, model.reserved());
  ASSERT_EQ(pool.usage().allocated, model.used());
  ASSERT_EQ(layout.blocks.size(), model.blocks().size());
  auto expected = model.blocks().begin();
  for (const LayoutBlock& block : layout.blocks) {
    ASSERT_EQ(block.address, expected->first);
    ASSERT_EQ(block.bytes, expected->second.bytes);
    ASSERT_EQ(block.state == BlockState::Allocated, (expected++)->second.isUsed);
  }
}

/// Every request ends with a decision that says what became of it.
void expectExplained(const Log& log, const Placement& placement) {
  ASSERT_FALSE(log.all.empty());
  if (placement.outcome == Outcome::OutOfMemory) {
    ASSERT_EQ(log.all.back().step, Decision::Step::Refuse);
    return;
  }
  const auto take = std::find_if(log.all.begin(), log.all.end(), [](const Decision& decision) {
    return decision.step == Decision::Step::Take;
  });
  ASSERT_NE(take, log.all.end());
  ASSERT_EQ(take->address, placement.address);
  ASSERT_EQ(take->bytes, placement.bytes);
}

class Walk {
 public:
  explicit Walk(uint64_t seed)
      : random_(seed),
        options_(randomOptions(random_)),
        device_({.capacity = kMebibyte + random_() % (12 * kMebibyte)}),
        slowDevice_({.capacity = device_.capacity()}),
        pool_(options_, device_),
        model_(options_, slowDevice_),
        streams_(1 + static_cast<uint32_t>(random_() % 4)) {
    isLogging_ = random_() % 2 == 0;
    pool_.setDecisionSink(isLogging_ ? &log_ : nullptr);
  }

  void step() {
    const uint64_t choice = random_() % 100;
    if (choice < 3) return synchronize();
    if (choice < 4) return emptyCache();
    if (choice < 12 && !live_.empty()) return recordStream();
    if (live_.size() > 60 || (!live_.empty() && choice < 55)) return free();
    allocate();
  }
  void check() const {
    ASSERT_EQ(brokenRule(pool_), "");
    expectSameState(pool_, model_, device_);
  }
  const Log& log() const { return log_; }

 private:
  uint32_t stream() { return static_cast<uint32_t>(random_() % streams_) * 1000; }

  void allocate() {
    const uint64_t power = 1 + random_() % 22;
    const uint64_t bytes = random_() % (uint64_t{1} << power);
    const uint32_t on = stream();
    log_.all.clear();
    const Placement placement = pool_.allocate(bytes, on);
    const std::optional<uint64_t> address = model_.allocate(bytes, on);
    ASSERT_EQ(placement.outcome == Outcome::Placed, address.has_value()) << bytes;
    if (isLogging_ && bytes > 0) expectExplained(log_, placement);
    if (!address) return;
    ASSERT_EQ(placement.address, *address) << bytes;
    live_.push_back({placement.block, placement.address});
  }
  void free() {
    std::swap(live_[random_() % live_.size()], live_.back());
    pool_.free(live_.back().block);
    model_.free(live_.back().address);
    live_.pop_back();
  }
  void recordStream() {
    const Live& used = live_[random_() % live_.size()];
    const uint32_t on = stream();
    pool_.recordStream(used.block, on);
    model_.recordStream(used.address, on);
  }
  void synchronize() {
    Control control{.kind = Control::Kind::Synchronize, .hasStream = random_() % 2 == 0};
    control.stream = stream();
    pool_.control(control);
    model_.synchronize(control.hasStream ? std::optional(control.stream) : std::nullopt);
  }
  void emptyCache() {
    pool_.control({.kind = Control::Kind::EmptyCache});
    model_.emptyCache();
  }

  std::mt19937_64 random_;
  AsyncPoolOptions options_;
  LedgerDevice device_, slowDevice_;
  AsyncPool pool_;
  AsyncPoolSlowModel model_;
  uint32_t streams_;
  Log log_;
  bool isLogging_ = false;
  std::vector<Live> live_;
};

TEST(AsyncPoolWalk, ServesWhatScansOfTheDocumentedRulesWouldServe) {
  std::map<std::pair<Decision::Step, Decision::Reason>, int> seen;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Walk walk(seed);
    for (int step = 0; step < 600; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " step " + std::to_string(step));
      walk.step();
      if (step % 10 == 0) walk.check();
      if (testing::Test::HasFatalFailure()) return;
    }
    for (const auto& [what, count] : walk.log().seen) seen[what] += count;
  }
  using enum Decision::Reason;
  for (const Decision::Reason reason :
       {SameStream, CompletedFree, EventDependency, InternalDependency, Synchronized, None})
    EXPECT_GT((seen[{Decision::Step::Take, reason}]), 20) << static_cast<int>(reason);
  for (const Decision::Reason reason : {None, Remapped, LimitReached, DeviceRefused})
    EXPECT_GT((seen[{Decision::Step::Grow, reason}]), 20) << static_cast<int>(reason);
}

}  // namespace
}  // namespace strata::test
