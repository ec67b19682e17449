#include "analysis/address_map.h"

#include <algorithm>

namespace strata {

namespace {

constexpr int kMappedChannel = static_cast<int>(RankedSites::kMost);
static_assert(kMappedChannel < Raster::kChannels);

uint8_t shareOf(float coverage) {
  return static_cast<uint8_t>(std::clamp(coverage, 0.0f, 1.0f) * 255.0f + 0.5f);
}

/// Where moments and offsets lie in a picture of cells.
class Placement {
 public:
  Placement(const AxisScale& scale, const Window& window, uint64_t fromOffset, uint64_t toOffset,
            uint32_t rows)
      : scale_(scale),
        from_(window.from),
        perColumn_(window.columns / (window.to - window.from)),
        columns_(window.columns),
        fromOffset_(fromOffset),
        perRow_(rows / static_cast<double>(toOffset - fromOffset)) {}

  Raster::Rectangle place(EventIndex birth, EventIndex death, uint64_t offset, uint64_t bytes,
                          int channel) const {
    const double low = static_cast<double>(static_cast<int64_t>(offset - fromOffset_));
    return {columnOf(birth, 0), columnOf(death, columns_), low * perRow_,
            (low + static_cast<double>(bytes)) * perRow_, channel};
  }

 private:
  double columnOf(EventIndex event, double beyond) const {
    if (event < 0 || event >= scale_.count()) return beyond;
    return (scale_.position(event) - from_) * perColumn_;
  }

  const AxisScale& scale_;
  double from_, perColumn_, columns_;
  uint64_t fromOffset_;
  double perRow_;
};

}  // namespace

AddressMap::AddressMap(const Device& device, const RankedSites& sites, const Checkpoints& blocks,
                       const Checkpoints& segments)
    : device_(device), sites_(sites), blocks_(blocks), segments_(segments), offset_(device.segments.count()) {
  for (int region = 0; region < kRegionCount; ++region) fold(static_cast<Region>(region));
}

/// Joins what the region's segments ever covered and notes where each segment came to lie.
void AddressMap::fold(Region region) {
  const SegmentColumns& segments = device_.segments;
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < segments.count(); ++row) {
    if (segments.region[row] == region && segments.bytes[row] > 0) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [&](uint32_t a, uint32_t b) { return segments.address[a] < segments.address[b]; });
  std::vector<FoldedRange>& ranges = ranges_[static_cast<int>(region)];
  for (const uint32_t row : rows) {
    const uint64_t address = segments.address[row], end = address + segments.bytes[row];
    if (ranges.empty()) {
      ranges.push_back({address, 0, 0});
    } else if (address > ranges.back().address + ranges.back().bytes) {
      ranges.push_back({address, 0, ranges.back().offset + ranges.back().bytes});
    }
    FoldedRange& range = ranges.back();
    range.bytes = std::max(range.bytes, end - range.address);
    offset_[row] = range.offset + (address - range.address);
  }
  ranges.shrink_to_fit();
}

MapWindow AddressMap::window(Region region, const Window& window, uint64_t fromOffset, uint64_t toOffset,
                             uint32_t rows) const {
  MapWindow result;
  const size_t cells = static_cast<size_t>(rows) * window.columns;
  result.mapped.resize(cells);
  result.occupied.resize(cells);
  result.site.resize(cells, 0xffff);
  if (cells == 0 || !(window.to > window.from) || toOffset <= fromOffset) return result;
  return draw(region, window, fromOffset, toOffset, rows);
}

MapWindow AddressMap::draw(Region region, const Window& window, uint64_t fromOffset, uint64_t toOffset,
                           uint32_t rows) const {
  const AxisScale scale(device_.events, window.axis);
  const Placement placement(scale, window, fromOffset, toOffset, rows);
  Raster raster(window.columns, rows);
  const EventIndex start = scale.firstAtOrAfter(window.from) - 1;
  const EventIndex end = scale.firstAtOrAfter(window.to) - 1;
  const SegmentColumns& segments = device_.segments;
  const auto addSegment = [&](uint32_t row) {
    if (segments.region[row] != region || segments.birth[row] >= segments.death[row]) return;
    raster.add(placement.place(segments.birth[row], segments.death[row], offset_[row], segments.bytes[row],
                               kMappedChannel));
  };
  const BlockColumns& blocks = device_.blocks;
  const auto addBlock = [&](uint32_t row) {
    const uint32_t segment = blocks.segment[row];
    if (segment >= segments.count() || segments.region[segment] != region) return;
    if (blocks.birth[row] >= blocks.death[row]) return;
    const uint64_t offset = offset_[segment] + (blocks.address[row] - segments.address[segment]);
    if (offset >= toOffset || offset + blocks.bytes[row] <= fromOffset) return;
    raster.add(placement.place(blocks.birth[row], blocks.death[row], offset, blocks.bytes[row],
                               sites_.rankOfBlock(row)));
  };
  for (const uint32_t row : segments_.alive(start)) addSegment(row);
  segments_.forEachBorn(start, end, addSegment);
  for (const uint32_t row : blocks_.alive(start)) addBlock(row);
  blocks_.forEachBorn(start, end, addBlock);

  MapWindow result;
  const size_t cells = static_cast<size_t>(rows) * window.columns;
  result.mapped.reserve(cells);
  result.occupied.reserve(cells);
  result.site.reserve(cells);
  raster.forEachRow([&](uint32_t, const float* coverage) {
    for (uint32_t column = 0; column < window.columns; ++column, coverage += Raster::kChannels) {
      float occupied = 0, most = 1e-9f;
      uint16_t site = 0xffff;
      for (int channel = 0; channel < kMappedChannel; ++channel) {
        occupied += coverage[channel];
        if (coverage[channel] > most) most = coverage[channel], site = static_cast<uint16_t>(channel);
      }
      result.mapped.push_back(shareOf(coverage[kMappedChannel]));
      result.occupied.push_back(shareOf(occupied));
      result.site.push_back(site);
    }
  });
  return result;
}

size_t AddressMap::bytes() const {
  size_t bytes = offset_.capacity() * 8;
  for (const auto& ranges : ranges_) bytes += ranges.capacity() * sizeof(FoldedRange);
  return bytes;
}

}  // namespace strata
