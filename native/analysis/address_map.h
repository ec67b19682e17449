#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "analysis/axis.h"
#include "analysis/checkpoints.h"
#include "analysis/index.h"
#include "analysis/map_grid.h"
#include "analysis/raster.h"
#include "analysis/sites.h"

namespace strata {

/// The addresses of each region with the empty space folded away, and pictures of who held them over time.
/// A block is drawn in the region of its segment, at its segment's place.
///
///   few blocks in the window   every rectangle of it, mixed by area (exact to the rounding of a byte)
///   more                       the region's grid (map_grid.h), made when first needed, one for each axis
class AddressMap {
 public:
  /// Everything passed must outlive it.
  AddressMap(const Device& device, const RankedSites& sites, const Checkpoints& blocks,
             const Checkpoints& segments);

  const std::vector<FoldedRange>& ranges(Region region) const { return ranges_[static_cast<int>(region)]; }
  MapWindow window(Region region, const Window& window, uint64_t fromOffset, uint64_t toOffset,
                   uint32_t rows) const;
  /// Grows when a grid is made.
  size_t bytes() const;

 private:
  struct Picture;
  struct LazyGrid {
    std::once_flag made;
    std::atomic<const MapGrid*> grid = nullptr;
    std::unique_ptr<const MapGrid> owner;
  };

  void fold(Region region);
  uint64_t heightOf(Region region) const;
  bool isDrawnDirectly(Region region, size_t born, uint64_t fromOffset, uint64_t toOffset,
                       uint32_t rows) const;
  template <typename ColumnOf>
  void addRectangles(const Picture& picture, ColumnOf&& columnOf, Raster& raster) const;
  const MapGrid& gridOf(Region region, Axis axis) const;

  const Device& device_;
  const RankedSites& sites_;
  const Checkpoints& blocks_;
  const Checkpoints& segments_;
  std::vector<FoldedRange> ranges_[kRegionCount];
  std::vector<uint64_t> offset_;  ///< [Segments row] place of its address on its region's folded axis
  mutable LazyGrid grids_[kRegionCount][2];
};

}  // namespace strata
