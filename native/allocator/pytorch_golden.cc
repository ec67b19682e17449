#include "allocator/pytorch_golden.h"

#include <algorithm>

namespace strata {
namespace {

uint64_t stateNumber(BlockState state) {
  if (state == BlockState::Allocated) return 2;
  return state == BlockState::PendingFree ? 1 : 0;
}

}  // namespace

void GoldenPytorch::writeTotals(JsonLine& line, const Layout& layout, bool isEnd) const {
  const PytorchAllocator::Statistics& totals = allocator_.statistics();
  line.field("allocated", totals.allocated).field("allocated_peak", totals.allocatedPeak);
  line.field("reserved", totals.reserved).field("reserved_peak", totals.reservedPeak);
  line.field("active", totals.active).field("inactive_split", totals.inactiveSplit);
  line.field("requested", totals.requested).field("n_alloc", totals.allocations);
  line.field("n_segment", totals.segments).field("n_active", totals.activeBlocks);
  line.field("n_inactive_split", totals.inactiveSplitBlocks).field("retries", totals.retries);
  line.field("ooms", totals.outOfMemory).field("sync_all", totals.synchronizations);
  line.field("dev_alloc", totals.deviceAllocations).field("dev_free", totals.deviceFrees);
  line.field("oversize_alloc", totals.oversizeAllocations).field("oversize_seg", totals.oversizeSegments);
  line.field("dev_used", allocator_.device().used());
  if (hasPools_) {
    line.key("pools").openArray();
    for (const auto& [id, uses] : allocator_.privatePools())
      line.openArray().number(id).number(uses).closeArray();
    line.closeArray();
  }
  if (!isEnd) line.field("segments", layout.segments.size());
  uint64_t counts[3] = {};
  uint64_t largestFree = 0;
  for (const LayoutBlock& block : layout.blocks) {
    ++counts[stateNumber(block.state)];
    if (block.state == BlockState::Inactive) largestFree = std::max(largestFree, block.bytes);
  }
  line.key("blocks").openArray().number(counts[0]).number(counts[1]).number(counts[2]).closeArray();
  line.field("largest_free", largestFree);
}

uint64_t GoldenPytorch::hash(const Layout& layout) const {
  GoldenDigest digest;
  for (const LayoutSegment& segment : layout.segments) {
    digest.feed(goldenOffset(segment.address));
    digest.feed(segment.bytes);
    digest.feed(segment.stream);
    digest.feed(segment.isLarge ? 1 : 0);
    digest.feed(segment.isExpandable ? 1 : 0);
    if (hasPools_) digest.feed(segment.pool);
    for (uint32_t i = 0; i < segment.blockCount; ++i) {
      const LayoutBlock& block = layout.blocks[segment.firstBlock + i];
      digest.feed(block.bytes);
      digest.feed(block.requested);
      digest.feed(stateNumber(block.state));
    }
  }
  return digest.value();
}

void GoldenPytorch::writeState(JsonLine& line, const Layout& layout) const {
  line.key("segments").openArray();
  for (const LayoutSegment& segment : layout.segments) {
    line.open().key("off").signedNumber(static_cast<int64_t>(goldenOffset(segment.address)));
    line.field("size", segment.bytes).field("s", segment.stream);
    line.field("large", segment.isLarge ? 1 : 0).field("exp", segment.isExpandable ? 1 : 0);
    if (hasPools_) line.field("pool", segment.pool);
    line.key("blocks").openArray();
    for (uint32_t i = 0; i < segment.blockCount; ++i) {
      const LayoutBlock& block = layout.blocks[segment.firstBlock + i];
      line.openArray()
          .number(block.bytes)
          .number(block.requested)
          .number(stateNumber(block.state))
          .closeArray();
    }
    line.closeArray().close();
  }
  line.closeArray();
}

}  // namespace strata
