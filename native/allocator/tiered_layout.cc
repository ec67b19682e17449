#include <algorithm>

#include "allocator/tiered.h"

namespace strata {
namespace {

BlockState stateOf(bool isWaiting) { return isWaiting ? BlockState::PendingFree : BlockState::Allocated; }

}  // namespace

void TieredAllocator::appendSlabs(Layout& layout) const {
  slabs_.forEachSlab([&](const SlabTier::Slab& slab, std::vector<LayoutBlock> blocks) {
    layout.segments.push_back({.address = memory_.address(slab.offset),
                               .bytes = options_.pageBytes,
                               .firstBlock = static_cast<uint32_t>(layout.blocks.size()),
                               .blockCount = static_cast<uint32_t>(blocks.size()),
                               .stream = slab.stream,
                               .region = Region::Immediate,
                               .isLarge = false});
    for (LayoutBlock& block : blocks) {
      block.address = memory_.address(block.address);
      layout.blocks.push_back(block);
    }
  });
}

/// Blocks and held holes that touch are one segment: slabs, pages of ranges and pages that are not held end
/// it.
void TieredAllocator::appendPool(Layout& layout) const {
  std::vector<LayoutBlock> blocks;
  for (const PagedMemory::Piece& hole : memory_.heldPieces())
    blocks.push_back({.address = memory_.address(hole.offset), .bytes = hole.bytes});
  for (uint32_t row = 0; row < poolRows_; ++row) {
    const PoolBlock& block = pool_[row];
    if (!block.isLive) continue;
    blocks.push_back({.address = memory_.address(block.piece.offset),
                      .bytes = block.piece.bytes,
                      .requested = block.isWaiting ? 0 : block.requested,
                      .state = stateOf(block.isWaiting)});
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const LayoutBlock& a, const LayoutBlock& b) { return a.address < b.address; });
  uint64_t end = 0;
  for (const LayoutBlock& block : blocks) {
    if (block.address != end || layout.segments.empty())
      layout.segments.push_back(
          {.address = block.address, .firstBlock = static_cast<uint32_t>(layout.blocks.size())});
    end = block.address + block.bytes;
    layout.segments.back().bytes += block.bytes;
    ++layout.segments.back().blockCount;
    layout.blocks.push_back(block);
  }
}

void TieredAllocator::appendRanges(Layout& layout) const {
  for (uint32_t row = 0; row < rangeRows_; ++row) {
    const VirtualBlock& block = ranges_[row];
    if (!block.isLive) continue;
    layout.segments.push_back({.address = block.address,
                               .bytes = block.bytes,
                               .firstBlock = static_cast<uint32_t>(layout.blocks.size()),
                               .blockCount = 1,
                               .stream = block.stream,
                               .region = Region::Virtual,
                               .isExpandable = true});
    layout.blocks.push_back({.address = block.address,
                             .bytes = block.bytes,
                             .requested = block.isWaiting ? 0 : block.requested,
                             .state = stateOf(block.isWaiting)});
  }
}

Layout TieredAllocator::layout() const {
  Layout layout;
  appendPool(layout);
  appendSlabs(layout);
  appendRanges(layout);
  std::sort(layout.segments.begin(), layout.segments.end(),
            [](const LayoutSegment& a, const LayoutSegment& b) { return a.address < b.address; });
  return layout;
}

std::vector<TieredAllocator::PageUse> TieredAllocator::pageUses() const {
  using By = PageUse::By;
  std::vector<PageUse> uses;
  slabs_.forEachSlab([&](const SlabTier::Slab& slab, const std::vector<LayoutBlock>&) {
    uses.push_back({.pages = {slab.offset / options_.pageBytes, 1}, .by = By::Immediate});
  });
  for (uint32_t row = 0; row < rangeRows_; ++row) {
    uint64_t address = ranges_[row].address;
    for (const PageRun& run : ranges_[row].runs) {
      uses.push_back({.pages = run, .by = By::Virtual, .address = address});
      address += run.count * options_.pageBytes;
    }
  }
  for (uint32_t row = 0; row < poolRows_; ++row) {
    const PagedMemory::Piece& piece = pool_[row].piece;
    if (!pool_[row].isLive) continue;
    const uint64_t first = piece.offset / options_.pageBytes;
    const uint64_t last = (piece.offset + piece.bytes - 1) / options_.pageBytes;
    uses.push_back({.pages = {first, last - first + 1}, .by = By::Pooled});
  }
  std::sort(uses.begin(), uses.end(), [](const PageUse& a, const PageUse& b) {
    return a.pages.first < b.pages.first || (a.pages.first == b.pages.first && a.pages.count < b.pages.count);
  });

  std::vector<PageUse> all;
  uint64_t next = 0;
  const auto fill = [&](uint64_t end) {
    memory_.forEachPart({next, end - next}, [&](const PageRun& run, bool isHeld) {
      all.push_back({.pages = run, .by = isHeld ? By::Nobody : By::NotHeld});
    });
    next = end;
  };
  for (PageUse use : uses) {
    const uint64_t end = use.pages.first + use.pages.count;
    if (use.pages.first > next) fill(use.pages.first);
    // Neighbours in the pool may share a page.
    if (end <= next) continue;
    use.pages = {next, end - next};
    all.push_back(use);
    next = end;
  }
  if (next < memory_.totalPages()) fill(memory_.totalPages());
  if (!all.empty() && all.back().by == By::NotHeld) all.pop_back();
  return all;
}

}  // namespace strata
