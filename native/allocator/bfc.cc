#include "allocator/bfc.h"

#include <bit>

#include "allocator/candidates.h"

namespace strata {
namespace {

using Step = Decision::Step;
using Reason = Decision::Reason;

constexpr uint64_t kFirstRegion = uint64_t{2} << 20;
constexpr uint64_t kDefaultSplitThreshold = uint64_t{128} << 20;

uint64_t roundUp(uint64_t bytes) { return (bytes + BfcAllocator::kUnit - 1) & ~(BfcAllocator::kUnit - 1); }

/// The next size to try after the device refused one. Single precision on purpose: the real one rounds
/// there, and in double precision one step in ten differs.
uint64_t backOff(uint64_t bytes) {
  const uint64_t smaller = roundUp(static_cast<uint64_t>(static_cast<float>(bytes) * 0.9f));
  return smaller < bytes ? smaller : bytes - BfcAllocator::kUnit;
}

}  // namespace

BfcAllocator::BfcAllocator(const BfcOptions& options, Driver& driver) : options_(options), driver_(driver) {
  nextRegionBytes_ = roundUp(options.allowGrowth ? std::min(options.limit, kFirstRegion) : options.limit);
  splitThreshold_ =
      options.fragmentationFraction > 0.0
          ? static_cast<uint64_t>(options.fragmentationFraction * static_cast<double>(options.limit))
          : kDefaultSplitThreshold;
}

int BfcAllocator::binOf(uint64_t bytes) {
  return std::min(kBinCount, static_cast<int>(std::bit_width(std::max(bytes, kUnit) / kUnit))) - 1;
}

Placement BfcAllocator::allocate(uint64_t bytes, uint32_t) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  if (bytes > kLargestRequest) return {};
  const uint64_t rounded = roundUp(bytes);
  decide(Step::Round, Reason::None, 0, rounded);
  if (!stamped_.empty()) mergeSafe();
  if (decisions_) considerBySize(layout(), rounded, *decisions_);
  uint32_t found = findChunk(rounded);
  if (found == kNoBlock) found = findAfterMiss(rounded);
  if (found == kNoBlock) {
    decide(Step::Refuse, Reason::OutOfMemory, 0, rounded);
    return {};
  }

  Chunk& chunk = chunks_[found];
  chunk.state = State::InUse;
  chunk.requested = bytes;
  chunk.ordinal = static_cast<int64_t>(++statistics_.allocations);
  ++statistics_.usedChunks;
  statistics_.inUse += chunk.bytes;
  statistics_.peakInUse = std::max(statistics_.peakInUse, statistics_.inUse);
  statistics_.largestAllocation = std::max(statistics_.largestAllocation, chunk.bytes);
  return {chunk.address, chunk.bytes, found, Outcome::Placed};
}

void BfcAllocator::free(BlockHandle block) {
  Chunk& chunk = chunks_[block];
  chunk.state = State::Free;
  chunk.ordinal = -1;
  chunk.requested = 0;
  --statistics_.usedChunks;
  statistics_.inUse -= chunk.bytes;
  if (options_.hasTimingCounter) {
    chunk.stamp = ++counter_;
    insertFree(block);
    stamped_.push_back(block);
    decide(Step::Defer, Reason::NotYetSafe, chunk.address, chunk.bytes);
  } else {
    insertFree(coalesce(block, false));
  }
}

ControlResult BfcAllocator::control(const Control& control) {
  if (!options_.hasTimingCounter) return {};
  switch (control.kind) {
    case Control::Kind::AdvanceCounter:
      ++counter_;
      break;
    case Control::Kind::SetSafeFrontier:
      safeFrontier_ = std::max(safeFrontier_, control.value);
      break;
    case Control::Kind::SetFreedBy:
      freedBy_ = control.value;
      break;
    default:
      break;
  }
  return {};
}

