#include "analysis/raster.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata {

namespace {

/// Lists of rectangles by row, one after another: row r has [starts[r], starts[r + 1]).
struct ByRow {
  std::vector<uint32_t> starts;
  std::vector<uint32_t> rectangles;

  template <typename RowOf>
  ByRow(size_t count, uint32_t rows, RowOf&& rowOf) : starts(rows + 1), rectangles() {
    for (size_t i = 0; i < count; ++i) {
      const uint32_t row = rowOf(i);
      if (row < rows) ++starts[row + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    rectangles.resize(starts.back());
    std::vector<uint32_t> next(starts.begin(), starts.end() - 1);
    for (size_t i = 0; i < count; ++i) {
      const uint32_t row = rowOf(i);
      if (row < rows) rectangles[next[row]++] = static_cast<uint32_t>(i);
    }
  }
};

uint32_t firstRow(const Raster::Rectangle& rectangle) { return static_cast<uint32_t>(rectangle.fromRow); }

/// The row its upper edge lies in; an edge on a border belongs to the row below it.
uint32_t lastRow(const Raster::Rectangle& rectangle) {
  const auto row = static_cast<uint32_t>(rectangle.toRow);
  return row == rectangle.toRow ? row - 1 : row;
}

/// One line of differences for all channels of each column, and one column more for what ends at the edge.
class Line {
 public:
  explicit Line(uint32_t columns) : columns_(columns), differences_((columns + 2) * Raster::kChannels) {}

  /// height: share of the row, negative to take out what was added.
  void add(const Raster::Rectangle& rectangle, double height) {
    const int64_t whole = std::llround(height * Raster::kOne);
    addEdge(rectangle.fromColumn, rectangle.channel, whole);
    addEdge(rectangle.toColumn, rectangle.channel, -whole);
  }
  const uint32_t* differences() const { return differences_.data(); }
  void clear() { std::fill(differences_.begin(), differences_.end(), 0u); }

 private:
  /// From this position on the height counts: in part in its own column, in full from the next.
  void addEdge(double position, int channel, int64_t height) {
    const uint32_t column = std::min(columns_, static_cast<uint32_t>(position));
    const int64_t behind = std::llround(static_cast<double>(height) * (position - column));
    uint32_t* at = &differences_[static_cast<size_t>(column) * Raster::kChannels + channel];
    at[0] += static_cast<uint32_t>(height - behind);
    at[Raster::kChannels] += static_cast<uint32_t>(behind);
  }

  uint32_t columns_;
  std::vector<uint32_t> differences_;
};

void sumAlong(uint32_t columns, const uint32_t* partial, const uint32_t* standing, uint32_t* coverage,
              uint8_t* isSame) {
  uint32_t sum[Raster::kChannels] = {};
  for (uint32_t column = 0; column < columns; ++column) {
    uint32_t changed = 0;
    for (int channel = 0; channel < Raster::kChannels; ++channel) {
      const uint32_t difference = partial[channel] + standing[channel];
      changed |= difference;
      sum[channel] += difference;
      coverage[channel] = sum[channel];
    }
    isSame[column] = changed == 0 && column > 0;
    partial += Raster::kChannels;
    standing += Raster::kChannels;
    coverage += Raster::kChannels;
  }
}

}  // namespace

void Raster::add(Rectangle rectangle) {
  rectangle.fromColumn = std::clamp(rectangle.fromColumn, 0.0, static_cast<double>(columns_));
  rectangle.toColumn = std::clamp(rectangle.toColumn, 0.0, static_cast<double>(columns_));
  rectangle.fromRow = std::clamp(rectangle.fromRow, 0.0, static_cast<double>(rows_));
  rectangle.toRow = std::clamp(rectangle.toRow, 0.0, static_cast<double>(rows_));
  if (rectangle.fromColumn >= rectangle.toColumn || rectangle.fromRow >= rectangle.toRow) return;
  rectangles_.push_back(rectangle);
}

void Raster::forEachRow(const Row& take) const {
  const ByRow begins(rectangles_.size(), rows_, [&](size_t i) { return firstRow(rectangles_[i]); });
  // Those of a single row are done where they begin; `rows_` keeps them out of this list.
  const ByRow ends(rectangles_.size(), rows_, [&](size_t i) {
    const uint32_t last = lastRow(rectangles_[i]);
    return last == firstRow(rectangles_[i]) ? rows_ : last;
  });
  Line partial(columns_), standing(columns_);
  std::vector<uint32_t> coverage(static_cast<size_t>(columns_) * kChannels);
  std::vector<uint8_t> isSame(columns_);
  std::vector<uint32_t> rising;
  for (uint32_t row = 0; row < rows_; ++row) {
    for (const uint32_t i : rising) standing.add(rectangles_[i], 1.0);
    rising.clear();
    partial.clear();
    for (uint32_t at = ends.starts[row]; at < ends.starts[row + 1]; ++at) {
      const Rectangle& rectangle = rectangles_[ends.rectangles[at]];
      standing.add(rectangle, -1.0);
      partial.add(rectangle, rectangle.toRow - row);
    }
    for (uint32_t at = begins.starts[row]; at < begins.starts[row + 1]; ++at) {
      const Rectangle& rectangle = rectangles_[begins.rectangles[at]];
      const bool isSingle = lastRow(rectangle) == row;
      partial.add(rectangle, (isSingle ? rectangle.toRow : row + 1.0) - rectangle.fromRow);
      if (!isSingle) rising.push_back(begins.rectangles[at]);
    }
    sumAlong(columns_, partial.differences(), standing.differences(), coverage.data(), isSame.data());
    take(row, coverage.data(), isSame.data());
  }
}

}  // namespace strata
