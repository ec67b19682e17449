#include <gtest/gtest.h>

#include <map>
#include <random>

#include "allocator/gmlake.h"
#include "allocator/gmlake_slow_model.h"
#include "allocator/ledger_device.h"
#include "allocator/pytorch_allocator.h"
#include "allocator/replay_checks.h"

namespace strata::test {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
constexpr uint64_t kChunk = GmlakeBlocks::kChunk;

struct Live {
  BlockHandle block;
  uint32_t id;
};
struct Log final : DecisionSink {
  void onDecision(const Decision& decision) override { ++seen[{decision.step, decision.reason}]; }
  std::map<std::pair<Decision::Step, Decision::Reason>, int> seen;
};
/// What is mapped, from the events alone.
struct Mapped final : EventSink {
  void onEvent(const AllocatorEvent& event) override {
    using Kind = AllocatorEvent::Kind;
    if (event.kind == Kind::SegmentMap) {
      EXPECT_TRUE(pieces.emplace(event.address, event.bytes).second);
    } else if (event.kind == Kind::SegmentUnmap) {
      unmap(event.address, event.bytes);
    }
  }
  /// Pieces that were mapped together may go one by one, and the other way round.
  void unmap(uint64_t address, uint64_t bytes) {
    auto at = std::prev(pieces.upper_bound(address));
    while (bytes > 0) {
      const auto [begin, size] = *at;
      const uint64_t gone = std::min(bytes, begin + size - address);
      at = pieces.erase(at);
      if (begin < address) pieces[begin] = address - begin;
      if (address + gone < begin + size) pieces[address + gone] = begin + size - address - gone;
      bytes -= gone;
      address += gone;
    }
  }
  uint64_t total() const {
    uint64_t bytes = 0;
    for (const auto& [address, size] : pieces) bytes += size;
    return bytes;
  }
  std::map<uint64_t, uint64_t> pieces;
};

GmlakeOptions randomOptions(std::mt19937_64& random) {
  GmlakeOptions options;
  options.vmmDefragment = random() % 12 > 0;
  options.fragLimit = random() % 2 == 0 ? 0 : random() % (24 * kMebibyte);
  options.reuseLimit = 1 + random() % 5;
  options.defragLevel = random() % 2;
  options.autoGC = random() % 2 == 0 ? options.autoGC : random() % (256 * kMebibyte);
  return options;
}

class Walk {
 public:
  explicit Walk(uint64_t seed)
      : random_(seed),
        options_(randomOptions(random_)),
        device_({.capacity = 20 * kMebibyte + random_() % (200 * kMebibyte)}),
        slowDevice_({.capacity = device_.capacity()}),
        small_(PytorchConfig{}, device_),
        lake_(options_, small_, device_),
        model_(options_, slowDevice_),
        streams_(1 + static_cast<uint32_t>(random_() % 3)) {
    if (random_() % 2 == 0) lake_.setDecisionSink(&log_);
    lake_.setEventSink(&mapped_);
  }

  void step() {
    const uint64_t choice = random_() % 100;
    if (choice < 3) return synchronize();
    if (choice < 4) return emptyCache();
    if (choice < 10 && !live_.empty()) return recordStream();
    if (live_.size() > 40 || (!live_.empty() && choice < 54)) return free();
    allocate();
  }
  void check() const {
    ASSERT_EQ(brokenRule(lake_), "");
    uint64_t inUse = 0;
    for (const LayoutSegment& segment : lake_.layout().segments)
      if (segment.region == Region::Virtual) inUse += segment.bytes;
    ASSERT_EQ(inUse, device_.createdBytes - device_.releasedBytes);
    ASSERT_EQ(inUse, mapped_.total());
    ASSERT_EQ(inUse, lake_.blocks().reserved());
    ASSERT_EQ(lake_.usage().reserved, inUse + device_.plainBytes);
    ASSERT_EQ(lake_.usage().reserved, model_.reserved());
    ASSERT_EQ(lake_.usage().reserved, device_.used());
    ASSERT_EQ(lake_.blocks().stitchedBytes(), model_.stitchedBytes());
    ASSERT_LE(device_.used(), device_.capacity());
    ASSERT_GE(lake_.usage().peakReserved, device_.used());
  }
  const Log& log() const { return log_; }

 private:
  uint32_t stream() { return static_cast<uint32_t>(random_() % streams_) * 7; }
  uint64_t randomBytes() {
    if (random_() % 4 == 0) return random_() % (2 * kMebibyte);
    const uint64_t chunks = random_() % 12;
    return kChunk * chunks + random_() % (3 * kMebibyte);
  }

  void allocate() {
    const uint64_t bytes = randomBytes();
    const uint32_t on = stream();
    const Placement placement = lake_.allocate(bytes, on);
    const auto answer = model_.allocate(bytes, on);
    ASSERT_EQ(placement.outcome == Outcome::Placed, answer.has_value()) << bytes;
    if (!answer) return;
    ASSERT_EQ(placement.address, answer->address) << bytes;
    live_.push_back({placement.block, answer->id});
  }
  void free() {
    std::swap(live_[random_() % live_.size()], live_.back());
    lake_.free(live_.back().block);
    model_.free(live_.back().id);
    live_.pop_back();
  }
  void recordStream() {
    const Live& used = live_[random_() % live_.size()];
    const uint32_t on = stream();
    lake_.recordStream(used.block, on);
    model_.recordStream(used.id, on);
  }
  void synchronize() {
    Control control{.kind = Control::Kind::Synchronize, .hasStream = random_() % 2 == 0};
    control.stream = stream();
    lake_.control(control);
    model_.synchronize(control.hasStream ? std::optional(control.stream) : std::nullopt);
  }
  void emptyCache() {
    lake_.control({.kind = Control::Kind::EmptyCache});
    model_.emptyCache();
  }

  std::mt19937_64 random_;
  GmlakeOptions options_;
  LedgerDevice device_, slowDevice_;
  PytorchAllocator small_;
  Gmlake lake_;
  GmlakeSlowModel model_;
  uint32_t streams_;
  Log log_;
  Mapped mapped_;
  std::vector<Live> live_;
};

TEST(GmlakeWalk, ServesWhatListsOfChunksWouldServe) {
  std::map<std::pair<Decision::Step, Decision::Reason>, int> seen;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Walk walk(seed);
    for (int step = 0; step < 400; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " step " + std::to_string(step));
      walk.step();
      if (testing::Test::HasFatalFailure()) return;
      walk.check();
      if (testing::Test::HasFatalFailure()) return;
    }
    for (const auto& [what, count] : walk.log().seen) seen[what] += count;
  }
  using Step = Decision::Step;
  using enum Decision::Reason;
  for (const Decision::Reason reason : {ExactFit, Fits, Stitched, None})
    EXPECT_GT((seen[{Step::Take, reason}]), 50) << static_cast<int>(reason);
  for (const Decision::Reason reason : {BelowThreshold, RestTooLarge, Stitched, Synchronized})
    EXPECT_GT((seen[{Step::Consider, reason}]), 5) << static_cast<int>(reason);
  for (const Decision::Reason reason : {CollectGarbage, OutOfMemory, Released})
    EXPECT_GT((seen[{Step::Flush, reason}]), 20) << static_cast<int>(reason);
}

}  // namespace
}  // namespace strata::test
