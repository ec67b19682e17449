#include <gtest/gtest.h>

#include <random>

#include "analysis/index.h"
#include "analysis/random_trace.h"

namespace strata {
namespace {

/// A rebuild that could not explain its recording may hand over blocks that
/// overlap, lie outside their segment or outlive it. Numbers may then be off;
/// answers must still come, and heights still add up.
class IndexOfBrokenTrace : public testing::TestWithParam<uint32_t> {};

TEST_P(IndexOfBrokenTrace, StillAnswers) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  Trace trace = test::randomTrace(GetParam());
  Device& device = trace.devices[0];
  std::mt19937 random(GetParam());
  BlockColumns& blocks = device.blocks;
  SegmentColumns& segments = device.segments;
  for (uint32_t row = 0; row < blocks.count(); ++row) {
    if (random() % 6 == 0) blocks.address[row] = random() % (1100 * 512);
    if (random() % 9 == 0) blocks.address[row] = random() | uint64_t{random()} << 32;
    if (random() % 6 == 0) blocks.bytes[row] = random() % 100000;
    if (random() % 6 == 0) blocks.death[row] = static_cast<EventIndex>(random() % 700) - 1;
    if (random() % 6 == 0) blocks.freeRequested[row] = static_cast<EventIndex>(random() % 700) - 1;
    if (random() % 9 == 0) blocks.segment[row] = kNone;
    if (random() % 9 == 0) blocks.region[row] = static_cast<Region>(random() % 3);
  }
  for (uint32_t row = 0; row < segments.count(); ++row) {
    if (random() % 6 == 0) segments.death[row] = static_cast<EventIndex>(random() % 700) - 1;
    if (random() % 6 == 0) segments.address[row] = random() % (1100 * 512);
    if (random() % 9 == 0) segments.bytes[row] = random() % 100000;
  }
  const Index index(trace, device);
  for (int round = 0; round < 20; ++round) {
    const Window window = {random() % 2 == 0 ? Axis::Event : Axis::Time, static_cast<double>(random() % 500),
                           static_cast<double>(random() % 20000), 1 + static_cast<uint32_t>(random() % 50)};
    const SeriesWindow series = index.series(window);
    const auto& active = series.series[kAllRegions][static_cast<int>(Metric::Active)];
    const LiveWindow live = index.liveBlocks(window, 100);
    for (uint32_t column = 0; column < window.columns; ++column) {
      double height = 0;
      for (uint32_t i = live.firstRun[column]; i < live.firstRun[column + 1]; ++i) height += live.bytes[i];
      EXPECT_EQ(height, active.max[column]);
    }
    const auto event = static_cast<EventIndex>(random() % 620) - 1;
    index.stateAt(event);
    index.moment(event);
    index.hit(event, random() % (1100 * 512));
    index.map(static_cast<Region>(random() % 3), window, 0, 100000 + random() % 1000000, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexOfBrokenTrace, testing::Range(1u, 25u),
                         [](const auto& seed) { return "Seed" + std::to_string(seed.param); });

}  // namespace
}  // namespace strata
