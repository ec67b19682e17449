#include "allocator/pytorch_allocator.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <sstream>

#include "allocator/golden_trace.h"
#include "allocator/golden_writer.h"
#include "allocator/pytorch_slow_model.h"
#include "allocator/replay_error.h"

namespace strata::test {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

/// The unpacked text of a gzip file, by the program everyone has; empty when it cannot be read.
std::string unpacked(const std::filesystem::path& file) {
  const std::string command = "gzip -dc '" + file.string() + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 1 << 16> buffer;
  for (size_t count; pipe && (count = fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;)
    text.append(buffer.data(), count);
  return text;
}

/// In one operation the completions of several streams come in the order of a hash of their handles, so they
/// count as a set: they are sorted among their own places.
std::string withSortedCompletions(const std::string& line) {
  std::vector<std::string> completions;
  std::string result = line;
  for (size_t at = 0; (at = result.find("[\"fc\",", at)) != std::string::npos; ++at)
    completions.push_back(result.substr(at, result.find(']', at) + 1 - at));
  std::sort(completions.begin(), completions.end());
  size_t from = 0;
  for (const std::string& completion : completions) {
    from = result.find("[\"fc\",", from);
    result.replace(from, result.find(']', from) + 1 - from, completion);
    from += completion.size();
  }
  return result;
}

/// Empty when the two texts agree line by line, else the first pair of lines that do not.
std::string firstDifference(const std::string& expected, const std::string& actual) {
  std::istringstream left(expected), right(actual);
  std::string a, b;
  while (true) {
    const bool hasLeft = static_cast<bool>(std::getline(left, a));
    const bool hasRight = static_cast<bool>(std::getline(right, b));
    if (!hasLeft && !hasRight) return {};
    if (hasLeft != hasRight) return "one text is longer\n";
    if (a != b && withSortedCompletions(a) != withSortedCompletions(b))
      return "real " + a + "\nours " + b + "\n";
  }
}

TEST(PytorchAllocator, ReproducesEveryRecordedPlacementOfTheRealOne) {
  const std::filesystem::path golden = std::filesystem::path(STRATA_SHARED_DIR) / "golden";
  if (!std::filesystem::exists(golden / "pytorch"))
    GTEST_SKIP() << "there are no recorded placements in " << golden;
  std::map<std::string, RequestTrace> traces;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden / "pytorch")) {
    SCOPED_TRACE(entry.path().filename().string());
    const std::string expected = unpacked(entry.path());
    const GoldenConfig config = parseGoldenConfig(expected.substr(0, expected.find('\n')));
    if (traces.count(config.trace) == 0)
      traces.emplace(config.trace, parseGoldenTrace(unpacked(golden / "traces" / config.trace)));
    std::ostringstream actual;
    writeGolden(traces.at(config.trace), config, &actual, {});
    ASSERT_EQ(firstDifference(expected, actual.str()), "");
    ++files;
  }
  EXPECT_EQ(files, 361u);
}

/// What is wrong with an allocator's layout: blocks must tile segments, free neighbours must be merged, and
/// the sums must be those of the statistics.
std::string brokenLayout(const PytorchAllocator& allocator) {
  const Layout layout = allocator.layout();
  uint64_t allocated = 0, active = 0, reserved = 0, requested = 0, last = 0;
  for (const LayoutSegment& segment : layout.segments) {
    if (segment.address < last) return "segments overlap";
    uint64_t at = segment.address;
    for (uint32_t i = 0; i < segment.blockCount; ++i) {
      const LayoutBlock& block = layout.blocks[segment.firstBlock + i];
      if (block.address != at || block.bytes == 0 || block.bytes % 512 != 0) return "blocks do not tile";
      const bool isFree = block.state == BlockState::Inactive;
      if (isFree && i > 0 && layout.blocks[segment.firstBlock + i - 1].state == BlockState::Inactive)
        return "two free neighbours";
      at += block.bytes;
      active += isFree ? 0 : block.bytes;
      if (block.state == BlockState::Allocated) allocated += block.bytes;
      requested += block.requested;
    }
    if (at != segment.address + segment.bytes) return "blocks do not fill the segment";
    last = at;
    reserved += segment.bytes;
  }
  const PytorchAllocator::Statistics& totals = allocator.statistics();
  if (allocated != totals.allocated || active != totals.active || reserved != totals.reserved)
    return "sums differ";
  if (reserved != allocator.device().used()) return "the device has given out something else";
  return requested <= totals.requested ? "" : "requested differs";
}

