#include "allocator/golden_bfc.h"

#include <array>

namespace strata {
namespace {

struct Bin {
  uint64_t bytesInUse = 0, bytes = 0, chunksInUse = 0, chunks = 0;
};

void writeBins(JsonLine& line, const Layout& layout) {
  std::array<Bin, BfcAllocator::kBinCount> bins;
  for (const LayoutBlock& chunk : layout.blocks) {
    Bin& bin = bins[static_cast<size_t>(BfcAllocator::binOf(chunk.bytes))];
    const bool isUsed = chunk.state == BlockState::Allocated;
    bin.bytes += chunk.bytes;
    ++bin.chunks;
    if (isUsed) bin.bytesInUse += chunk.bytes;
    if (isUsed) ++bin.chunksInUse;
  }
  line.key("bins").openArray();
  for (size_t i = 0; i < bins.size(); ++i) {
    const Bin& bin = bins[i];
    line.openArray().number(i).number(bin.bytesInUse).number(bin.bytes);
    line.number(bin.chunksInUse).number(bin.chunks).closeArray();
  }
  line.closeArray();
}

}  // namespace

void GoldenBfc::writeTotals(JsonLine& line, const Layout&, bool isEnd) const {
  const BfcAllocator::Statistics& totals = allocator_.statistics();
  line.field("in_use", totals.inUse).field("peak", totals.peakInUse);
  line.field("pool", totals.pool).field("peak_pool", totals.peakPool);
  line.field("num_allocs", totals.allocations).field("largest_alloc", totals.largestAllocation);
  const uint64_t largest = allocator_.largestFree();
  const uint64_t free = totals.pool - totals.inUse;
  line.field("largest_free", largest).key("frag");
  if (free == 0)
    line.null();
  else
    line.real(static_cast<double>(free - largest) / static_cast<double>(free));
  if (isEnd) {
    line.field("next_region_bytes", allocator_.nextRegionBytes());
  } else {
    line.field("used_chunks", totals.usedChunks).field("free_chunks", allocator_.freeChunks());
    line.field("regions", allocator_.regionCount());
  }
  if (!hasTiming_) return;
  line.field("counter", allocator_.counter()).field("frontier", allocator_.safeFrontier());
  line.field("queue", allocator_.queueLength());
}

uint64_t GoldenBfc::hash(const Layout& layout) const {
  GoldenDigest digest;
  for (const LayoutSegment& region : layout.segments) {
    digest.feed(goldenOffset(region.address));
    digest.feed(region.bytes);
    for (uint32_t i = 0; i < region.blockCount; ++i) {
      const LayoutBlock& chunk = layout.blocks[region.firstBlock + i];
      digest.feed(goldenOffset(chunk.address));
      digest.feed(chunk.bytes);
      digest.feed(chunk.requested);
      digest.feed(chunk.state == BlockState::Allocated ? 1 : 0);
      if (hasTiming_) digest.feed(chunk.stamp);
    }
  }
  return digest.value();
}

void GoldenBfc::writeState(JsonLine& line, const Layout& layout) const {
  line.key("regions").openArray();
  for (const LayoutSegment& region : layout.segments)
    line.openArray()
        .signedNumber(static_cast<int64_t>(goldenOffset(region.address)))
        .number(region.bytes)
        .closeArray();
  line.closeArray();
  writeBins(line, layout);
  line.key("chunks").openArray();
  for (const LayoutBlock& chunk : layout.blocks) {
    const bool isUsed = chunk.state == BlockState::Allocated;
    line.openArray().signedNumber(static_cast<int64_t>(goldenOffset(chunk.address)));
    line.number(chunk.bytes).number(chunk.requested).signedNumber(chunk.ordinal);
    line.signedNumber(isUsed ? -1 : BfcAllocator::binOf(chunk.bytes));
    if (hasTiming_) line.number(chunk.stamp);
    line.closeArray();
  }
  line.closeArray();
}

}  // namespace strata
