#include "analysis/map_grid.h"

#include <algorithm>

#include "analysis/sites.h"

namespace strata {

namespace {

constexpr EventIndex kGrain = 512;
constexpr uint32_t kFanout = 4;

}  // namespace

uint8_t shareOf(uint64_t coverage) {
  return static_cast<uint8_t>((std::min<uint64_t>(coverage, Raster::kOne) * 255 + Raster::kOne / 2) /
                              Raster::kOne);
}

MixedCell mix(const uint32_t* coverage, int siteCount, int mappedChannel) {
  MixedCell cell;
  uint64_t occupied = 0;
  uint32_t most = 0;
  for (int site = 0; site < siteCount; ++site) {
    occupied += coverage[site];
    if (coverage[site] > most) most = coverage[site], cell.site = static_cast<uint8_t>(site);
  }
  cell.hasSite = most > 0;
  cell.occupied = shareOf(occupied);
  cell.siteShare = shareOf(most);
  cell.mapped = shareOf(coverage[mappedChannel]);
  return cell;
}

MapGrid::MapGrid(const AxisScale& scale) : scale_(scale) {
  const EventIndex count = scale.count();
  for (int64_t event = 0; event < count; event += kGrain) {
    edges_.push_back(scale.position(static_cast<EventIndex>(event)));
  }
  if (count > 0) edges_.push_back(scale.isTime() ? scale.position(count - 1) : static_cast<double>(count));
}

double MapGrid::columnOf(EventIndex event) const {
  if (event < 0) return 0;
  if (event >= scale_.count()) return columnCount();
  const EventIndex column = event / kGrain;
  const double left = edges_[column], right = edges_[column + 1];
  const double share = right > left ? (scale_.position(event) - left) / (right - left)
                                    : static_cast<double>(event % kGrain) / kGrain;
  return 1.0 + column + share;
}

void MapGrid::fill(const Raster& raster, int siteCount, int mappedChannel) {
  Level level;
  level.edges = edges_;
  level.length.assign(columnCount(), 0);
  for (size_t i = 0; i + 1 < edges_.size(); ++i) {
    level.length[i + 1] = static_cast<float>(edges_[i + 1] - edges_[i]);
  }
  level.cells.reserve(static_cast<size_t>(columnCount()) * kRows);
  raster.forEachRow([&](uint32_t, const uint32_t* coverage, const uint8_t* isSame) {
    for (uint32_t column = 0; column < columnCount(); ++column, coverage += Raster::kChannels) {
      if (isSame[column]) {
        level.cells.push_back(level.cells.back());
        continue;
      }
      const MixedCell cell = mix(coverage, siteCount, mappedChannel);
      level.cells.push_back({cell.occupied, cell.mapped, cell.site, cell.siteShare});
    }
  });
  levels_.push_back(std::move(level));
  while (levels_.back().length.size() > 64) levels_.push_back(coarser(levels_.back()));
}

namespace {

/// Sums grid cells into one, by weight. The first site is kept on the way, as sums only grow.
template <typename Cell>
class Mean {
 public:
  void add(const Cell& cell, float weight) {
    weight_ += weight;
    occupied_ += weight * cell.occupied;
    mapped_ += weight * cell.mapped;
    if (cell.siteShare == 0 && cell.occupied == 0) return;
    float& sum = ofSite_[cell.site];
    sum += weight * std::max<uint8_t>(cell.siteShare, 1);
    if (sum > most_) most_ = sum, site_ = cell.site;
  }
  bool hasSite() const { return most_ > 0; }
  Cell cell() const {
    const float scale = weight_ > 0 ? 1 / weight_ : 0;
    return {rounded(occupied_ * scale), rounded(mapped_ * scale), site_, rounded(most_ * scale)};
  }

 private:
  static uint8_t rounded(float share) { return static_cast<uint8_t>(std::min(share + 0.5f, 255.0f)); }

