#include "analysis/folded_space.h"

#include "analysis/joined_ranges.h"
#include "trace/sorted_search.h"

namespace strata {

FoldedSpace::FoldedSpace(const Device& device) : offset_(device.segments.count()) {
  joinRanges(device.segments);
  place(device.segments);
}

/// Joins what the segments of each region ever covered.
void FoldedSpace::joinRanges(const SegmentColumns& segments) {
  JoinedRanges joined[kRegionCount];
  for (uint32_t row = 0; row < segments.count(); ++row) {
    joined[static_cast<int>(segments.region[row])].add(segments.address[row], segments.bytes[row]);
  }
  for (int region = 0; region < kRegionCount; ++region) {
    std::vector<FoldedRange>& ranges = ranges_[region];
    for (const auto& [from, to] : joined[region].take()) {
      const uint64_t offset = ranges.empty() ? 0 : ranges.back().offset + ranges.back().bytes;
      ranges.push_back({from, to - from, offset});
    }
    ranges.shrink_to_fit();
  }
}

void FoldedSpace::place(const SegmentColumns& segments) {
  const FoldedRange* last[kRegionCount] = {};  // neighbouring rows often lie in one range
  for (uint32_t row = 0; row < segments.count(); ++row) {
    if (segments.bytes[row] == 0) continue;
    const uint64_t address = segments.address[row];
    const auto region = static_cast<int>(segments.region[row]);
    const FoldedRange*& range = last[region];
    if (range == nullptr || address < range->address || address - range->address >= range->bytes) {
      const std::vector<FoldedRange>& ranges = ranges_[region];
      const size_t upTo = countBefore(ranges.data(), ranges.size(),
                                      [&](const FoldedRange& other) { return other.address <= address; });
      range = &ranges[upTo - 1];
    }
    offset_[row] = range->offset + (address - range->address);
  }
}

uint64_t FoldedSpace::heightOf(Region region) const {
  const auto& ranges = ranges_[static_cast<int>(region)];
  return ranges.empty() ? 0 : ranges.back().offset + ranges.back().bytes;
}

size_t FoldedSpace::bytes() const {
  size_t bytes = offset_.capacity() * sizeof(uint64_t);
  for (const auto& ranges : ranges_) bytes += ranges.capacity() * sizeof(FoldedRange);
  return bytes;
}

}  // namespace strata
