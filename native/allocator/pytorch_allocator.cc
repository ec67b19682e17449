#include "allocator/pytorch_allocator.h"

#include <algorithm>

namespace strata {

using pytorch::BlockUse;
using Kind = AllocatorEvent::Kind;
using Reason = Decision::Reason;

namespace {

constexpr pytorch::PoolId kMainSmall = 0;
constexpr pytorch::PoolId kMainLarge = 1;
/// Streams are numbered; no program has this many.
constexpr uint32_t kMostStreams = 65536;
/// Requests from here on are refused before anything else is done.
constexpr uint64_t kExabyte = uint64_t{1} << 60;

}  // namespace

PytorchAllocator::PytorchAllocator(const PytorchConfig& config, Driver& device,
                                   std::optional<double> fraction)
    : heap_(config), device_(device) {
  heap_.addPool(false, 0);
  heap_.addPool(true, 0);
  poolIds_ = {0, 0};
  if (config.memoryFraction > 0) setMemoryFraction(config.memoryFraction);
  if (fraction) setMemoryFraction(*fraction);
}

PytorchAllocator::Use& PytorchAllocator::useOf(BlockId block) {
  if (block >= uses_.size()) uses_.resize(std::max<size_t>(block + 1, uses_.size() * 2));
  return uses_[block];
}

/// The first private pool opened that accepts the stream, else the main pair.
PytorchAllocator::PoolId PytorchAllocator::poolFor(bool isLarge, StreamRank stream) const {
  for (const OpenPool& open : openPools_) {
    if (open.stream && *open.stream != stream) continue;
    const PrivatePool& pool = privatePools_.at(open.id);
    return isLarge ? pool.large : pool.small;
  }
  return isLarge ? kMainLarge : kMainSmall;
}

PytorchAllocator::PrivatePool* PytorchAllocator::ownerOf(PoolId pool) {
  if (pool <= kMainLarge) return nullptr;
  const auto owner = privatePools_.find(poolIds_[pool]);
  const bool isOwner =
      owner != privatePools_.end() && (owner->second.small == pool || owner->second.large == pool);
  return isOwner ? &owner->second : nullptr;
}

Placement PytorchAllocator::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  if (stream >= kMostStreams || bytes >= kExabyte) return {.outcome = Outcome::Error};
  if (openPools_.empty()) pollStreams();
  Request request{pytorch::roundRequest(bytes, heap_.config()), 0, static_cast<StreamRank>(stream)};
  request.pool = poolFor(pytorch::isLargeRequest(request.rounded), request.stream);
  decide(Decision::Step::Round, Reason::None, 0, request.rounded);
  if (decisions_) considerCandidates(request);
  BlockId block = search(request);
  if (block == kNone) {
    const Step step = obtain(request, block);
    if (step == Step::Error) return {.outcome = Outcome::Error};
    if (step == Step::Failed) {
      ++statistics_.outOfMemory;
      decide(Decision::Step::Refuse, Reason::OutOfMemory, 0, request.rounded);
      emit(Kind::OutOfMemory, device_.freeBytes(), request.rounded);
      return {.outcome = Outcome::OutOfMemory};
    }
  }
  return handOut(block, request, bytes);
}

PytorchAllocator::BlockId PytorchAllocator::search(const Request& request) {
  if (isCountingAges_) ++heap_.pool(request.pool).searches;
  if (request.rounded >= pytorch::kLargestSize) return kNone;
  return heap_.findFree(request.pool, request.stream, request.rounded);
}

/// What is tried, in this order, when no free block serves.
PytorchAllocator::Step PytorchAllocator::obtain(const Request& request, BlockId& block) {
  if (isCountingAges_) collectGarbage();
  if (takeSegment(request, block)) return Step::Done;
  const Step oversize = releaseOversize(request);
  if (oversize == Step::Error) return oversize;
  if (oversize == Step::Done && takeSegment(request, block)) return Step::Done;
  if (!openPools_.empty()) return Step::Failed;
  if (flush() == Step::Error) return Step::Error;
  ++statistics_.retries;
  return takeSegment(request, block) ? Step::Done : Step::Failed;
}

bool PytorchAllocator::takeSegment(const Request& request, BlockId& block) {
  const uint64_t bytes = pytorch::segmentSizeFor(request.rounded, heap_.config());
  if (hasLimit_ && statistics_.reserved + bytes > limit_) {
    decide(Decision::Step::Grow, Reason::LimitReached, 0, bytes);
    return false;
  }
  const bool isTaken = heap_.config().isExpandable ? grow(request, block) : newSegment(request, block);
  if (!isTaken) return false;
  if (PrivatePool* owner = ownerOf(request.pool)) ++owner->segmentCount;
  return true;
}

