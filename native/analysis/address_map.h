#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "analysis/axis.h"
#include "analysis/checkpoints.h"
#include "analysis/folded_space.h"
#include "analysis/index.h"
#include "analysis/map_grid.h"
#include "analysis/raster.h"
#include "analysis/sites.h"

namespace strata {

/// Pictures of who held the folded addresses of each region over time.
/// A block is drawn in the region of its segment, at its segment's place.
///
///   few blocks in the window   every rectangle of it, mixed by area (exact to the rounding of a byte)
///   more                       the region's grid (map_grid.h), made when first needed, one for each axis
class AddressMap {
 public:
  /// Everything passed must outlive it.
  AddressMap(const Device& device, const FoldedSpace& space, const RankedSites& sites,
             const Checkpoints& blocks, const Checkpoints& segments)
      : device_(device), space_(space), sites_(sites), blocks_(blocks), segments_(segments) {}

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

  bool isDrawnDirectly(Region region, size_t born, uint64_t fromOffset, uint64_t toOffset,
                       uint32_t rows) const;
  template <typename ColumnOf>
  void addRectangles(const Picture& picture, ColumnOf&& columnOf, Raster& raster) const;
  const MapGrid& gridOf(Region region, Axis axis) const;

  const Device& device_;
  const FoldedSpace& space_;
  const RankedSites& sites_;
  const Checkpoints& blocks_;
  const Checkpoints& segments_;
  mutable LazyGrid grids_[kRegionCount][2];
};

}  // namespace strata
