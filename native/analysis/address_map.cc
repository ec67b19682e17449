#include "analysis/address_map.h"

#include <algorithm>

namespace strata {

namespace {

constexpr int kMappedChannel = static_cast<int>(RankedSites::kMost);
static_assert(kMappedChannel < Raster::kChannels);

/// So many blocks are drawn one by one within a frame.
constexpr size_t kFewBlocks = 80'000;
/// And so many where the grid's rows would be coarser than a quarter of what is asked for.
constexpr size_t kManyBlocks = 4 * kFewBlocks;

}  // namespace

/// What part of a region's rectangles goes into a raster.
struct AddressMap::Picture {
  Region region;
  EventIndex start, end;  ///< alive at the start, or born after it and up to the end
  uint64_t fromOffset, toOffset;
  double perRow;  ///< rows a byte
};

MapWindow AddressMap::window(Region region, const Window& window, uint64_t fromOffset, uint64_t toOffset,
                             uint32_t rows) const {
  MapWindow result;
  const size_t cells = static_cast<size_t>(rows) * window.columns;
  result.mapped.resize(cells);
  result.occupied.resize(cells);
  result.site.resize(cells, 0xffff);
  if (cells == 0 || !(window.to > window.from) || toOffset <= fromOffset || space_.heightOf(region) == 0)
    return result;

  const AxisScale scale(device_.events, window.axis);
  const EventIndex start = scale.firstAtOrAfter(window.from) - 1;
  const EventIndex end = scale.firstAtOrAfter(window.to) - 1;
  const size_t born = blocks_.bornUpTo(end) - blocks_.bornUpTo(start);
  if (!isDrawnDirectly(region, born, fromOffset, toOffset, rows)) {
    const double perByte = static_cast<double>(MapGrid::kRows) / static_cast<double>(space_.heightOf(region));
    gridOf(region, window.axis)
        .draw(window, static_cast<double>(fromOffset) * perByte, static_cast<double>(toOffset) * perByte,
              rows, result);
    return result;
  }
  Raster raster(window.columns, rows);
  const double perColumn = window.columns / (window.to - window.from);
  const auto columnOf = [&](EventIndex event) -> double {
    if (event < 0) return 0;
    if (event >= scale.count()) return window.columns;
    return (scale.position(event) - window.from) * perColumn;
  };
  const double perRow = rows / static_cast<double>(toOffset - fromOffset);
  addRectangles({region, start, end, fromOffset, toOffset, perRow}, columnOf, raster);
  const auto siteCount = static_cast<int>(sites_.list().size());
  size_t at = 0;
  raster.forEachRow([&](uint32_t, const uint32_t* coverage, const uint8_t* isSame) {
    MixedCell cell;
    for (uint32_t column = 0; column < window.columns; ++column, ++at, coverage += Raster::kChannels) {
      if (!isSame[column]) cell = mix(coverage, siteCount, kMappedChannel);
      result.occupied[at] = cell.occupied;
      result.mapped[at] = cell.mapped;
      result.site[at] = cell.hasSite ? cell.site : 0xffff;
    }
  });
  return result;
}

bool AddressMap::isDrawnDirectly(Region region, size_t born, uint64_t fromOffset, uint64_t toOffset,
                                 uint32_t rows) const {
  if (born <= kFewBlocks) return true;
  const double share =
      static_cast<double>(toOffset - fromOffset) / static_cast<double>(space_.heightOf(region));
  const bool isGridTooCoarse = MapGrid::kRows * share < rows / 4.0;
  return isGridTooCoarse && static_cast<double>(born) * share <= kManyBlocks;
}

template <typename ColumnOf>
void AddressMap::addRectangles(const Picture& picture, ColumnOf&& columnOf, Raster& raster) const {
  const SegmentColumns& segments = device_.segments;
  const BlockColumns& blocks = device_.blocks;
  const auto add = [&](EventIndex birth, EventIndex death, uint64_t offset, uint64_t bytes, int channel) {
    const double low = static_cast<double>(static_cast<int64_t>(offset - picture.fromOffset));
    raster.add({columnOf(birth), columnOf(death), low * picture.perRow,
                (low + static_cast<double>(bytes)) * picture.perRow, channel});
  };
  const auto addSegment = [&](uint32_t row) {
    if (segments.region[row] != picture.region || segments.birth[row] >= segments.death[row]) return;
    add(segments.birth[row], segments.death[row], space_.offsetOf(row), segments.bytes[row], kMappedChannel);
  };
  const auto addBlock = [&](uint32_t row) {
    const uint32_t segment = blocks.segment[row];
    if (segment >= segments.count() || segments.region[segment] != picture.region) return;
    const uint64_t offset = space_.offsetOf(segment) + (blocks.address[row] - segments.address[segment]);
    const uint64_t bytes = blocks.bytes[row];
    if (offset >= picture.toOffset || offset + bytes <= picture.fromOffset) return;
    if (blocks.birth[row] >= blocks.death[row]) return;
    add(blocks.birth[row], blocks.death[row], offset, bytes, sites_.rankOfBlock(row));
  };
  for (const uint32_t row : segments_.alive(picture.start)) addSegment(row);
  segments_.forEachBorn(picture.start, picture.end, addSegment);
  for (const uint32_t row : blocks_.alive(picture.start)) addBlock(row);
  blocks_.forEachBorn(picture.start, picture.end, addBlock);
}

const MapGrid& AddressMap::gridOf(Region region, Axis axis) const {
  LazyGrid& lazy = grids_[static_cast<int>(region)][static_cast<int>(axis)];
  std::call_once(lazy.made, [&] {
    const AxisScale scale(device_.events, axis);
    auto grid = std::make_unique<MapGrid>(scale);
    Raster raster(grid->columnCount(), MapGrid::kRows);
    const double perRow = static_cast<double>(MapGrid::kRows) / static_cast<double>(space_.heightOf(region));
    const Picture picture = {region, kBeforeFirst, scale.count(), 0, space_.heightOf(region), perRow};
    addRectangles(
        picture, [&](EventIndex event) { return grid->columnOf(event); }, raster);
    grid->fill(raster, static_cast<int>(sites_.list().size()), kMappedChannel);
    lazy.owner = std::move(grid);
    lazy.grid = lazy.owner.get();
  });
  return *lazy.owner;
}

size_t AddressMap::bytes() const {
  size_t bytes = 0;
  for (const auto& axes : grids_) {
    for (const LazyGrid& lazy : axes) {
      if (const MapGrid* grid = lazy.grid.load()) bytes += grid->bytes();
    }
  }
  return bytes;
}

}  // namespace strata