bool PytorchAllocator::newSegment(const Request& request, BlockId& block) {
  const uint64_t bytes = pytorch::segmentSizeFor(request.rounded, heap_.config());
  const std::optional<uint64_t> address = device_.allocate(bytes);
  if (!address) {
    decide(Decision::Step::Grow, Reason::DeviceRefused, 0, bytes);
    return false;
  }
  block = heap_.addSegment(*address, bytes, request.pool, request.stream);
  reserve(bytes);
  ++statistics_.segments;
  if (bytes >= heap_.config().maxSplitSize) ++statistics_.oversizeSegments;
  ++statistics_.deviceAllocations;
  emit(Kind::SegmentAlloc, *address, bytes);
  decide(Decision::Step::Grow, Reason::None, *address, bytes);
  return true;
}

void PytorchAllocator::reserve(uint64_t bytes) {
  statistics_.reserved += bytes;
  statistics_.reservedPeak = std::max(statistics_.reservedPeak, statistics_.reserved);
}

/// Grows an expandable range piece by piece; pieces stay mapped when a later one is refused.
bool PytorchAllocator::grow(const Request& request, BlockId& block) {
  BlockId at = heap_.findGrowth(request.pool, request.stream, request.rounded);
  if (at == kNone) {
    const uint64_t granule = heap_.pool(request.pool).granule;
    const uint64_t bytes = pytorch::roundUp(device_.capacity() + device_.capacity() / 8, granule);
    at = heap_.addRange(device_.reserveRange(bytes), bytes, request.pool, request.stream);
  }
  if (heap_.block(at).use == BlockUse::Unmapped) {
    at = mapPiece(at, std::min(heap_.block(at).bytes, request.rounded));
    if (at == kNone) return false;
  }
  while (heap_.block(at).bytes < request.rounded) {
    const BlockId next = heap_.block(at).next;
    if (next == kNone) return false;
    at = mapPiece(next, std::min(request.rounded - heap_.block(at).bytes, heap_.block(next).bytes));
    if (at == kNone) return false;
  }
  block = at;
  return true;
}

/// Backs the start of an unmapped block with whole pages; answers the free block it became part of, or kNone
/// when the device has not enough of them.
PytorchAllocator::BlockId PytorchAllocator::mapPiece(BlockId unmapped, uint64_t bytes) {
  const uint64_t granule = heap_.pool(heap_.block(unmapped).pool).granule;
  const uint64_t size = pytorch::roundUp(bytes, granule);
  for (uint64_t created = 0; created < size; created += granule) {
    if (device_.createPhysical(granule)) continue;
    for (; created > 0; created -= granule) device_.releasePhysical(granule);
    decide(Decision::Step::Grow, Reason::DeviceRefused, heap_.block(unmapped).address, size);
    return kNone;
  }
  device_.calls.map += size / granule;
  ++device_.calls.setAccess;
  const uint64_t address = heap_.block(unmapped).address;
  const BlockId mapped = heap_.map(unmapped, size);
  reserve(size);
  ++statistics_.deviceAllocations;
  emit(Kind::SegmentMap, address, size);
  decide(Decision::Step::Grow, Reason::None, address, size);
  return mapped;
}

Placement PytorchAllocator::handOut(BlockId free, const Request& request, uint64_t requested) {
  const pytorch::PytorchHeap::Block& found = heap_.block(free);
  const bool isExpandable = found.isExpandable;
  const bool wasSplit = found.previous != kNone || found.next != kNone;
  const uint64_t available = found.bytes;
  const BlockId block = heap_.take(free, request.rounded);
  const uint64_t bytes = heap_.block(block).bytes;
  decide(Decision::Step::Take, Reason::Fits, heap_.block(block).address, available);
  if (bytes < available)
    decide(Decision::Step::Split, Reason::None, heap_.block(block).address + bytes, available - bytes);
  if (!isExpandable) {
    if (wasSplit) {
      statistics_.inactiveSplit -= bytes;
      if (bytes == available) --statistics_.inactiveSplitBlocks;
    } else if (bytes < available) {
      statistics_.inactiveSplit += available - bytes;
      ++statistics_.inactiveSplitBlocks;
    }
  }
  useOf(block) = {requested, 0, kNone};
  ++statistics_.allocations;
  ++statistics_.activeBlocks;
  statistics_.allocated += bytes;
  statistics_.allocatedPeak = std::max(statistics_.allocatedPeak, statistics_.allocated);
  statistics_.active += bytes;
  statistics_.requested += requested;
  if (bytes >= heap_.config().maxSplitSize) ++statistics_.oversizeAllocations;
  return {heap_.block(block).address, bytes, block, Outcome::Placed};
}

