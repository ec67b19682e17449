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
///
/// Coverage is counted in whole parts of 2^-28, so that what was added is taken out without a trace.
class Raster {
 public:
  /// Room for the ranked sites and the mapped bytes; a multiple of 4, which keeps the sums in whole
  /// registers.
  static constexpr int kChannels = 12;
  static constexpr uint32_t kOne = 1u << 28;  ///< a cell covered in full

  struct Rectangle {
    double fromColumn, toColumn;
    double fromRow, toRow;
    int channel;
  };

  Raster(uint32_t columns, uint32_t rows) : columns_(columns), rows_(rows) {}

  /// Adds what lies inside the picture; the rest is cut off.
  void add(Rectangle rectangle);

  /// coverage: [column * kChannels + channel] in parts of kOne (more where rectangles overlap);
  /// isSame: [column] whether it equals the coverage of the column before it.
  using Row = std::function<void(uint32_t row, const uint32_t* coverage, const uint8_t* isSame)>;
  /// Calls take for every row from the first. Needs memory for three rows and two lists of rectangles.
  void forEachRow(const Row& take) const;

 private:
  uint32_t columns_, rows_;
  std::vector<Rectangle> rectangles_;
};

}  // namespace strata