  float weight_ = 0, occupied_ = 0, mapped_ = 0, most_ = 0;
  uint8_t site_ = 0;
  float ofSite_[RankedSites::kMost] = {};
};

}  // namespace

MapGrid::Level MapGrid::coarser(const Level& level) const {
  const auto inner = static_cast<uint32_t>(level.length.size() - 2);
  const uint32_t coarse = (inner + kFanout - 1) / kFanout;
  Level result;
  result.length.assign(coarse + 2, 0);
  for (uint32_t i = 0; i < inner; ++i) result.length[1 + i / kFanout] += level.length[1 + i];
  for (uint32_t i = 0; i < coarse; ++i) result.edges.push_back(level.edges[i * kFanout]);
  result.edges.push_back(level.edges.back());
  result.cells.reserve(static_cast<size_t>(coarse + 2) * kRows);
  for (uint32_t row = 0; row < kRows; ++row) {
    const Cell* cells = &level.cells[static_cast<size_t>(row) * level.length.size()];
    result.cells.push_back(cells[0]);
    for (uint32_t i = 0; i < coarse; ++i) {
      Mean<Cell> mean;
      const uint32_t end = std::min(inner, (i + 1) * kFanout);
      const bool isInstant = result.length[1 + i] == 0;
      for (uint32_t j = i * kFanout; j < end; ++j)
        mean.add(cells[1 + j], isInstant ? 1 : level.length[1 + j]);
      result.cells.push_back(mean.cell());
    }
    result.cells.push_back(cells[inner + 1]);
  }
  return result;
}

/// The coarsest level that still has a column for each of the window's.
const MapGrid::Level& MapGrid::levelFor(const Window& window) const {
  size_t best = 0;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const auto& edges = levels_[i].edges;
    const auto inside = std::lower_bound(edges.begin(), edges.end(), window.to) -
                        std::lower_bound(edges.begin(), edges.end(), window.from);
    if (inside >= window.columns) best = i;
  }
  return levels_[best];
}

std::vector<MapGrid::Span> MapGrid::spansOf(const Level& level, const Window& window) {
  const auto& edges = level.edges;
  const auto columnAt = [&](double position) {
    return static_cast<uint32_t>(std::upper_bound(edges.begin(), edges.end(), position) - edges.begin());
  };
  /// The first column whose middle is at or behind a position.
  const auto firstBehind = [&](double position) {
    uint32_t column = columnAt(position);
    if (column == 0 || column >= edges.size()) return std::max(column, 1u);
    return (edges[column - 1] + edges[column]) / 2 < position ? column + 1 : column;
  };
  std::vector<Span> spans;
  const double width = (window.to - window.from) / window.columns;
  for (uint32_t i = 0; i < window.columns; ++i) {
    const double left = window.from + width * i, right = window.from + width * (i + 1.0);
    const auto end = static_cast<uint32_t>(edges.size());
    Span span = {std::min(firstBehind(left), end), std::min(firstBehind(right), end)};
    if (span.from >= span.to) {
      span.from = columnAt((left + right) / 2);
      span.to = span.from + 1;
    }
    spans.push_back(span);
  }
  return spans;
}

void MapGrid::draw(const Window& window, double fromRow, double toRow, uint32_t rows,
                   MapWindow& result) const {
  const Level& level = levelFor(window);
  const std::vector<Span> spans = spansOf(level, window);
  const double height = (toRow - fromRow) / rows;
  const auto rowBehind = [&](double row) {
    return static_cast<uint32_t>(std::clamp(row + 0.5, 0.0, static_cast<double>(kRows)));
  };
  size_t at = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    const double low = fromRow + height * row, high = fromRow + height * (row + 1.0);
    uint32_t first = rowBehind(low), end = rowBehind(high);
    if (low >= kRows) {
      at += window.columns;  // above the last address ever used
      continue;
    }
    if (first >= end) {
      first = std::min(kRows - 1, static_cast<uint32_t>((low + high) / 2));
      end = first + 1;
    }
    for (const Span& span : spans) {
      Mean<Cell> mean;
      for (uint32_t gridRow = first; gridRow < end; ++gridRow) {
        const Cell* cells = &level.cells[static_cast<size_t>(gridRow) * level.length.size()];
        const bool isSingle = span.to - span.from == 1;
        for (uint32_t column = span.from; column < span.to; ++column) {
          mean.add(cells[column], isSingle ? 1 : level.length[column]);
        }
      }
      const Cell cell = mean.cell();
      result.occupied[at] = cell.occupied;
      result.mapped[at] = cell.mapped;
      if (mean.hasSite()) result.site[at] = cell.site;
      ++at;
    }
  }
}

size_t MapGrid::bytes() const {
  size_t bytes = edges_.capacity() * sizeof(double);
  for (const Level& level : levels_) {
    bytes += level.length.capacity() * sizeof(float) + level.edges.capacity() * sizeof(double) +
             level.cells.capacity() * sizeof(Cell);
  }
  return bytes;
}

}  // namespace strata
