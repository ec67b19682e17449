#include "allocator/golden_rmm.h"

#include <algorithm>

namespace strata {

void GoldenRmm::writeTotals(JsonLine& line, const Layout& layout, bool) const {
  const Usage usage = allocator_.usage();
  const auto isLive = [](const LayoutBlock& block) { return block.state == BlockState::Allocated; };
  const auto live = std::count_if(layout.blocks.begin(), layout.blocks.end(), isLive);
  line.field("in_use", usage.allocated).field("peak", usage.peakAllocated);
  line.field("upstream", usage.reserved).field("live", static_cast<uint64_t>(live));
}

uint64_t GoldenRmm::hash(const Layout& layout) const {
  GoldenDigest digest;
  for (const LayoutBlock& block : layout.blocks) {
    if (block.state != BlockState::Allocated) continue;
    digest.feed(goldenOffset(block.address));
    digest.feed(block.bytes);
  }
  return digest.value();
}

void GoldenRmm::writeState(JsonLine& line, const Layout& layout) const {
  const auto write = [&](uint64_t address, uint64_t bytes) {
    line.openArray().signedNumber(static_cast<int64_t>(goldenOffset(address))).number(bytes).closeArray();
  };
  line.key("regions").openArray();
  for (const LayoutSegment& region : layout.segments) write(region.address, region.bytes);
  line.closeArray().key("blocks").openArray();
  for (const LayoutBlock& block : layout.blocks)
    if (block.state == BlockState::Allocated) write(block.address, block.bytes);
  line.closeArray();
}

}  // namespace strata
