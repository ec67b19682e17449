#include <algorithm>
#include <bit>

#include "allocator/pytorch_allocator.h"

/// The ways memory goes back to the device, private pools, and the view from outside.
namespace strata {

using pytorch::BlockUse;
using pytorch::OrderedSet;
using Kind = AllocatorEvent::Kind;

/// Frees whole large segments of the main pool that have been free for longer than the average, pass by pass,
/// until reserved memory is under the threshold.
void PytorchAllocator::collectGarbage() {
  const auto threshold =
      static_cast<uint64_t>(heap_.config().garbageCollectionThreshold * static_cast<double>(limit_));
  if (statistics_.reserved <= threshold) return;
  const uint64_t target = statistics_.reserved - threshold;
  pytorch::PytorchHeap::Pool& pool = heap_.pool(1);
  const auto ageOf = [&](BlockId block) { return pool.searches - heap_.block(block).freedAt; };
  uint64_t totalAge = 0;
  uint64_t count = pool.whole.size();
  for (auto at = pool.whole.first(); !pool.whole.isEnd(at); at = pool.whole.next(at))
    totalAge += ageOf(pool.whole.at(at).id);
  uint64_t reclaimed = 0;
  for (bool isFreeing = count > 0; reclaimed < target && isFreeing && count > 0;) {
    isFreeing = false;
    const double ageLimit = static_cast<double>(totalAge) / static_cast<double>(count);
    std::vector<BlockId> old;
    for (auto at = pool.whole.first(); !pool.whole.isEnd(at); at = pool.whole.next(at))
      if (static_cast<double>(ageOf(pool.whole.at(at).id)) >= ageLimit) old.push_back(pool.whole.at(at).id);
    for (const BlockId block : old) {
      isFreeing = true;
      reclaimed += heap_.block(block).bytes;
      totalAge -= ageOf(block);
      --count;
      releaseSegment(block, Decision::Reason::CollectGarbage);
    }
  }
}

/// With max_split_size: the smallest cached block that suffices alone, else from the largest down until
/// enough.
PytorchAllocator::Step PytorchAllocator::releaseOversize(const Request& request) {
  const uint64_t limit = heap_.config().maxSplitSize;
  if (limit == PytorchConfig::kUnlimited) return Step::Failed;
  const OrderedSet& free = heap_.pool(request.pool).free;
  const uint64_t stream = uint64_t{request.stream} << 48;
  const uint64_t least = std::max(request.rounded, limit);
  const auto mayReturn = [&](BlockId id) {
    const auto& block = heap_.block(id);
    return !block.isExpandable && block.previous == kNone && block.next == kNone;
  };
  const auto at = free.lowerBound({stream | std::min(least, pytorch::kLargestSize), 0});
  if (!free.isEnd(at) && (free.at(at).key.high >> 48) == request.stream) {
    const BlockId block = free.at(at).id;
    // The real one stops here: it was not made to return part of a segment, or a block of a range.
    if (!mayReturn(block)) return Step::Error;
    releaseSegment(block, Decision::Reason::OutOfMemory);
    return Step::Done;
  }
  uint64_t released = 0;
  OrderedSet::Key below{stream | ((uint64_t{1} << 48) - 1), PytorchConfig::kUnlimited};
  while (released < least) {
    const auto* largest = free.lastAtOrBelow(below);
    if (largest == nullptr || (largest->key.high >> 48) != request.stream) break;
    const BlockId block = largest->id;
    if (heap_.block(block).bytes < limit) break;
    below = {largest->key.high, largest->key.low - 1};
    if (heap_.block(block).isExpandable) continue;
    if (!mayReturn(block)) return Step::Error;
    released += heap_.block(block).bytes;
    releaseSegment(block, Decision::Reason::OutOfMemory);
  }
  return released >= least ? Step::Done : Step::Failed;
}

/// Waits for all streams, then returns what is wholly free: main pool large before small, released private
/// pools small before large. Error: a private pool gave back more pieces than it ever took, where the real
/// one stops.
PytorchAllocator::Step PytorchAllocator::flush() {
  ++statistics_.synchronizations;
  if (!openPools_.empty()) return Step::Error;
  ++device_.calls.synchronize;
  recordDeferred();
  work_.synchronizeAll();
  work_.takeCompleted([this](BlockId block) { finishEvent(block); });
  if (!returnPool(1) || !returnPool(0)) return Step::Error;
  for (const uint64_t id : releasedInOrder()) {
    const PrivatePool& pool = privatePools_.at(id);
    if (!returnPool(pool.small) || !returnPool(pool.large)) return Step::Error;
    if (pool.segmentCount == 0) forgetPool(id);
  }
  return Step::Done;
}

void PytorchAllocator::forgetPool(uint64_t id) {
  privatePools_.erase(id);
  --releasedCount_;
}

/// Released private pools in the order of the real allocator's hash table: Fibonacci hashing of the id, at
/// most half of a power of two of slots in use, which never shrinks (ska::flat_hash_map).
std::vector<uint64_t> PytorchAllocator::releasedInOrder() const {
  std::vector<uint64_t> ids;
  for (const auto& [id, pool] : privatePools_)
    if (pool.useCount == 0) ids.push_back(id);
  const int shift = 64 - std::countr_zero(releasedSlots_);
  const auto slotOf = [&](uint64_t id) { return (id * 11400714819323198485u) >> shift; };
  std::stable_sort(ids.begin(), ids.end(), [&](uint64_t a, uint64_t b) { return slotOf(a) < slotOf(b); });
  return ids;
}

bool PytorchAllocator::returnPool(PoolId id) {
  const pytorch::PytorchHeap::Pool& pool = heap_.pool(id);
  while (!pool.whole.isEmpty())
    releaseSegment(pool.whole.at(pool.whole.first()).id, Decision::Reason::Released);
  while (!pool.returnable.isEmpty())
    if (!unmapBlock(pool.returnable.at(pool.returnable.first()).id)) return false;
  return true;
}

void PytorchAllocator::releaseSegment(BlockId whole, Decision::Reason reason) {
  const pytorch::PytorchHeap::Block block = heap_.block(whole);
  ++statistics_.deviceFrees;
  emit(Kind::SegmentFree, block.address, block.bytes);
  decide(Decision::Step::Flush, reason, block.address, block.bytes);
  device_.free(block.address, block.bytes);
  if (PrivatePool* owner = ownerOf(block.pool); owner && owner->segmentCount > 0) --owner->segmentCount;
  statistics_.reserved -= block.bytes;
  --statistics_.segments;
  if (block.bytes >= heap_.config().maxSplitSize) --statistics_.oversizeSegments;
  heap_.removeSegment(whole);
}

/// Unmaps the whole pages inside a free block; a range left without any is given up.
bool PytorchAllocator::unmapBlock(BlockId free) {
  const auto [from, to] = heap_.granulesIn(free);
  const uint64_t granule = heap_.pool(heap_.block(free).pool).granule;
  work_.synchronize(heap_.block(free).stream);
  const BlockId unmapped = heap_.unmap(free, from, to - from);
  for (uint64_t at = from; at < to; at += granule) device_.releasePhysical(granule);
  device_.calls.unmap += (to - from) / granule;
  statistics_.reserved -= to - from;
  if (PrivatePool* owner = ownerOf(heap_.block(unmapped).pool)) {
    if (owner->segmentCount == 0) return false;
    --owner->segmentCount;
  }
  ++statistics_.deviceFrees;
  emit(Kind::SegmentUnmap, from, to - from);
  decide(Decision::Step::Flush, Decision::Reason::Released, from, to - from);
  const pytorch::PytorchHeap::Block& block = heap_.block(unmapped);
  if (block.previous != kNone || block.next != kNone) return true;
  device_.releaseRange(block.address, block.bytes);
  heap_.removeSegment(unmapped);
  return true;
}

ControlResult PytorchAllocator::control(const Control& control) {
  switch (control.kind) {
    case Control::Kind::EmptyCache:
      return {.isError = flush() == Step::Error};
    case Control::Kind::Synchronize:
      if (control.hasStream) {
        work_.synchronize(static_cast<StreamRank>(control.stream));
      } else {
        work_.synchronizeAll();
      }
      return {};
    case Control::Kind::BeginPool:
      return beginPool(control);
    case Control::Kind::EndPool:
      return endPool(control.value);
    case Control::Kind::ReleasePool:
      return releasePool(control.value);
    case Control::Kind::SetMemoryFraction:
      setMemoryFraction(control.fraction);
      return {};
    default:
      return {};
  }
}

ControlResult PytorchAllocator::resultFor(uint64_t id, bool isError) const {
  const auto pool = privatePools_.find(id);
  const int64_t uses = pool == privatePools_.end() ? -1 : static_cast<int64_t>(pool->second.useCount);
  return {.isError = isError, .poolUseCount = uses};
}

/// A released pool cannot be opened again before a flush has forgotten it. One that is open already gets the
/// use, but not a second opening.
ControlResult PytorchAllocator::beginPool(const Control& control) {
  const uint64_t id = control.value;
  const auto found = privatePools_.find(id);
  if (found == privatePools_.end()) {
    addPrivatePool(id);
  } else if (found->second.useCount == 0) {
    return resultFor(id, true);
  } else {
    ++found->second.useCount;
  }
  const bool isOpen =
      std::any_of(openPools_.begin(), openPools_.end(), [&](const OpenPool& open) { return open.id == id; });
  if (isOpen) return resultFor(id, true);
  OpenPool open{id, {}};
  if (control.hasStream) open.stream = static_cast<StreamRank>(control.stream);
  openPools_.push_back(open);
  return resultFor(id, false);
}

PytorchAllocator::PrivatePool& PytorchAllocator::addPrivatePool(uint64_t id) {
  PrivatePool pool;
  pool.small = heap_.addPool(false, 0);
  pool.large = heap_.addPool(true, 0);
  poolIds_.resize(heap_.poolCount(), id);
  return privatePools_.emplace(id, pool).first->second;
}

ControlResult PytorchAllocator::endPool(uint64_t id) {
  const auto open =
      std::find_if(openPools_.begin(), openPools_.end(), [&](const OpenPool& pool) { return pool.id == id; });
  if (open == openPools_.end()) return resultFor(id, true);
  openPools_.erase(open);
  return resultFor(id, false);
}

ControlResult PytorchAllocator::releasePool(uint64_t id) {
  const auto found = privatePools_.find(id);
  if (found == privatePools_.end() || found->second.useCount == 0) return resultFor(id, true);
  if (--found->second.useCount == 0) {
    ++releasedCount_;
    while (releasedCount_ * 2 > releasedSlots_) releasedSlots_ *= 2;
  }
  return resultFor(id, false);
}

void PytorchAllocator::setMemoryFraction(double fraction) {
  hasLimit_ = true;
  limit_ = static_cast<uint64_t>(fraction * static_cast<double>(device_.capacity()));
  isCountingAges_ = heap_.config().garbageCollectionThreshold > 0;
}

std::vector<std::pair<uint64_t, uint64_t>> PytorchAllocator::privatePools() const {
  std::vector<std::pair<uint64_t, uint64_t>> pools;
  for (const auto& [id, pool] : privatePools_) pools.emplace_back(id, pool.useCount);
  return pools;
}

Usage PytorchAllocator::usage() const {
  Usage usage;
  usage.allocated = statistics_.allocated;
  usage.active = statistics_.active;
  usage.reserved = statistics_.reserved;
  usage.peakAllocated = statistics_.allocatedPeak;
  usage.peakReserved = statistics_.reservedPeak;
  for (PoolId id = 0; id < heap_.poolCount(); ++id) {
    const OrderedSet& free = heap_.pool(id).free;
    OrderedSet::Key below{PytorchConfig::kUnlimited, PytorchConfig::kUnlimited};
    while (const auto* largest = free.lastAtOrBelow(below)) {
      usage.largestFree = std::max(usage.largestFree, heap_.block(largest->id).bytes);
      const uint64_t stream = largest->key.high >> 48;
      if (stream == 0) break;
      below = {(stream << 48) - 1, PytorchConfig::kUnlimited};
    }
  }
  return usage;
}

Layout PytorchAllocator::layout() const {
  Layout layout;
  const OrderedSet& order = heap_.segmentsByAddress();
  for (auto at = order.first(); !order.isEnd(at); at = order.next(at)) addBlocks(layout, order.at(at).id);
  return layout;
}

/// One layout segment for an ordinary segment, one for each mapped run of a range.
void PytorchAllocator::addBlocks(Layout& layout, pytorch::SegmentId id) const {
  bool isInRun = false;
  for (BlockId at = heap_.segment(id).firstBlock; at != kNone; at = heap_.block(at).next) {
    const pytorch::PytorchHeap::Block& block = heap_.block(at);
    if (block.use == BlockUse::Unmapped) {
      isInRun = false;
      continue;
    }
    if (!isInRun) {
      const bool isLarge = heap_.pool(block.pool).isLarge;
      const uint64_t pool = poolIds_[block.pool];
      const Region pooled = isLarge || pool != 0 ? Region::Pooled : Region::Immediate;
      layout.segments.push_back({block.address, 0, static_cast<uint32_t>(layout.blocks.size()), 0,
                                 block.stream, pool, block.isExpandable ? Region::Virtual : pooled, isLarge,
                                 block.isExpandable});
      isInRun = true;
    }
    const bool isAllocated = block.use == BlockUse::Allocated;
    const BlockState state = isAllocated                      ? BlockState::Allocated
                             : block.use == BlockUse::Waiting ? BlockState::PendingFree
                                                              : BlockState::Inactive;
    layout.blocks.push_back(
        {block.address, block.bytes, isAllocated ? uses_[at].requested : 0, state, -1, 0});
    layout.segments.back().bytes += block.bytes;
    ++layout.segments.back().blockCount;
  }
}

}  // namespace strata
