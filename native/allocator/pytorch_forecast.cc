#include "allocator/pytorch_forecast.h"

namespace strata::pytorch {
namespace {

constexpr uint64_t kStepsAtLeast = uint64_t{1} << 20;
constexpr uint64_t kStepsAnEvent = 64;

uint16_t defaultPoolRow(const Device& device) {
  for (size_t row = 0; row < device.pools.size(); ++row)
    if (device.pools[row] == std::pair<int64_t, int64_t>{0, 0}) return static_cast<uint16_t>(row);
  return 0;
}

bool isSegmentAction(Action action) {
  return action == Action::SegmentAlloc || action == Action::SegmentFree || action == Action::SegmentMap ||
         action == Action::SegmentUnmap;
}

}  // namespace

Forecast::Forecast(const Device& device, RecordedHeap& recorded, Score& score)
    : events_(device.events),
      recorded_(recorded),
      config_(recorded.heap().config()),
      score_(score),
      defaultPool_(defaultPoolRow(device)),
      mostSteps_(kStepsAtLeast + kStepsAnEvent * device.events.count()) {}

/// Searches through expandable segments are linear in the worst case. Real recordings take a step or two an
/// event; one made to take many is followed without being foreseen.
bool Forecast::isTooCostly(size_t at) {
  if (!isGivenUp_ && recorded_.heap().steps() > mostSteps_) {
    isGivenUp_ = true;
    score_.mismatch("too-costly", static_cast<EventIndex>(at));
  }
  return isGivenUp_;
}

/// Whether an event belongs to a sequence. A block freed at once is not part of one; a block that waited for
/// a stream is.
bool Forecast::isLinked(size_t at) const {
  const Action action = events_.action[at];
  if (isSegmentAction(action)) return true;
  if (action != Action::FreeCompleted) return false;
  return at == 0 || events_.action[at - 1] != Action::FreeRequested ||
         events_.address[at - 1] != events_.address[at];
}

void Forecast::enter(size_t at) {
  if (at < end_) return;
  isCutSequence_ = at == 0;
  end_ = at;
  while (end_ < events_.count() && isLinked(end_)) ++end_;
  fresh_ = kNone;
  growth_ = Growth::None;
  isInBurst_ = false;
  hasRequest_ = false;
  if (!isTooCostly(at)) readRequest();
}

void Forecast::readRequest() {
  hasRequest_ = end_ < events_.count() &&
                (events_.action[end_] == Action::Alloc || events_.action[end_] == Action::OutOfMemory);
  if (!hasRequest_) return;
  const uint64_t bytes = std::min(events_.size[end_], kLargestSize - 1);
  rounded_ = events_.action[end_] == Action::Alloc ? roundRequest(bytes, config_) : bytes;
  requestPool_ = events_.pool[end_];
  stream_ = recorded_.rankOf(events_.stream[end_]);
  isMissAtStart_ = isMiss(requestPool_);
}

bool Forecast::isMiss(uint16_t poolRow) {
  const PoolId pool = recorded_.poolOf(poolRow, isLargeRequest(rounded_));
  return recorded_.heap().findFree(pool, stream_, rounded_) == kNone;
}

/// New memory was taken, so whatever seems to fit did not.
bool Forecast::isMissAfterShrinking(uint16_t poolRow) {
  const PoolId pool = recorded_.poolOf(poolRow, isLargeRequest(rounded_));
  for (;;) {
    const BlockId found = recorded_.heap().findFree(pool, stream_, rounded_);
    if (found == kNone) return true;
    if (!recorded_.shrinkPassedOver(found, rounded_)) return false;
  }
}

void Forecast::beforeSegmentAlloc(size_t at, uint16_t poolRow) {
  forgetPlans();
  settleBurst(static_cast<EventIndex>(at));
  const bool isNeeded =
      hasRequest_ && ((poolRow == requestPool_ && isMissAtStart_) || isMissAfterShrinking(poolRow));
  const bool isRightSize = isNeeded && segmentSizeFor(rounded_, config_) == events_.size[at];
  const bool isRightKind = !config_.isExpandable || poolRow != defaultPool_;
  judge(isRightSize && isRightKind, at);
}

void Forecast::judge(bool isForeseen, size_t at) {
  if (isForeseen || !isCutOff(at)) score_.segmentEvent(isForeseen, static_cast<EventIndex>(at));
}

/// Where the rules would grow a range for the request.
void Forecast::planGrowth(uint16_t poolRow) {
  const PoolId pool = recorded_.poolOf(poolRow, isLargeRequest(rounded_));
  grown_ = recorded_.heap().findGrowth(pool, stream_, rounded_);
  growth_ = grown_ == kNone ? Growth::NewRange : Growth::Planned;
}

bool Forecast::isExpectedPiece(uint64_t address, uint64_t bytes) {
  const PytorchHeap& heap = recorded_.heap();
  const uint64_t granule = granuleOf(isLargeRequest(rounded_), config_);
  if (growth_ == Growth::NewRange) return bytes == roundUp(rounded_, granule);
  BlockId target = grown_;
  uint64_t wanted = rounded_;
  if (heap.block(target).use != BlockUse::Unmapped) {
    if (heap.block(target).bytes >= rounded_) return false;
    wanted = rounded_ - heap.block(target).bytes;
    target = heap.block(target).next;
  }
  if (target == kNone || heap.block(target).address != address) return false;
  return roundUp(std::min(wanted, heap.block(target).bytes), granule) == bytes;
}

void Forecast::beforeMap(size_t at) {
  settleBurst(static_cast<EventIndex>(at));
  const uint16_t poolRow = events_.pool[at];
  bool isForeseen = hasRequest_ && config_.isExpandable;
  if (isForeseen && growth_ == Growth::None) {
    isForeseen = isMissAtStart_ || isMissAfterShrinking(poolRow);
    planGrowth(poolRow);
    while (growth_ == Growth::Planned && !isExpectedPiece(events_.address[at], events_.size[at]) &&
           recorded_.endRange(grown_, rounded_, events_.address[at]))
      planGrowth(poolRow);
  }
  isForeseen = isForeseen && isExpectedPiece(events_.address[at], events_.size[at]);
  judge(isForeseen, at);
  if (!isForeseen) growth_ = Growth::None;
}

void Forecast::afterMap(BlockId block) {
  fresh_ = block;
  if (growth_ != Growth::None) {
    grown_ = block;
    growth_ = block == kNone ? Growth::None : Growth::Planned;
  }
}

/// The first memory a flush would return of one pair of pools and size class.
BlockId Forecast::firstOf(uint16_t poolRow, bool isLarge) {
  const PytorchHeap::Pool& pool = recorded_.heap().pool(recorded_.poolOf(poolRow, isLarge));
  if (!pool.whole.isEmpty()) return pool.whole.at(pool.whole.first()).id;
  if (!pool.returnable.isEmpty()) return pool.returnable.at(pool.returnable.first()).id;
  return kNone;
}

BlockId Forecast::likelyReturn(uint16_t poolRow) {
  for (const bool isLarge : {true, false})
    if (const BlockId block = firstOf(defaultPool_, isLarge); block != kNone) return block;
  const BlockId small = firstOf(poolRow, false);
  return small != kNone ? small : firstOf(poolRow, true);
}

/// Private pools come after the default one, small before large; in which order is up to a hash table.
BlockId Forecast::nextPrivateReturn(PoolId wanted) {
  const uint16_t poolRow = recorded_.poolRowOf(wanted);
  if (poolRow == defaultPool_) return kNone;
  if (isPrivatePhase_ && privatePool_ != poolRow) {
    if (firstOf(privatePool_, false) != kNone || firstOf(privatePool_, true) != kNone) return kNone;
  }
  isPrivatePhase_ = true;
  privatePool_ = poolRow;
  const BlockId small = firstOf(poolRow, false);
  return small != kNone ? small : firstOf(poolRow, true);
}

/// What a flush returns next: the default pool's large memory, its small, then released private pools.
BlockId Forecast::nextReturn(PoolId wanted) {
  for (const bool isLarge : {true, false})
    if (const BlockId block = firstOf(defaultPool_, isLarge); block != kNone) return block;
  return nextPrivateReturn(wanted);
}

/// With max_split_size, cached blocks of that size are tried before everything is flushed: the smallest one
/// that suffices, else from the largest down.
bool Forecast::isOversizeReturn(BlockId id) {
  const PytorchHeap& heap = recorded_.heap();
  if (config_.maxSplitSize == PytorchConfig::kUnlimited || !hasRequest_) return false;
  const PytorchHeap::Block& block = heap.block(id);
  const PoolId pool = recorded_.poolOf(requestPool_, isLargeRequest(rounded_));
  if (block.pool != pool || block.stream != stream_ || block.bytes < config_.maxSplitSize) return false;
  const OrderedSet& free = heap.pool(pool).free;
  const uint64_t least = std::max(rounded_, config_.maxSplitSize);
  const auto at = free.lowerBound({(uint64_t{stream_} << 48) | least, 0});
  if (!free.isEnd(at) && (free.at(at).key.high >> 48) == stream_) return free.at(at).id == id;
  const uint64_t lastOfStream = (uint64_t{stream_} << 48) | ((uint64_t{1} << 48) - 1);
  const auto* largest = free.lastAtOrBelow({lastOfStream, PytorchConfig::kUnlimited});
  return largest != nullptr && largest->id == id;
}

/// A flush first waits for all streams, so a block completed after its first segment_free is a later matter.
void Forecast::beforeCompletion(size_t at) {
  forgetPlans();
  if (isInBurst_ && !isOversizePhase_) settleBurst(static_cast<EventIndex>(at));
}

void Forecast::beforeReturn(size_t at, BlockId block) {
  forgetPlans();
  if (!isInBurst_) {
    isInBurst_ = true;
    isOversizePhase_ = true;
    isCollectable_ = config_.garbageCollectionThreshold > 0;
    isPrivatePhase_ = false;
    burstEvents_ = burstMatched_ = 0;
    burstMismatch_ = kNever;
  }
  const PytorchHeap& heap = recorded_.heap();
  isOversizePhase_ = isOversizePhase_ && isOversizeReturn(block);
  bool isMatched = isOversizePhase_;
  if (!isMatched && nextReturn(heap.block(block).pool) == block) {
    const bool isPiece = heap.block(block).isExpandable;
    const auto [from, to] = isPiece ? heap.granulesIn(block) : std::pair<uint64_t, uint64_t>{};
    isMatched = !isPiece || (from == events_.address[at] && to - from == events_.size[at]);
  }
  const PytorchHeap::Pool& pool = heap.pool(heap.block(block).pool);
  isCollectable_ =
      isCollectable_ && pool.isLarge && recorded_.poolRowOf(heap.block(block).pool) == defaultPool_;
  ++burstEvents_;
  burstMatched_ += isMatched ? 1 : 0;
  if (!isMatched && burstMismatch_ == kNever) burstMismatch_ = static_cast<EventIndex>(at);
}

/// A burst is over: a flush must have returned everything. One that can have been a garbage collection, whose
/// limit no recording states, is not judged, nor one whose beginning is not recorded.
void Forecast::settleBurst(EventIndex event) {
  if (!isInBurst_) return;
  isInBurst_ = false;
  const bool isOnlyOversize = isOversizePhase_;
  const bool isLeftBehind =
      !isOnlyOversize && (firstOf(defaultPool_, true) != kNone || firstOf(defaultPool_, false) != kNone);
  if (isLeftBehind && burstMismatch_ == kNever) {
    burstMismatch_ = event - 1;
    burstMatched_ -= 1;
  }
  if (burstMismatch_ != kNever && (isCollectable_ || isCutOff(static_cast<size_t>(event)))) return;
  score_.segmentEvents += burstEvents_;
  score_.segmentEventsMatched += burstMatched_;
  if (burstMismatch_ != kNever) score_.mismatch("segment-differs", burstMismatch_);
}

void Forecast::leave(size_t at) {
  if (at >= end_) settleBurst(static_cast<EventIndex>(at));
}

BlockId Forecast::choose(size_t at, uint64_t rounded, uint16_t poolRow) {
  if (at == end_ && fresh_ != kNone) {
    const BlockId made = fresh_;
    fresh_ = kNone;
    return made;
  }
  if (isTooCostly(at)) return kNone;
  const PoolId pool = recorded_.poolOf(poolRow, isLargeRequest(rounded));
  return recorded_.heap().findFree(pool, recorded_.rankOf(events_.stream[at]), rounded);
}

}  // namespace strata::pytorch
