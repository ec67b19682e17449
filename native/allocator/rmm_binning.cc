#include "allocator/rmm_binning.h"

#include <algorithm>

#include "allocator/layout.h"
#include "allocator/rmm_pool.h"

namespace strata {

RmmBinning::RmmBinning(const std::vector<RmmFixedOptions>& bins, Allocator& upstream) : upstream_(upstream) {
  for (const RmmFixedOptions& options : bins) {
    const uint64_t bytes = (options.blockBytes + kRmmUnit - 1) & ~(kRmmUnit - 1);
    const auto isBelow = [](const Bin& bin, uint64_t value) { return bin.bytes < value; };
    const auto at = std::lower_bound(bins_.begin(), bins_.end(), bytes, isBelow);
    if (at != bins_.end() && at->bytes == bytes) continue;
    auto blocks = std::make_unique<RmmFixed>(options, upstream);
    startOrder_.push_back(blocks.get());
    bins_.insert(at, {bytes, std::move(blocks)});
  }
}

bool RmmBinning::start() {
  return std::all_of(startOrder_.begin(), startOrder_.end(), [](RmmFixed* bin) { return bin->start(); });
}

Placement RmmBinning::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  const auto isBelow = [](const Bin& bin, uint64_t value) { return bin.bytes < value; };
  const auto bin = std::lower_bound(bins_.begin(), bins_.end(), bytes, isBelow);
  Allocator* source = bin == bins_.end() ? &upstream_ : bin->blocks.get();
  decide(Decision::Step::Consider,
         bin == bins_.end() ? Decision::Reason::AboveThreshold : Decision::Reason::Fits, 0,
         bin == bins_.end() ? bytes : bin->bytes);
  Placement placement = source->allocate(bytes, stream);
  if (placement.outcome != Outcome::Placed) return placement;
  used_ += placement.bytes;
  peak_ = std::max(peak_, used_);
  placement.block = blocks_.add({source, placement.block, placement.bytes});
  return placement;
}

void RmmBinning::setDecisionSink(DecisionSink* sink) {
  Allocator::setDecisionSink(sink);
  for (const Bin& bin : bins_) bin.blocks->setDecisionSink(sink);
}

void RmmBinning::free(BlockHandle block) {
  const Block freed = blocks_[block];
  blocks_.remove(block);
  used_ -= freed.bytes;
  freed.source->free(freed.block);
}

Usage RmmBinning::usage() const {
  const Usage upstream = upstream_.usage();
  uint64_t largest = upstream.largestFree;
  for (const Bin& bin : bins_) largest = std::max(largest, bin.blocks->usage().largestFree);
  return {.allocated = used_,
          .active = used_,
          .reserved = upstream.reserved,
          .peakAllocated = peak_,
          .peakReserved = upstream.peakReserved,
          .largestFree = largest};
}

Layout RmmBinning::layout() const {
  std::vector<LayoutBlock> pieces;
  for (const Bin& bin : bins_) bin.blocks->appendBlocks(pieces);
  return subdivided(upstream_.layout(), std::move(pieces));
}

}  // namespace strata
