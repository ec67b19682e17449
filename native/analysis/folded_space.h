#pragma once

#include <vector>

#include "analysis/index.h"

namespace strata {

/// The addresses that each region ever used, with the empty space between them folded away.
/// O(segments * log ranges), 8 bytes a segment.
class FoldedSpace {
 public:
  explicit FoldedSpace(const Device& device);

  const std::vector<FoldedRange>& ranges(Region region) const { return ranges_[static_cast<int>(region)]; }
  /// Where a segment came to lie on its region's folded axis.
  uint64_t offsetOf(uint32_t segment) const { return offset_[segment]; }
  /// The length of a region's axis.
  uint64_t heightOf(Region region) const;
  size_t bytes() const;

 private:
  void joinRanges(const SegmentColumns& segments);
  void place(const SegmentColumns& segments);

  std::vector<FoldedRange> ranges_[kRegionCount];
  std::vector<uint64_t> offset_;  ///< [Segments row]
};

}  // namespace strata
