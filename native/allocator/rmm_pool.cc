#include "allocator/rmm_pool.h"

#include <algorithm>

#include "allocator/candidates.h"
#include "allocator/layout.h"

namespace strata {

using Step = Decision::Step;
using Reason = Decision::Reason;
namespace {

uint64_t roundUp(uint64_t bytes) { return (bytes + kRmmUnit - 1) & ~(kRmmUnit - 1); }

}  // namespace

bool RmmPool::start() {
  if (options_.initialBytes == 0) return true;
  const uint32_t list = listOf(0);
  const uint32_t block = addUpstreamBlock(options_.initialBytes, 0);
  if (block == kNoBlock) return false;
  insertFree(block, list);
  return true;
}

Placement RmmPool::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  const uint32_t list = listOf(stream);
  if (bytes > kLargestRequest) return {};
  const uint32_t position = streams_.positionOf(stream);
  const uint64_t rounded = roundUp(bytes);
  decide(Step::Round, Reason::None, 0, rounded);
  if (decisions_) considerBySize(layout(), rounded, *decisions_);
  uint32_t found = takeBestFit(list, rounded);
  if (found == kNoBlock) found = takeFromOthers(position, rounded);
  if (found == kNoBlock) found = takeByMerging(position, rounded);
  if (found == kNoBlock) found = grow(listOfStream_[position], rounded, stream);
  if (found == kNoBlock) {
    decide(Step::Refuse, Reason::OutOfMemory, 0, rounded);
    return {};
  }
  decide(Step::Take, Reason::Fits, blocks_[found].address, rounded);

  Block& block = blocks_[found];
  block.requested = bytes;
  block.stream = position;
  used_ += rounded;
  peak_ = std::max(peak_, used_);
  return {block.address, rounded, found, Outcome::Placed};
}

void RmmPool::free(BlockHandle block) {
  used_ -= blocks_[block].bytes;
  blocks_[block].requested = 0;
  insertFree(block, listOfStream_[blocks_[block].stream]);
}

uint32_t RmmPool::listOf(uint32_t stream) {
  const uint32_t position = streams_.positionOf(stream);
  if (position == listOfStream_.size()) {
    listOfStream_.push_back(static_cast<uint32_t>(lists_.size()));
    lists_.emplace_back();
  }
  return listOfStream_[position];
}

uint32_t RmmPool::takeBestFit(uint32_t list, uint64_t bytes) {
  BestFitIndex::Cursor cursor;
  if (!lists_[list].bestFit(bytes, cursor)) return kNoBlock;
  const uint32_t block = lists_[list].blockAt(cursor);
  lists_[list].eraseAt(cursor);
  return cut(block, bytes, list);
}

uint32_t RmmPool::takeFromOthers(uint32_t stream, uint64_t bytes) {
  for (uint32_t other = 0; other < listOfStream_.size(); ++other) {
    if (other == stream) continue;
    const uint32_t found = takeBestFit(listOfStream_[other], bytes);
    if (found == kNoBlock) continue;
    decide(Step::Consider, Reason::OtherStream, blocks_[found].address, blocks_[found].bytes);
    return found;
  }
  return kNoBlock;
}

uint32_t RmmPool::takeByMerging(uint32_t stream, uint64_t bytes) {
  for (uint32_t other = 0; other < listOfStream_.size(); ++other) {
    if (other == stream || lists_[listOfStream_[other]].isEmpty()) continue;
    const uint32_t merged = mergeLists(listOfStream_[stream], listOfStream_[other]);
    if (merged != listOfStream_[stream]) std::swap(listOfStream_[stream], listOfStream_[other]);
    const uint32_t found = takeBestFit(merged, bytes);
    if (found != kNoBlock) return found;
  }
  return kNoBlock;
}

/// Moves the smaller list into the larger one and answers that one; the other is empty afterwards. The
/// outcome does not depend on the direction: within a list all neighbours are merged.
uint32_t RmmPool::mergeLists(uint32_t list, uint32_t other) {
  if (lists_[list].size() < lists_[other].size()) std::swap(list, other);
  std::vector<uint32_t> moving;
  moving.reserve(lists_[other].size());
  lists_[other].forEach([&](uint32_t block) { moving.push_back(block); });
  lists_[other].clear();
  // Taken out of their list first, so that none merges with one that is still to move.
  for (const uint32_t block : moving) blocks_[block].isFree = false;
  for (const uint32_t block : moving) insertFree(block, list);
  return list;
}

