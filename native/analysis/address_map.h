#pragma once

#include <vector>

#include "analysis/axis.h"
#include "analysis/checkpoints.h"
#include "analysis/index.h"
#include "analysis/raster.h"
#include "analysis/sites.h"

namespace strata {

/// The addresses of each region with the empty space folded away, and pictures of who held them over time.
/// A block is drawn in the region of its segment, at its segment's place.
class AddressMap {
 public:
  /// Everything passed must outlive it.
  AddressMap(const Device& device, const RankedSites& sites, const Checkpoints& blocks,
             const Checkpoints& segments);

  const std::vector<FoldedRange>& ranges(Region region) const { return ranges_[static_cast<int>(region)]; }
  MapWindow window(Region region, const Window& window, uint64_t fromOffset, uint64_t toOffset,
                   uint32_t rows) const;
  size_t bytes() const;

 private:
  void fold(Region region);
  MapWindow draw(Region region, const Window& window, uint64_t fromOffset, uint64_t toOffset,
                 uint32_t rows) const;

  const Device& device_;
  const RankedSites& sites_;
  const Checkpoints& blocks_;
  const Checkpoints& segments_;
  std::vector<FoldedRange> ranges_[kRegionCount];
  std::vector<uint64_t> offset_;  ///< [Segments row] place of its address on its region's folded axis
};

}  // namespace strata