/// Any operations in any order, with every feature on.
class RandomProgram {
 public:
  RandomProgram(uint64_t seed, const std::string& settings)
      : random_(seed),
        device_({.capacity = 600 * kMiB}),
        allocator_(parsePytorchConfig(settings), device_,
                   upTo(1) ? std::optional<double>(0.8) : std::nullopt) {}

  std::string run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      const std::string broken = brokenLayout(allocator_);
      if (!broken.empty()) return broken + " after step " + std::to_string(i);
    }
    return {};
  }

 private:
  uint64_t upTo(uint64_t most) { return std::uniform_int_distribution<uint64_t>(0, most)(random_); }

  void step() {
    const uint64_t kind = upTo(20);
    if (kind == 0) return void(allocator_.control({.kind = Control::Kind::EmptyCache}));
    if (kind == 1)
      return void(allocator_.control(
          {.kind = Control::Kind::Synchronize, .hasStream = upTo(1) != 0, .stream = uint32_t(upTo(2))}));
    if (kind == 2) return pool();
    if (kind == 3 && !live_.empty())
      return allocator_.recordStream(live_[upTo(live_.size() - 1)], uint32_t(upTo(2)));
    if (kind > 10 && !live_.empty()) {
      const size_t at = upTo(live_.size() - 1);
      allocator_.free(live_[at]);
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    const Placement placement = allocator_.allocate(upTo(upTo(1) ? 3 * kMiB : 60 * kMiB), uint32_t(upTo(2)));
    if (placement.outcome == Outcome::Placed) live_.push_back(placement.block);
  }

  void pool() {
    const Control::Kind kinds[] = {Control::Kind::BeginPool, Control::Kind::EndPool,
                                   Control::Kind::ReleasePool, Control::Kind::EndPool};
    allocator_.control({.kind = kinds[upTo(3)],
                        .hasStream = upTo(1) != 0,
                        .stream = uint32_t(upTo(2)),
                        .value = 1 + upTo(2)});
  }

  std::mt19937_64 random_;
  DeviceModel device_;
  PytorchAllocator allocator_;
  std::vector<BlockHandle> live_;
};

TEST(PytorchAllocator, BlocksTileAndSumsAgreeWhateverIsAsked) {
  const char* settings[] = {"", "expandable_segments:True", "max_split_size_mb:24",
                            "garbage_collection_threshold:0.5",
                            "expandable_segments:True,max_split_size_mb:32,roundup_power2_divisions:4"};
  for (const char* setting : settings) {
    for (int round = 0; round < 4; ++round) {
      const uint64_t seed = std::random_device{}();
      SCOPED_TRACE(std::string(setting) + " seed " + std::to_string(seed));
      ASSERT_EQ(RandomProgram(seed, setting).run(1200), "");
    }
  }
}