uint64_t RmmPool::bytesToGrow(uint64_t bytes) const {
  if (!options_.maximumBytes) return std::max(bytes, poolBytes_);
  const uint64_t left = roundUp(*options_.maximumBytes - std::min(poolBytes_, *options_.maximumBytes));
  return bytes <= left ? std::max(bytes, left / 2) : 0;
}

uint32_t RmmPool::grow(uint32_t list, uint64_t bytes, uint32_t stream) {
  uint64_t attempt = bytesToGrow(bytes);
  if (attempt < bytes) decide(Step::Grow, Reason::LimitReached, 0, bytes);
  while (attempt >= bytes) {
    const uint32_t block = addUpstreamBlock(attempt, stream);
    if (block != kNoBlock) return cut(block, bytes, list);
    if (attempt == bytes) break;
    attempt = std::max(bytes, attempt / 2);
  }
  return kNoBlock;
}

uint32_t RmmPool::addUpstreamBlock(uint64_t bytes, uint32_t stream) {
  const Placement placement = upstream_.allocate(bytes, stream);
  const bool isPlaced = placement.outcome == Outcome::Placed;
  decide(Step::Grow, isPlaced ? Reason::None : Reason::DeviceRefused, placement.address, bytes);
  if (!isPlaced) return kNoBlock;
  poolBytes_ += bytes;
  const uint32_t block = blocks_.add({.address = placement.address, .bytes = bytes});
  firstBlocks_.push_back(block);
  return block;
}

/// Splits what is more than `bytes` off a block that is in no list; the rest goes to `list`.
uint32_t RmmPool::cut(uint32_t block, uint64_t bytes, uint32_t list) {
  blocks_[block].isFree = false;
  if (blocks_[block].bytes == bytes) return block;
  const uint32_t rest = blocks_.add({});
  Block& low = blocks_[block];
  Block& high = blocks_[rest];
  high = {.address = low.address + bytes,
          .bytes = low.bytes - bytes,
          .previous = block,
          .next = low.next,
          .list = list,
          .isFree = true};
  low.bytes = bytes;
  low.next = rest;
  decide(Step::Split, Reason::None, high.address, high.bytes);
  if (high.next != kNoBlock) blocks_[high.next].previous = rest;
  lists_[list].insert(high.bytes, high.address, rest);
  return block;
}

/// Puts a block into a list, merged with its neighbours in that list.
void RmmPool::insertFree(uint32_t block, uint32_t list) {
  const auto joins = [&](uint32_t neighbour) {
    return neighbour != kNoBlock && blocks_[neighbour].isFree && blocks_[neighbour].list == list;
  };
  const uint32_t next = blocks_[block].next;
  if (joins(next)) {
    lists_[list].erase(blocks_[next].bytes, blocks_[next].address);
    mergeInto(block, next);
  }
  const uint32_t previous = blocks_[block].previous;
  if (joins(previous)) {
    lists_[list].erase(blocks_[previous].bytes, blocks_[previous].address);
    mergeInto(previous, block);
    block = previous;
  }
  Block& merged = blocks_[block];
  merged.isFree = true;
  merged.list = list;
  lists_[list].insert(merged.bytes, merged.address, block);
}

void RmmPool::mergeInto(uint32_t block, uint32_t neighbour) {
  Block& low = blocks_[block];
  low.bytes += blocks_[neighbour].bytes;
  decide(Step::Coalesce, Reason::None, low.address, low.bytes);
  low.next = blocks_[neighbour].next;
  if (low.next != kNoBlock) blocks_[low.next].previous = block;
  blocks_.remove(neighbour);
}

Usage RmmPool::usage() const {
  uint64_t largest = 0;
  for (const BestFitIndex& list : lists_) largest = std::max(largest, list.largest());
  const Usage upstream = upstream_.usage();
  return {.allocated = used_,
          .active = used_,
          .reserved = upstream.reserved,
          .peakAllocated = peak_,
          .peakReserved = upstream.peakReserved,
          .largestFree = largest};
}

Layout RmmPool::layout() const {
  std::vector<LayoutBlock> pieces;
  for (const uint32_t first : firstBlocks_) {
    for (uint32_t at = first; at != kNoBlock; at = blocks_[at].next) {
      const Block& block = blocks_[at];
      pieces.push_back({.address = block.address,
                        .bytes = block.bytes,
                        .requested = block.requested,
                        .state = block.isFree ? BlockState::Inactive : BlockState::Allocated});
    }
  }
  return subdivided(upstream_.layout(), std::move(pieces));
}

}  // namespace strata