/// The best fit, out of the tree and split; kNoBlock when nothing fits.
uint32_t BfcAllocator::findChunk(uint64_t rounded) {
  BestFitIndex::Cursor cursor;
  if (!freeChunks_.bestFit(rounded, cursor)) return kNoBlock;
  if (freedBy_ > 0) {
    while (chunks_[freeChunks_.blockAt(cursor)].stamp > freedBy_)
      if (!freeChunks_.advance(cursor)) return kNoBlock;
  }
  const uint32_t found = freeChunks_.blockAt(cursor);
  const uint64_t bytes = freeChunks_.bytesAt(cursor);
  freeChunks_.eraseAt(cursor);
  decide(Step::Take, Reason::Fits, chunks_[found].address, bytes);
  if (bytes >= 2 * rounded || bytes - rounded >= splitThreshold_) split(found, rounded);
  return found;
}

uint32_t BfcAllocator::findAfterMiss(uint64_t rounded) {
  if (extend(rounded)) {
    const uint32_t found = findChunk(rounded);
    if (found != kNoBlock) return found;
  }
  if (freedBy_ == 0 && !stamped_.empty() && mergeForced(rounded)) {
    const uint32_t found = findChunk(rounded);
    if (found != kNoBlock) return found;
  }
  if (collectFreeRegions(rounded) && extend(rounded)) return findChunk(rounded);
  return kNoBlock;
}

void BfcAllocator::split(uint32_t chunk, uint64_t bytes) {
  const uint32_t rest = newChunk();  // may move the chunks
  Chunk& low = chunks_[chunk];
  Chunk& high = chunks_[rest];
  high.address = low.address + bytes;
  high.bytes = low.bytes - bytes;
  high.stamp = low.stamp;
  high.region = low.region;
  high.previous = chunk;
  high.next = low.next;
  low.bytes = bytes;
  low.next = rest;
  if (high.next == kNoBlock)
    regions_[high.region].lastChunk = rest;
  else
    chunks_[high.next].previous = rest;
  decide(Step::Split, Reason::None, high.address, high.bytes);
  insertFree(rest);
}

void BfcAllocator::insertFree(uint32_t chunk) {
  freeChunks_.insert(chunks_[chunk].bytes, chunks_[chunk].address, chunk);
}

void BfcAllocator::eraseFree(uint32_t chunk) {
  freeChunks_.erase(chunks_[chunk].bytes, chunks_[chunk].address);
}

bool BfcAllocator::isMergeable(uint32_t chunk, bool ignoreStamps) const {
  return chunk != kNoBlock && chunks_[chunk].state == State::Free &&
         (ignoreStamps || chunks_[chunk].stamp == 0);
}

/// Merges a free chunk that is not in the tree with its free neighbours; the result is not in the tree.
uint32_t BfcAllocator::coalesce(uint32_t chunk, bool ignoreStamps) {
  if (!ignoreStamps && chunks_[chunk].stamp > 0) return chunk;
  const uint32_t next = chunks_[chunk].next;
  if (isMergeable(next, ignoreStamps)) {
    eraseFree(next);
    merge(chunk, next);
  }
  const uint32_t previous = chunks_[chunk].previous;
  if (!isMergeable(previous, ignoreStamps)) return chunk;
  eraseFree(previous);
  merge(previous, chunk);
  return previous;
}

void BfcAllocator::merge(uint32_t chunk, uint32_t next) {
  Chunk& low = chunks_[chunk];
  const Chunk& high = chunks_[next];
  low.bytes += high.bytes;
  low.stamp = std::max(low.stamp, high.stamp);
  low.next = high.next;
  if (low.next == kNoBlock)
    regions_[low.region].lastChunk = chunk;
  else
    chunks_[low.next].previous = chunk;
  decide(Step::Coalesce, Reason::None, low.address, low.bytes);
  deleteChunk(next);
}

uint32_t BfcAllocator::newChunk() {
  uint32_t chunk = unusedChunks_;
  if (chunk == kNoBlock) {
    chunk = static_cast<uint32_t>(chunks_.size());
    chunks_.emplace_back();
  } else {
    unusedChunks_ = chunks_[chunk].next;
    chunks_[chunk] = {};
  }
  chunks_[chunk].state = State::Free;
  return chunk;
}