/// The same program against the slow model: both must hand out blocks of the same size, and take and return
/// the same segments.
TEST(PytorchAllocator, AgreesWithASlowModelOnSizesAndSegments) {
  for (const char* settings :
       {"", "expandable_segments:True", "max_split_size_mb:24,roundup_power2_divisions:8"}) {
    const uint64_t seed = std::random_device{}();
    SCOPED_TRACE(std::string(settings) + " seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    PytorchSlowModel::Options options;
    options.config = parsePytorchConfig(settings);
    options.capacity = 300 * kMiB;
    options.reusesAddresses = false;
    options.isRangeBounded = true;
    PytorchSlowModel model(options);
    DeviceModel device({.capacity = options.capacity});
    PytorchAllocator allocator(options.config, device);
    std::vector<std::pair<uint64_t, BlockHandle>> live;
    for (int step = 0; step < 3000; ++step) {
      if (!live.empty() && random() % 2 == 0) {
        const size_t at = random() % live.size();
        model.free(live[at].first);
        allocator.free(live[at].second);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        continue;
      }
      const uint64_t bytes = 1 + random() % (random() % 2 ? 2 * kMiB : 40 * kMiB);
      const uint64_t address = model.allocate(bytes);
      const Placement placement = allocator.allocate(bytes, 0);
      ASSERT_EQ(address == 0, placement.outcome == Outcome::OutOfMemory);
      if (address == 0) continue;
      ASSERT_EQ(placement.bytes, model.blocks().back().bytes);
      live.emplace_back(address, placement.block);
    }
  }
}

TEST(PytorchAllocator, NothingIsHandedOutForNothing) {
  DeviceModel device({.capacity = 100 * kMiB});
  PytorchAllocator allocator(PytorchConfig{}, device);
  EXPECT_EQ(allocator.allocate(0, 0).outcome, Outcome::Nothing);
  EXPECT_EQ(allocator.usage().reserved, 0u);
}

TEST(PytorchAllocator, RequestsThatNoDeviceCouldServeAreRefusedAndLeaveNothingBehind) {
  for (const char* settings : {"", "expandable_segments:True"}) {
    DeviceModel device({.capacity = 100 * kMiB});
    PytorchAllocator allocator(parsePytorchConfig(settings), device);
    for (const uint64_t bytes : {uint64_t{1} << 40, (uint64_t{1} << 47) + 1, (uint64_t{1} << 50), 200 * kMiB})
      EXPECT_EQ(allocator.allocate(bytes, 1).outcome, Outcome::OutOfMemory);
    EXPECT_EQ(allocator.allocate(uint64_t{1} << 62, 1).outcome, Outcome::Error);
    EXPECT_EQ(brokenLayout(allocator), "");
    EXPECT_EQ(allocator.allocate(50 * kMiB, 1).outcome, Outcome::Placed);
  }
}

TEST(PytorchAllocator, ASettingItDoesNotKnowIsNamed) {
  const GoldenConfig config = parseGoldenConfig(
      R"({"k":"cfg","allocator":"pytorch","conf":"max_split_size:32","total":1048576,"fraction":null,"policy":"bump","gap":0,"align":512,"trace":"t","light":false})");
  try {
    makeSimulation(config);
    FAIL() << "the setting was accepted";
  } catch (const ReplayError& error) {
    EXPECT_STREQ(error.what(), "The allocator has no setting called \"max_split_size\" (value \"32\").");
  }
}

TEST(PytorchAllocator, APoolThatIsForgottenWhileItsBlocksLiveStaysDefined) {
  DeviceModel device({.capacity = 1000 * kMiB});
  PytorchAllocator allocator(parsePytorchConfig("expandable_segments:True"), device);
  const auto pool = [&](Control::Kind kind) { allocator.control({.kind = kind, .value = 5}); };
  pool(Control::Kind::BeginPool);
  const Placement first = allocator.allocate(30 * kMiB, 0);
  const Placement second = allocator.allocate(100, 0);
  allocator.free(first.block);
  pool(Control::Kind::EndPool);
  pool(Control::Kind::ReleasePool);
  for (int i = 0; i < 3; ++i) allocator.control({.kind = Control::Kind::EmptyCache});
  pool(Control::Kind::BeginPool);
  allocator.free(second.block);
  pool(Control::Kind::EndPool);
  allocator.control({.kind = Control::Kind::EmptyCache});
  EXPECT_EQ(brokenLayout(allocator), "");
}

}  // namespace
}  // namespace strata::test
