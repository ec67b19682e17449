#include "allocator/rmm_fixed.h"

#include <algorithm>

#include "allocator/layout.h"
#include "allocator/rmm_pool.h"

namespace strata {

RmmFixed::RmmFixed(const RmmFixedOptions& options, Allocator& upstream)
    : blockBytes_((options.blockBytes + kRmmUnit - 1) & ~(kRmmUnit - 1)),
      blocksPerBatch_(options.blocksPerBatch),
      upstream_(upstream) {}

bool RmmFixed::start() { return addBatch(positionOf(0), 0); }

Placement RmmFixed::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  const uint32_t position = positionOf(stream);
  if (bytes > blockBytes_) {
    decide(Decision::Step::Refuse, Decision::Reason::AboveThreshold, 0, bytes);
    return {};
  }
  decide(Decision::Step::Round, Decision::Reason::None, 0, blockBytes_);
  uint32_t found = takeFront(lists_[position]);
  for (uint32_t other = 0; found == kNoBlock && other < lists_.size(); ++other)
    found = takeFront(lists_[other]);
  if (found == kNoBlock && addBatch(position, stream)) found = takeFront(lists_[position]);
  if (found == kNoBlock) {
    decide(Decision::Step::Refuse, Decision::Reason::OutOfMemory, 0, blockBytes_);
    return {};
  }
  decide(Decision::Step::Take, Decision::Reason::Fits, blocks_[found].address, blockBytes_);
  blocks_[found].requested = bytes;
  blocks_[found].stream = position;
  used_ += blockBytes_;
  peak_ = std::max(peak_, used_);
  return {blocks_[found].address, blockBytes_, found, Outcome::Placed};
}

void RmmFixed::free(BlockHandle block) {
  used_ -= blockBytes_;
  blocks_[block].requested = 0;
  append(block, lists_[blocks_[block].stream]);
}

uint32_t RmmFixed::positionOf(uint32_t stream) {
  const uint32_t position = streams_.positionOf(stream);
  if (position == lists_.size()) lists_.emplace_back();
  return position;
}

bool RmmFixed::addBatch(uint32_t position, uint32_t stream) {
  const Placement placement = upstream_.allocate(blockBytes_ * blocksPerBatch_, stream);
  if (placement.outcome != Outcome::Placed) return false;
  for (uint64_t i = 0; i < blocksPerBatch_; ++i) {
    blocks_.push_back({.address = placement.address + i * blockBytes_});
    append(static_cast<uint32_t>(blocks_.size() - 1), lists_[position]);
  }
  return true;
}

void RmmFixed::append(uint32_t block, List& list) {
  blocks_[block].next = kNoBlock;
  (list.front == kNoBlock ? list.front : blocks_[list.back].next) = block;
  list.back = block;
}

uint32_t RmmFixed::takeFront(List& list) {
  const uint32_t block = list.front;
  if (block != kNoBlock) list.front = blocks_[block].next;
  return block;
}

Usage RmmFixed::usage() const {
  const bool hasFree =
      std::any_of(lists_.begin(), lists_.end(), [](const List& list) { return list.front != kNoBlock; });
  const Usage upstream = upstream_.usage();
  return {.allocated = used_,
          .active = used_,
          .reserved = upstream.reserved,
          .peakAllocated = peak_,
          .peakReserved = upstream.peakReserved,
          .largestFree = std::max(hasFree ? blockBytes_ : 0, upstream.largestFree)};
}

void RmmFixed::appendBlocks(std::vector<LayoutBlock>& blocks) const {
  for (const Block& block : blocks_)
    blocks.push_back({.address = block.address,
                      .bytes = blockBytes_,
                      .requested = block.requested,
                      .state = block.requested > 0 ? BlockState::Allocated : BlockState::Inactive});
}

Layout RmmFixed::layout() const {
  std::vector<LayoutBlock> pieces;
  appendBlocks(pieces);
  return subdivided(upstream_.layout(), std::move(pieces));
}

}  // namespace strata
