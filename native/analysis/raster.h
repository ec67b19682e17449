#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace strata {

/// Mixes rectangles into cells by area, each on one of a few channels.
///
/// A rectangle is a height (share of a row) times a length (share of a column). Along the columns only its
/// two ends are written, as differences that a running sum turns into coverage; along the rows it is added to
/// a standing line of differences in its second row and taken out in its last. So a rectangle costs the same
/// few additions whatever its size, and a row costs one pass over the columns:
///
///   row r     partial[]   what begins or ends in this row
///             standing[]  what covers this row from edge to edge
///             cells = running sum of (partial + standing), for all channels of a column side by side
class Raster {
 public:
  static constexpr int kChannels = 12;  ///< room for the ranked sites and the mapped bytes; a multiple of 4

  struct Rectangle {
    double fromColumn, toColumn;
    double fromRow, toRow;
    int channel;
  };

  Raster(uint32_t columns, uint32_t rows) : columns_(columns), rows_(rows) {}

  /// Adds what lies inside the picture; the rest is cut off.
  void add(Rectangle rectangle);

  /// Coverage of one row: [column * kChannels + channel], 0 to 1 (more where rectangles overlap).
  using Row = std::function<void(uint32_t row, const float* coverage)>;
  /// Calls take for every row from the first. Needs memory for three rows.
  void forEachRow(const Row& take) const;

 private:
  uint32_t columns_, rows_;
  std::vector<Rectangle> rectangles_;
};

}  // namespace strata