void PytorchAllocator::free(BlockHandle block) {
  const uint64_t bytes = heap_.block(block).bytes;
  --statistics_.allocations;
  statistics_.allocated -= bytes;
  if (bytes >= heap_.config().maxSplitSize) --statistics_.oversizeAllocations;
  emit(Kind::FreeRequested, heap_.block(block).address, bytes);
  if (uses_[block].streams == kNone) return complete(block);
  heap_.setWaiting(block);
  decide(Decision::Step::Defer, Reason::NotYetSafe, heap_.block(block).address, bytes);
  if (openPools_.empty()) return recordEvents(block);
  deferred_.push_back(block);
}

/// The block is free for good: it joins its free neighbours.
void PytorchAllocator::complete(BlockId id) {
  const pytorch::PytorchHeap::Block block = heap_.block(id);
  emit(Kind::FreeCompleted, block.address, block.bytes);
  --statistics_.activeBlocks;
  statistics_.active -= block.bytes;
  statistics_.requested -= uses_[id].requested;
  if (!block.isExpandable) {
    for (const BlockId neighbour : {block.previous, block.next}) {
      if (neighbour == kNone || heap_.block(neighbour).use != BlockUse::Free) continue;
      --statistics_.inactiveSplitBlocks;
      statistics_.inactiveSplit -= heap_.block(neighbour).bytes;
    }
  }
  const pytorch::PytorchHeap::Block& merged = heap_.block(heap_.release(id));
  if (merged.bytes > block.bytes)
    decide(Decision::Step::Coalesce, Reason::None, merged.address, merged.bytes);
  if (block.isExpandable || (merged.previous == kNone && merged.next == kNone)) return;
  ++statistics_.inactiveSplitBlocks;
  statistics_.inactiveSplit += merged.bytes;
}

void PytorchAllocator::recordStream(BlockHandle block, uint32_t stream) {
  if (stream >= kMostStreams || stream == heap_.block(block).stream) return;
  Use& use = uses_[block];
  if (use.streams == kNone) {
    if (spareUses_.empty()) {
      spareUses_.push_back(static_cast<uint32_t>(streamUses_.size()));
      streamUses_.emplace_back();
    }
    use.streams = spareUses_.back();
    spareUses_.pop_back();
  }
  const auto addTo = [rank = static_cast<StreamRank>(stream)](std::vector<StreamRank>& streams) {
    if (std::find(streams.begin(), streams.end(), rank) == streams.end()) streams.push_back(rank);
  };
  StreamUses& uses = streamUses_[use.streams];
  addTo(uses.streams);
  if (!openPools_.empty()) addTo(uses.whileOpen);
}

PytorchAllocator::StreamUses PytorchAllocator::takeUses(BlockId block) {
  const uint32_t row = uses_[block].streams;
  uses_[block].streams = kNone;
  spareUses_.push_back(row);
  return std::exchange(streamUses_[row], {});
}

void PytorchAllocator::recordEvents(BlockId block) {
  for (const StreamRank stream : takeUses(block).streams) {
    work_.record(stream, block);
    ++uses_[block].pendingEvents;
  }
}

/// Blocks freed while a private pool was open get their events now; uses of that time are over by then.
void PytorchAllocator::recordDeferred() {
  for (const BlockId block : std::exchange(deferred_, {})) {
    const StreamUses uses = takeUses(block);
    for (const StreamRank stream : uses.streams) {
      if (std::find(uses.whileOpen.begin(), uses.whileOpen.end(), stream) != uses.whileOpen.end()) continue;
      work_.record(stream, block);
      ++uses_[block].pendingEvents;
    }
    if (uses_[block].pendingEvents == 0) complete(block);
  }
}

void PytorchAllocator::finishEvent(BlockId block) {
  if (--uses_[block].pendingEvents == 0) complete(block);
}

void PytorchAllocator::pollStreams() {
  recordDeferred();
  if (!work_.isEmpty()) work_.takeCompleted([this](BlockId block) { finishEvent(block); });
}

}  // namespace strata