void BfcAllocator::deleteChunk(uint32_t chunk) {
  chunks_[chunk].state = State::Unused;
  chunks_[chunk].next = unusedChunks_;
  unusedChunks_ = chunk;
}

Usage BfcAllocator::usage() const {
  return {.allocated = statistics_.inUse,
          .active = statistics_.inUse,
          .reserved = statistics_.pool,
          .peakAllocated = statistics_.peakInUse,
          .peakReserved = statistics_.peakPool,
          .largestFree = largestFree()};
}

Layout BfcAllocator::layout() const {
  Layout layout;
  for (const uint32_t row : regionOrder_) {
    const Region& region = regions_[row];
    LayoutSegment segment{.address = region.address, .bytes = region.bytes};
    segment.firstBlock = static_cast<uint32_t>(layout.blocks.size());
    for (uint32_t at = region.firstChunk; at != kNoBlock; at = chunks_[at].next) {
      const Chunk& chunk = chunks_[at];
      const bool isUsed = chunk.state == State::InUse;
      layout.blocks.push_back({.address = chunk.address,
                               .bytes = chunk.bytes,
                               .requested = chunk.requested,
                               .state = isUsed ? BlockState::Allocated : BlockState::Inactive,
                               .ordinal = chunk.ordinal,
                               .stamp = isUsed ? 0 : chunk.stamp});
    }
    segment.blockCount = static_cast<uint32_t>(layout.blocks.size()) - segment.firstBlock;
    layout.segments.push_back(segment);
  }
  return layout;
}

// --- regions ---------------------------------------------------------------------------------------------

bool BfcAllocator::extend(uint64_t rounded) {
  const uint64_t available = (options_.limit - statistics_.pool) & ~(kUnit - 1);
  if (rounded > available) {
    decide(Step::Grow, Reason::LimitReached, 0, rounded);
    return false;
  }
  bool isRaised = false;
  while (rounded > nextRegionBytes_ && nextRegionBytes_ <= std::numeric_limits<uint64_t>::max() / 2) {
    nextRegionBytes_ *= 2;
    isRaised = true;
  }
  uint64_t bytes = std::min(nextRegionBytes_, available);
  const std::optional<uint64_t> address = allocateRegion(bytes, rounded);
  if (!address) return false;
  if (!isRaised && nextRegionBytes_ <= std::numeric_limits<uint64_t>::max() / 2) nextRegionBytes_ *= 2;
  statistics_.pool += bytes;
  statistics_.peakPool = std::max(statistics_.peakPool, statistics_.pool);
  addRegion(*address, bytes);
  return true;
}

/// Asks the device for `bytes` and less and less; on success `bytes` is what it gave.
std::optional<uint64_t> BfcAllocator::allocateRegion(uint64_t& bytes, uint64_t rounded) {
  while (true) {
    const std::optional<uint64_t> address = driver_.allocate(bytes);
    if (address) {
      bytes = driver_.granted(bytes);
      emit(AllocatorEvent::Kind::DeviceAlloc, *address, bytes);
      decide(Step::Grow, Reason::None, *address, bytes);
      return address;
    }
    emit(AllocatorEvent::Kind::DeviceFail, 0, bytes);
    decide(Step::Grow, Reason::DeviceRefused, 0, bytes);
    bytes = backOff(bytes);
    if (bytes < rounded) return std::nullopt;
  }
}

