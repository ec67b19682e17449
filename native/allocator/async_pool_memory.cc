#include "allocator/async_pool_memory.h"

#include <algorithm>

namespace strata {
namespace {

/// Ranges are this large, or as large as the device if that is less.
constexpr uint64_t kRangeBytes = uint64_t{1} << 40;

uint64_t roundUp(uint64_t bytes, uint64_t step) {
  const uint64_t rest = bytes % step;
  return rest == 0 ? bytes : bytes + (step - rest);
}

}  // namespace

AsyncPoolMemory::AsyncPoolMemory(uint64_t pieceBytes, Driver& device)
    : pieceBytes_(pieceBytes), device_(device) {}

uint64_t AsyncPoolMemory::largestFree() const {
  uint64_t largest = complete_.largest();
  for (const PendingList& list : pending_) largest = std::max(largest, list.bySize.largest());
  return largest;
}

uint32_t AsyncPoolMemory::findComplete(uint64_t bytes) const {
  BestFitIndex::Cursor cursor;
  return complete_.bestFit(bytes, cursor) ? complete_.blockAt(cursor) : kNoBlock;
}

uint32_t AsyncPoolMemory::findOwn(uint32_t stream, uint64_t bytes) const {
  if (stream >= pending_.size()) return kNoBlock;
  BestFitIndex::Cursor cursor;
  const BestFitIndex& list = pending_[stream].bySize;
  return list.bestFit(bytes, cursor) ? list.blockAt(cursor) : kNoBlock;
}

uint32_t AsyncPoolMemory::findOldest(uint32_t stream, uint64_t bytes) const {
  FirstFitIndex::Cursor cursor;
  const FirstFitIndex& list = pending_[stream].byTime;
  return list.firstFit(bytes, cursor) ? list.at(cursor).block : kNoBlock;
}

uint32_t AsyncPoolMemory::take(uint32_t block, uint64_t bytes, uint64_t requested, uint32_t stream,
                               uint64_t time) {
  delist(block);
  uint32_t rest = kNoBlock;
  if (blocks_[block].bytes > bytes) {
    rest = splitAt(block, bytes);
    enlist(rest);
  }
  Block& taken = blocks_[block];
  taken.state = State::InUse;
  taken.requested = requested;
  taken.stream = stream;
  taken.time = time;
  return rest;
}

uint32_t AsyncPoolMemory::release(uint32_t block, uint64_t time) {
  Block& freed = blocks_[block];
  freed.state = State::Pending;
  freed.requested = 0;
  freed.time = time;
  if (freed.stream >= pending_.size()) pending_.resize(freed.stream + 1);
  const uint32_t merged = mergeAround(block);
  enlist(merged);
  return merged;
}

uint32_t AsyncPoolMemory::complete(uint32_t stream, uint64_t time) {
  uint32_t count = 0;
  if (stream >= pending_.size()) return count;
  FirstFitIndex::Cursor cursor;
  while (pending_[stream].byTime.firstFit(0, cursor)) {
    const FirstFitIndex::Entry oldest = pending_[stream].byTime.at(cursor);
    if (blocks_[oldest.block].time > time) break;
    delist(oldest.block);
    blocks_[oldest.block].state = State::Complete;
    enlist(mergeAround(oldest.block));
    ++count;
  }
  return count;
}

// --- blocks ----------------------------------------------------------------------------------------------

uint32_t AsyncPoolMemory::newBlock(const Block& block) {
  if (unusedBlocks_.empty()) {
    blocks_.push_back(block);
    return static_cast<uint32_t>(blocks_.size() - 1);
  }
  const uint32_t at = unusedBlocks_.back();
  unusedBlocks_.pop_back();
  blocks_[at] = block;
  return at;
}

/// Cuts a block that is in no list; answers the high part, which is in none either.
uint32_t AsyncPoolMemory::splitAt(uint32_t block, uint64_t bytes) {
  Block high = blocks_[block];
  high.address += bytes;
  high.bytes -= bytes;
  high.previous = block;
  const uint32_t added = newBlock(high);
  blocks_[block].bytes = bytes;
  blocks_[block].next = added;
  if (high.next != kNoBlock) blocks_[high.next].previous = added;
  return added;
}

/// Merges a block that is in no list with its neighbours; the result is in none either.
uint32_t AsyncPoolMemory::mergeAround(uint32_t block) {
  const uint32_t next = blocks_[block].next;
  if (canMerge(block, next)) {
    delist(next);
    merge(block, next);
  }
  const uint32_t previous = blocks_[block].previous;
  if (!canMerge(previous, block)) return block;
  delist(previous);
  merge(previous, block);
  return previous;
}

bool AsyncPoolMemory::canMerge(uint32_t low, uint32_t high) const {
  if (low == kNoBlock || high == kNoBlock) return false;
  const Block& a = blocks_[low];
  const Block& b = blocks_[high];
  if (a.state != b.state || a.state == State::InUse) return false;
  return a.state != State::Pending || a.stream == b.stream;
}

void AsyncPoolMemory::merge(uint32_t low, uint32_t high) {
  Block& a = blocks_[low];
  const Block& b = blocks_[high];
  a.bytes += b.bytes;
  a.time = std::max(a.time, b.time);
  a.next = b.next;
  if (a.next != kNoBlock) blocks_[a.next].previous = low;
  unusedBlocks_.push_back(high);
}

void AsyncPoolMemory::enlist(uint32_t block) {
  const Block& added = blocks_[block];
  switch (added.state) {
    case State::Pending:
      pending_[added.stream].bySize.insert(added.bytes, added.address, block);
      pending_[added.stream].byTime.insert({added.time, added.bytes, block});
      ++pendingBlocks_;
      return;
    case State::Complete: {
      complete_.insert(added.bytes, added.address, block);
      const uint64_t whole = wholePieces(added).bytes;
      if (whole > 0) spares_.insert({added.address, whole, block});
      spareBytes_ += whole;
      return;
    }
    case State::Hole:
      return holes_.insert({added.address, added.bytes, block});
    case State::InUse:
      return;
  }
}

void AsyncPoolMemory::delist(uint32_t block) {
  const Block& removed = blocks_[block];
  switch (removed.state) {
    case State::Pending:
      pending_[removed.stream].bySize.erase(removed.bytes, removed.address);
      pending_[removed.stream].byTime.erase(removed.time);
      --pendingBlocks_;
      return;
    case State::Complete: {
      complete_.erase(removed.bytes, removed.address);
      const uint64_t whole = wholePieces(removed).bytes;
      if (whole > 0) spares_.erase(removed.address);
      spareBytes_ -= whole;
      return;
    }
    case State::Hole:
      return holes_.erase(removed.address);
    case State::InUse:
      return;
  }
}

// --- physical pieces -------------------------------------------------------------------------------------

AsyncPoolMemory::Run AsyncPoolMemory::wholePieces(const Block& block) const {
  const uint64_t offset = block.address - block.rangeBase;
  const uint64_t begin = roundUp(offset, pieceBytes_);
  const uint64_t end = (offset + block.bytes) / pieceBytes_ * pieceBytes_;
  return begin < end ? Run{block.rangeBase + begin, end - begin} : Run{};
}

bool AsyncPoolMemory::create(uint64_t bytes) {
  if (!device_.createPhysical(bytes)) return false;
  device_.calls.create += bytes / pieceBytes_ - 1;  // each piece is a call of its own
  reserved_ += bytes;
  return true;
}

void AsyncPoolMemory::giveBack(uint64_t bytes) {
  device_.releasePhysical(bytes);
  device_.calls.releasePhysical += bytes / pieceBytes_ - 1;
  reserved_ -= bytes;
}

/// Makes a hole of up to `bytes` where the highest whole pieces are.
AsyncPoolMemory::Run AsyncPoolMemory::unmapHighest(uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  if (!spares_.floor(std::numeric_limits<uint64_t>::max(), cursor)) return {};
  uint32_t block = spares_.at(cursor).block;
  Run run = wholePieces(blocks_[block]);
  run.address += run.bytes - std::min(run.bytes, bytes);
  run.bytes = std::min(run.bytes, bytes);
  delist(block);
  const uint64_t below = run.address - blocks_[block].address;
  if (below > 0) {
    const uint32_t low = block;
    block = splitAt(low, below);
    enlist(low);
  }
  if (blocks_[block].bytes > run.bytes) enlist(splitAt(block, run.bytes));
  blocks_[block].state = State::Hole;
  enlist(mergeAround(block));
  device_.calls.unmap += run.bytes / pieceBytes_;
  return run;
}

AsyncPoolMemory::Mapped AsyncPoolMemory::map(uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  const uint32_t hole = holes_.firstFit(bytes, cursor) ? holes_.at(cursor).block : addRange(bytes);
  delist(hole);
  if (blocks_[hole].bytes > bytes) enlist(splitAt(hole, bytes));
  const uint64_t address = blocks_[hole].address;
  blocks_[hole].state = State::Complete;
  const uint32_t merged = mergeAround(hole);
  enlist(merged);
  device_.calls.map += bytes / pieceBytes_;
  ++device_.calls.setAccess;
  return {address, merged};
}

uint32_t AsyncPoolMemory::addRange(uint64_t bytes) {
  const uint64_t size = roundUp(std::max(bytes, std::min(device_.capacity(), kRangeBytes)), pieceBytes_);
  const uint64_t base = device_.reserveRange(size);
  const uint32_t hole = newBlock({.address = base, .bytes = size, .rangeBase = base});
  ranges_.push_back(hole);
  enlist(hole);
  return hole;
}

}  // namespace strata
