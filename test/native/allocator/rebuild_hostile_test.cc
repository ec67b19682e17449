#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

#include "allocator/rebuild.h"
#include "allocator/rebuild_truth.h"

namespace strata::test {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

/// Events and final states that no allocator would write, drawn from few addresses so that they collide.
class Noise {
 public:
  Noise(uint64_t seed, bool isWild) : random_(seed), isWild_(isWild) {}

  Trace trace(size_t events) {
    Trace trace;
    trace.settings = {{"PYTORCH_CUDA_ALLOC_CONF", setting()}};
    Device device;
    device.kind = upTo(5) == 0 ? DeviceKind::Npu : upTo(5) == 0 ? DeviceKind::Host : DeviceKind::Cuda;
    device.isEventListComplete = upTo(3) != 0;
    device.streams = {9, 3, 7};
    device.pools = {{0, 0}, {0, 1}};
    for (size_t i = 0; i < events; ++i) addEvent(device.events);
    addFinalState(device.final);
    trace.devices.push_back(std::move(device));
    return trace;
  }

 private:
  uint64_t upTo(uint64_t most) { return std::uniform_int_distribution<uint64_t>(0, most)(random_); }

  std::string setting() {
    const char* settings[] = {"", "expandable_segments:True", "max_split_size_mb:20",
                              "garbage_collection_threshold:0.5", "roundup_power2_divisions:4"};
    return settings[upTo(4)];
  }

  uint64_t address() {
    if (isWild_ && upTo(20) == 0) return random_();
    return 0x7f0000000000 + upTo(40) * (upTo(1) ? kMiB : 512);
  }

  uint64_t size() {
    if (isWild_ && upTo(20) == 0) return random_() >> upTo(63);
    const uint64_t sizes[] = {0, 1, 512, 600 * 1024, kMiB, 2 * kMiB, 5 * kMiB, 20 * kMiB, upTo(30 * kMiB)};
    return sizes[upTo(8)];
  }

  void addEvent(EventColumns& events) {
    events.action.push_back(static_cast<Action>(upTo(10)));
    events.address.push_back(address());
    events.size.push_back(size());
    events.stack.push_back(kNone);
    events.stream.push_back(static_cast<uint16_t>(upTo(2)));
    events.pool.push_back(static_cast<uint16_t>(upTo(1)));
  }

  void addFinalState(FinalState& final) {
    uint64_t at = 0x7f0000000000;
    for (uint64_t count = upTo(6); count > 0; --count) {
      FinalState::Segment segment;
      segment.address = isWild_ ? address() : at;
      segment.isLarge = upTo(1) != 0;
      segment.isExpandable = upTo(1) != 0;
      segment.stream = static_cast<uint16_t>(upTo(2));
      segment.pool = static_cast<uint16_t>(upTo(1));
      segment.firstBlock = static_cast<uint32_t>(final.blockAddress.size());
      segment.blockCount = static_cast<uint32_t>(1 + upTo(4));
      for (uint32_t i = 0; i < segment.blockCount; ++i) {
        final.blockAddress.push_back(isWild_ && upTo(3) == 0 ? address() : segment.address + segment.bytes);
        final.blockBytes.push_back(isWild_ ? size() : 512 * (1 + upTo(5000)));
        final.blockRequested.push_back(final.blockBytes.back());
        final.blockState.push_back(static_cast<BlockState>(upTo(2)));
        final.blockStack.push_back(kNone);
        segment.bytes += final.blockBytes.back();
      }
      at = segment.address + segment.bytes + upTo(3) * 2 * kMiB;
      final.segments.push_back(segment);
    }
    std::sort(final.segments.begin(), final.segments.end(),
              [](const auto& a, const auto& b) { return a.address < b.address; });
  }

  std::mt19937_64 random_;
  bool isWild_;
};

using FinalRow = std::tuple<uint64_t, uint64_t, bool>;

std::set<FinalRow> statedAtTheEnd(const FinalState& final) {
  std::set<FinalRow> rows;
  for (size_t at = 0; at < final.blockAddress.size(); ++at)
    if (final.blockState[at] != BlockState::Inactive)
      rows.emplace(final.blockAddress[at], final.blockBytes[at],
                   final.blockState[at] == BlockState::PendingFree);
  return rows;
}

std::set<FinalRow> shownAtTheEnd(const BlockColumns& blocks) {
  std::set<FinalRow> rows;
  for (size_t row = 0; row < blocks.count(); ++row)
    if (blocks.death[row] == kNever)
      rows.emplace(blocks.address[row], blocks.bytes[row], blocks.freeRequested[row] != kNever);
  return rows;
}

uint64_t freshSeed() { return std::random_device{}(); }

TEST(RebuildHostile, InvariantsHoldWhateverWasRecorded) {
  for (int round = 0; round < 500; ++round) {
    const uint64_t seed = freshSeed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trace trace = Noise(seed, true).trace(200);
    rebuild(trace, {});
    ASSERT_EQ(brokenInvariants(trace.devices[0]), "");
  }
}

TEST(RebuildHostile, TheEndIsAlwaysAsTheFileStatesIt) {
  for (int round = 0; round < 500; ++round) {
    const uint64_t seed = freshSeed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trace trace = Noise(seed, false).trace(120);
    trace.devices[0].isEventListComplete = true;
    rebuild(trace, {});
    ASSERT_EQ(shownAtTheEnd(trace.devices[0].blocks), statedAtTheEnd(trace.devices[0].final));
    ASSERT_EQ(brokenInvariants(trace.devices[0]), "");
    ASSERT_NE(trace.devices[0].exactness.verdict, Exactness::Verdict::Exact);
  }
}

/// Long runs of events that would make a careless model walk the same lists again and again.
TEST(RebuildHostile, WorkStaysBoundedWhenEveryEventIsItsOwnBurst) {
  Trace trace;
  trace.settings = {{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"}};
  Device device;
  device.streams = {0};
  device.pools = {{0, 0}};
  const auto add = [&](Action action, uint64_t address, uint64_t size) {
    device.events.action.push_back(action);
    device.events.address.push_back(address);
    device.events.size.push_back(size);
    device.events.stack.push_back(kNone);
    device.events.stream.push_back(0);
    device.events.pool.push_back(0);
  };
  constexpr uint64_t kPieces = 60000;
  const uint64_t base = uint64_t{1} << 40;
  for (uint64_t i = 0; i < kPieces; ++i) add(Action::SegmentMap, base + i * 2 * kMiB, 2 * kMiB);
  for (uint64_t i = 0; i < kPieces; i += 2) add(Action::SegmentUnmap, base + i * 2 * kMiB, 2 * kMiB);
  for (uint64_t i = 0; i < kPieces; ++i) {
    add(Action::SegmentMap, base + (kPieces + 20 * i) * 2 * kMiB, 40 * kMiB);
    add(Action::Alloc, base + (kPieces + 20 * i) * 2 * kMiB, 39 * kMiB);
  }
  trace.devices.push_back(std::move(device));
  rebuild(trace, {});
  EXPECT_EQ(brokenInvariants(trace.devices[0]), "");
}

}  // namespace
}  // namespace strata::test
