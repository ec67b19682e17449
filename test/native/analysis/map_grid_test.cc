#include "analysis/map_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/index.h"
#include "analysis/random_trace.h"

namespace strata {
namespace {

/// Shares of cells of 512 events by 1/512 of the height, rectangle by
/// rectangle.
class PlainCells {
 public:
  PlainCells(uint32_t columns, double height) : columns_(columns), perRow_(height / MapGrid::kRows) {
    shares_.resize(static_cast<size_t>(columns) * MapGrid::kRows);
  }
  void add(double begin, double end, double low, double high) {
    begin = std::clamp(begin / 512, 0.0, static_cast<double>(columns_));
    end = std::clamp(end / 512, 0.0, static_cast<double>(columns_));
    for (auto row = static_cast<uint32_t>(low / perRow_); row < MapGrid::kRows && row * perRow_ < high;
         ++row) {
      const double tall = std::min(high / perRow_, row + 1.0) - std::max<double>(low / perRow_, row);
      for (auto column = static_cast<uint32_t>(begin); column < columns_ && column < end; ++column) {
        const double wide = std::min(end, column + 1.0) - std::max<double>(begin, column);
        if (tall > 0 && wide > 0) shares_[static_cast<size_t>(row) * columns_ + column] += tall * wide;
      }
    }
  }
  double at(size_t cell) const { return shares_[cell]; }

 private:
  uint32_t columns_;
  double perRow_;
  std::vector<double> shares_;
};

TEST(MapGrid, AnswersForWindowsWithMoreBlocksThanAreDrawnOneByOne) {
  test::RandomTraceOptions options;
  options.events = 420'000;
  options.liveBlocks = 30;
  const Trace trace = test::randomTrace(11, options);
  const Device& device = trace.devices[0];
  ASSERT_GT(device.blocks.count(), 110'000u);
  const Index index(trace, device);
  const auto region = Region::Pooled;
  const auto& ranges = index.ranges(region);
  const uint64_t height = ranges.back().offset + ranges.back().bytes;
  const auto columns = static_cast<uint32_t>(device.events.count() / 512);

  PlainCells occupied(columns, static_cast<double>(height)), mapped(columns, static_cast<double>(height));
  const auto add = [&](PlainCells& cells, EventIndex birth, EventIndex death, uint64_t address,
                       uint64_t bytes) {
    for (const FoldedRange& range : ranges) {
      if (address < range.address || address >= range.address + range.bytes) continue;
      const auto low = static_cast<double>(range.offset + (address - range.address));
      cells.add(birth, death, low, low + static_cast<double>(bytes));
    }
  };
  const BlockColumns& blocks = device.blocks;
  for (uint32_t row = 0; row < blocks.count(); ++row) {
    if (blocks.region[row] != region) continue;
    add(occupied, blocks.birth[row], blocks.death[row], blocks.address[row], blocks.bytes[row]);
  }
  const SegmentColumns& segments = device.segments;
  for (uint32_t row = 0; row < segments.count(); ++row) {
    if (segments.region[row] != region) continue;
    add(mapped, segments.birth[row], segments.death[row], segments.address[row], segments.bytes[row]);
  }

  // Cell for cell where the window's cells are the grid's own.
  const Window whole = {Axis::Event, 0, columns * 512.0, columns};
  const MapWindow map = index.map(region, whole, 0, height, MapGrid::kRows);
  double total = 0;
  for (size_t cell = 0; cell < map.occupied.size(); ++cell) {
    ASSERT_NEAR(map.occupied[cell], occupied.at(cell) * 255, 0.51) << cell;
    ASSERT_NEAR(map.mapped[cell], mapped.at(cell) * 255, 0.51) << cell;
    ASSERT_EQ(map.site[cell] == 0xffff, map.occupied[cell] == 0);
    total += occupied.at(cell);
  }

  // On the whole where they are coarser, on both axes as the trace's clock runs
  // evenly.
  for (const uint32_t coarse : {columns / 2, 100u, 7u}) {
    Window window = whole;
    window.columns = coarse;
    const MapWindow few = index.map(region, window, 0, height, 200);
    double sum = 0;
    for (const uint8_t share : few.occupied) sum += share / 255.0;
    EXPECT_NEAR(sum / static_cast<double>(few.occupied.size()),
                total / static_cast<double>(map.occupied.size()), 0.01);
    Window byTime = {Axis::Time, 0, static_cast<double>(device.events.time.back()), coarse};
    const MapWindow timed = index.map(region, byTime, 0, height, 200);
    double timedSum = 0;
    for (const uint8_t share : timed.occupied) timedSum += share / 255.0;
    EXPECT_NEAR(timedSum / static_cast<double>(timed.occupied.size()),
                total / static_cast<double>(map.occupied.size()), 0.02);
  }
  // Beyond the ends lie the first and the last state, which a direct picture of
  // them shows too.
  const double end = static_cast<double>(device.events.count());
  const MapWindow beyond = index.map(region, {Axis::Event, -end, 2 * end, 3}, 0, height, 64);
  const MapWindow first = index.map(region, {Axis::Event, -10, -5, 1}, 0, height, 64);
  const MapWindow last = index.map(region, {Axis::Event, end + 5, end + 10, 1}, 0, height, 64);
  for (uint32_t row = 0; row < 64; ++row) {
    EXPECT_NEAR(beyond.occupied[row * 3], first.occupied[row], 1.5);
    EXPECT_NEAR(beyond.occupied[row * 3 + 2], last.occupied[row], 1.5);
  }
}

}  // namespace
}  // namespace strata
