#pragma once

#include <cstdint>
#include <vector>

#include "analysis/axis.h"
#include "analysis/index.h"
#include "analysis/raster.h"

namespace strata {

/// A region's whole map in cells of a fixed grain, for windows with more blocks than can be drawn one by one.
///
///   rows      512 over the folded addresses
///   columns   one before the first event, one for every 512 events, one behind the last
///   levels    the columns of 512 events, then of 4 times as many each
///
/// A column is mixed by time or by events, as the axis has it. A cell of a window is the mean of the grid's
/// cells whose middle lies in it, weighed by their length (the one around its own middle when there is none),
/// so its edges are off by up to half a grid cell. Its site is the one that holds most when each grid cell
/// stands for its own first site only: a site that is second everywhere is not seen. 4 bytes a cell, about 5
/// bytes an event.
class MapGrid {
 public:
  static constexpr uint32_t kRows = 512;

  explicit MapGrid(const AxisScale& scale);

  /// Where a moment lies among the columns of level 0; kNever and what is behind the last event at the very
  /// end.
  double columnOf(EventIndex event) const;
  uint32_t columnCount() const { return static_cast<uint32_t>(edges_.size()) + 1; }

  /// Takes the cells of a raster of columnCount() by kRows, and makes the levels.
  void fill(const Raster& raster, int siteCount, int mappedChannel);

  /// Draws a window over rows of the whole height's [fromRow, toRow).
  void draw(const Window& window, double fromRow, double toRow, uint32_t rows, MapWindow& result) const;
  size_t bytes() const;

 private:
  struct Cell {
    uint8_t occupied, mapped, site, siteShare;
  };
  struct Level {
    std::vector<float> length;  ///< [column] on the axis; 0 for the two endless ones
    std::vector<double> edges;  ///< [column - 1] left edge, from the second column on
    std::vector<Cell> cells;    ///< [row][column]
  };
  struct Span {
    uint32_t from, to;
  };

  Level coarser(const Level& level) const;
  const Level& levelFor(const Window& window) const;
  static std::vector<Span> spansOf(const Level& level, const Window& window);

  AxisScale scale_;
  std::vector<double> edges_;
  std::vector<Level> levels_;
};

/// A share of a cell, 0 to 255, from the parts of a raster.
uint8_t shareOf(uint64_t coverage);

/// The cells of one row of a raster as they are drawn.
struct MixedCell {
  uint8_t occupied = 0, mapped = 0, siteShare = 0;
  uint8_t site = 0;
  bool hasSite = false;
};
MixedCell mix(const uint32_t* coverage, int siteCount, int mappedChannel);

}  // namespace strata
