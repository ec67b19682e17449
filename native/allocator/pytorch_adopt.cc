#include "allocator/pytorch_allocator.h"

/// Starting from a recorded state.
namespace strata {

using pytorch::BlockUse;

std::vector<BlockHandle> PytorchAllocator::adopt(const Layout& start,
                                                 const std::vector<uint64_t>& rangeBase) {
  std::vector<BlockHandle> handles;
  for (size_t at = 0; at < start.segments.size(); ++at) {
    const LayoutSegment& segment = start.segments[at];
    const uint64_t granule = pytorch::granuleOf(segment.isLarge, heap_.config());
    const uint64_t pieces = segment.isExpandable ? segment.bytes / granule : 1;
    const PoolId pool = adoptPool(segment.pool, segment.isLarge, pieces);
    const auto stream = static_cast<StreamRank>(segment.stream);
    BlockId free = segment.isExpandable ? adoptRun(segment, rangeBase[at], pool)
                                        : heap_.addSegment(segment.address, segment.bytes, pool, stream);
    reserve(segment.bytes);
    if (!segment.isExpandable) ++statistics_.segments;
    for (uint32_t i = 0; i < segment.blockCount; ++i) {
      const LayoutBlock& block = start.blocks[segment.firstBlock + i];
      if (block.state != BlockState::Inactive) handles.push_back(adoptBlock(free, block));
    }
    countSplits(heap_.block(free).segment);
  }
  return handles;
}

/// The pool of a segment; a private one is in use once, and counts what it holds.
PytorchAllocator::PoolId PytorchAllocator::adoptPool(uint64_t id, bool isLarge, uint64_t pieces) {
  if (id == 0) return isLarge ? 1 : 0;
  const auto found = privatePools_.find(id);
  PrivatePool& pool = found == privatePools_.end() ? addPrivatePool(id) : found->second;
  pool.segmentCount += pieces;
  return isLarge ? pool.large : pool.small;
}

/// Maps a run of a range, which is reserved when this is its first.
PytorchAllocator::BlockId PytorchAllocator::adoptRun(const LayoutSegment& run, uint64_t base, PoolId pool) {
  const auto stream = static_cast<StreamRank>(run.stream);
  pytorch::SegmentId range = heap_.segmentAtOrBelow(base);
  if (range == kNone || heap_.segment(range).address != base) {
    const uint64_t granule = heap_.pool(pool).granule;
    const uint64_t bytes = pytorch::roundUp(device_.capacity() + device_.capacity() / 8, granule);
    range = heap_.block(heap_.addRange(base, bytes, pool, stream)).segment;
  }
  BlockId unmapped = heap_.unmappedAt(range, run.address);
  if (heap_.block(unmapped).address < run.address) unmapped = heap_.splitUnmapped(unmapped, run.address);
  return heap_.map(unmapped, run.bytes);
}

/// `free` goes on to be what is free behind the block.
BlockHandle PytorchAllocator::adoptBlock(BlockId free, const LayoutBlock& block) {
  const BlockId taken = heap_.takeExactly(free, block.address, block.bytes);
  useOf(taken) = {block.requested, 0, kNone};
  ++statistics_.allocations;
  ++statistics_.activeBlocks;
  statistics_.allocated += block.bytes;
  statistics_.allocatedPeak = std::max(statistics_.allocatedPeak, statistics_.allocated);
  statistics_.active += block.bytes;
  statistics_.requested += block.requested;
  if (block.bytes >= heap_.config().maxSplitSize) ++statistics_.oversizeAllocations;
  return taken;
}

void PytorchAllocator::countSplits(pytorch::SegmentId segment) {
  if (heap_.segment(segment).isExpandable) return;
  for (BlockId at = heap_.segment(segment).firstBlock; at != kNone; at = heap_.block(at).next) {
    const auto& block = heap_.block(at);
    if (block.use != BlockUse::Free || (block.previous == kNone && block.next == kNone)) continue;
    ++statistics_.inactiveSplitBlocks;
    statistics_.inactiveSplit += block.bytes;
  }
}

}  // namespace strata