void BfcAllocator::addRegion(uint64_t address, uint64_t bytes) {
  const auto isBelow = [&](uint32_t row, uint64_t value) { return regions_[row].address < value; };
  const auto at = std::lower_bound(regionOrder_.begin(), regionOrder_.end(), address, isBelow);
  const uint32_t added = newChunk();
  chunks_[added].address = address;
  chunks_[added].bytes = bytes;
  if (options_.coalesceRegions && at != regionOrder_.begin()) {
    const uint32_t row = *std::prev(at);
    Region& below = regions_[row];
    if (below.address + below.bytes == address) {
      below.bytes += bytes;
      chunks_[added].region = row;
      chunks_[added].previous = below.lastChunk;
      chunks_[below.lastChunk].next = added;
      below.lastChunk = added;
      insertFree(coalesce(added, false));
      return;
    }
  }
  uint32_t row = static_cast<uint32_t>(regions_.size());
  if (unusedRegions_.empty()) {
    regions_.emplace_back();
  } else {
    row = unusedRegions_.back();
    unusedRegions_.pop_back();
  }
  regions_[row] = {address, bytes, added, added};
  regionOrder_.insert(at, row);
  chunks_[added].region = row;
  insertFree(added);
}

bool BfcAllocator::isWhollyFree(const Region& region) const {
  for (uint32_t at = region.firstChunk; at != kNoBlock; at = chunks_[at].next)
    if (chunks_[at].state == State::InUse) return false;
  return true;
}

/// Returns every wholly free region, but only if the request may then fit under the limit.
bool BfcAllocator::collectFreeRegions(uint64_t rounded) {
  if (!options_.collectGarbage) return false;
  std::vector<uint32_t> freeRegions;
  uint64_t freeBytes = 0;
  for (const uint32_t row : regionOrder_) {
    if (!isWhollyFree(regions_[row])) continue;
    freeRegions.push_back(row);
    freeBytes += regions_[row].bytes;
  }
  if (freeBytes == 0 || rounded > options_.limit - statistics_.pool + freeBytes) return false;
  for (const uint32_t row : freeRegions) returnRegion(row);
  return true;
}

void BfcAllocator::returnRegion(uint32_t row) {
  const Region region = regions_[row];
  for (uint32_t at = region.firstChunk; at != kNoBlock;) {
    const uint32_t next = chunks_[at].next;
    eraseFree(at);
    deleteChunk(at);
    at = next;
  }
  driver_.free(region.address, region.bytes);
  emit(AllocatorEvent::Kind::DeviceFree, region.address, region.bytes);
  decide(Step::Flush, Reason::CollectGarbage, region.address, region.bytes);
  statistics_.pool -= region.bytes;
  regionOrder_.erase(std::find(regionOrder_.begin(), regionOrder_.end(), row));
  unusedRegions_.push_back(row);
}

// --- stamped chunks --------------------------------------------------------------------------------------

/// Takes the chunks to merge out of the queue, in order, drops what is stale and leaves what must wait.
std::vector<uint32_t> BfcAllocator::takeMergeable(bool isForced) {
  std::vector<uint32_t> mergeable;
  size_t waiting = 0;
  for (const uint32_t at : stamped_) {
    Chunk& chunk = chunks_[at];
    if (chunk.state != State::Free) continue;  // handed out or merged away meanwhile
    if (chunk.stamp < safeFrontier_) chunk.stamp = 0;
    if (chunk.stamp == 0 || isForced)
      mergeable.push_back(at);
    else
      stamped_[waiting++] = at;
  }
  stamped_.resize(waiting);
  return mergeable;
}

void BfcAllocator::mergeSafe() {
  for (const uint32_t at : takeMergeable(false)) {
    if (chunks_[at].state != State::Free) continue;  // swallowed by one before it
    eraseFree(at);
    insertFree(coalesce(at, false));
  }
}

/// Merges queued chunks whatever their stamps until one is large enough; the others stay queued.
bool BfcAllocator::mergeForced(uint64_t rounded) {
  bool isSatisfied = false;
  for (const uint32_t at : takeMergeable(true)) {
    if (chunks_[at].state != State::Free) continue;
    if (isSatisfied) {
      stamped_.push_back(at);
      continue;
    }
    eraseFree(at);
    const uint32_t merged = coalesce(at, true);
    insertFree(merged);
    if (merged != at && chunks_[merged].stamp > 0) stamped_.push_back(merged);
    isSatisfied = chunks_[merged].bytes >= rounded;
  }
  return isSatisfied;
}

}  // namespace strata
