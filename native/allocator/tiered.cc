#include "allocator/tiered.h"

#include <algorithm>

namespace strata {

using Step = Decision::Step;
using Reason = Decision::Reason;
using Kind = AllocatorEvent::Kind;

namespace {

constexpr uint64_t kPoolUnit = 512;
constexpr uint64_t kMostAddresses = uint64_t{1} << 62;

uint64_t roundUp(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

bool TieredAllocator::start() {
  memory_.start();
  return true;
}

Placement TieredAllocator::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  if (bytes > kLargestRequest) return {};
  Placement placement = askTiers(bytes, stream);
  if (placement.outcome != Outcome::Placed && makeRoom()) placement = askTiers(bytes, stream);
  if (placement.outcome == Outcome::Placed) return handOut(placement);
  decide(Step::Refuse, Reason::None, 0, bytes);
  emit(Kind::OutOfMemory, driver_.freeBytes(), bytes);
  return placement;
}

Placement TieredAllocator::handOut(const Placement& placement) {
  used_ += placement.bytes;
  peakUsed_ = std::max(peakUsed_, used_);
  peakHeld_ = std::max(peakHeld_, memory_.heldBytes());
  return placement;
}

Placement TieredAllocator::askTiers(uint64_t bytes, uint32_t stream) {
  const bool isVirtualFirst = options_.virtualFrom > 0 && bytes >= options_.virtualFrom;
  Placement placement = askImmediate(bytes, stream);
  if (placement.outcome != Outcome::Placed && isVirtualFirst) placement = askVirtual(bytes, stream);
  if (placement.outcome != Outcome::Placed) placement = askPooled(bytes, stream);
  if (placement.outcome != Outcome::Placed && !isVirtualFirst) placement = askVirtual(bytes, stream);
  return placement;
}

Placement TieredAllocator::askImmediate(uint64_t bytes, uint32_t stream) {
  decide(Step::Consider, Reason::ImmediateTier, 0, bytes);
  if (!options_.hasImmediate) {
    decide(Step::Consider, Reason::TierOff, 0, bytes);
    return {};
  }
  if (bytes >= options_.immediateBelow || bytes > options_.pageBytes) {
    decide(Step::Consider, Reason::AboveThreshold, 0, std::min(options_.immediateBelow, options_.pageBytes));
    return {};
  }
  const int sizeClass = SlabTier::classOf(bytes);
  decide(Step::Round, Reason::None, 0, SlabTier::classBytes(sizeClass));
  uint32_t slot = slabs_.take(sizeClass, stream, bytes);
  if (slot == kNoBlock) {
    decide(Step::Consider, Reason::NothingFree, 0, SlabTier::classBytes(sizeClass));
    if (!addSlab(sizeClass, stream)) return {};
    slot = slabs_.take(sizeClass, stream, bytes);
  }
  const SlabTier::Slot& taken = slabs_.slot(slot);
  const uint64_t address = memory_.address(taken.offset);
  decide(Step::Take, Reason::Fits, address, taken.bytes);
  return {address, taken.bytes, handleOf(slot, Region::Immediate), Outcome::Placed};
}

bool TieredAllocator::addSlab(int sizeClass, uint32_t stream) {
  const bool isAny = memory_.freePages() > 0;
  const std::vector<PagedMemory::TakenRun> taken = memory_.takePages(1);
  if (taken.empty()) {
    decide(Step::Grow, isAny ? Reason::DeviceRefused : Reason::NothingFree, 0, options_.pageBytes);
    return false;
  }
  const PagedMemory::TakenRun& page = taken.front();
  decide(Step::Grow, Reason::Fits, addressOf(page.pages), options_.pageBytes);
  if (!page.isNew) emitRun(Kind::SegmentUnmap, page.pages, Region::Pooled);
  emitRun(Kind::SegmentMap, page.pages, Region::Immediate);
  slabs_.addSlab(sizeClass, stream, page.pages.first * options_.pageBytes);
  return true;
}

Placement TieredAllocator::askPooled(uint64_t bytes, uint32_t stream) {
  const uint64_t rounded = roundUp(bytes, kPoolUnit);
  decide(Step::Consider, Reason::PooledTier, 0, rounded);
  if (!options_.hasPooled) {
    decide(Step::Consider, Reason::TierOff, 0, rounded);
    return {};
  }
  const std::optional<PagedMemory::Piece> hole = memory_.bestHole(rounded);
  if (!hole) {
    decide(Step::Consider, Reason::TooSmall, 0, memory_.largestHole());
    return {};
  }
  const uint64_t address = memory_.address(hole->offset);
  decide(Step::Consider, Reason::Fits, address, hole->bytes);
  const std::vector<PagedMemory::TakenRun> touched = memory_.take({hole->offset, rounded});
  if (touched.empty()) {
    decide(Step::Grow, Reason::DeviceRefused, address, rounded);
    return {};
  }
  for (const PagedMemory::TakenRun& run : touched) {
    if (!run.isNew) continue;
    decide(Step::Grow, Reason::Fits, addressOf(run.pages), run.pages.count * options_.pageBytes);
    emitRun(Kind::SegmentMap, run.pages, Region::Pooled);
  }
  decide(Step::Take, Reason::Fits, address, rounded);
  if (hole->bytes > rounded) decide(Step::Split, Reason::None, address + rounded, hole->bytes - rounded);
  const uint32_t row =
      pool_.add({.piece = {hole->offset, rounded}, .requested = bytes, .stream = stream, .isLive = true});
  poolRows_ = std::max(poolRows_, row + 1);
  return {address, rounded, handleOf(row, Region::Pooled), Outcome::Placed};
}

Placement TieredAllocator::askVirtual(uint64_t bytes, uint32_t stream) {
  const uint64_t rounded = roundUp(bytes, options_.pageBytes);
  decide(Step::Consider, Reason::VirtualTier, 0, rounded);
  if (!options_.hasVirtual) {
    decide(Step::Consider, Reason::TierOff, 0, rounded);
    return {};
  }
  const uint64_t count = rounded / options_.pageBytes;
  const uint64_t freePages = memory_.freePages();
  const bool isEnough = count <= freePages;
  decide(Step::Consider, isEnough ? Reason::Fits : Reason::TooSmall, 0, freePages * options_.pageBytes);
  if (!isEnough) return {};
  if (roundUp(rounded, options_.rangeBytes) > kMostAddresses - reservedAddresses_) {
    decide(Step::Consider, Reason::LimitReached, 0, rounded);
    return {};
  }
  const std::vector<PagedMemory::TakenRun> taken = memory_.takePages(count);
  if (taken.empty()) {
    decide(Step::Grow, Reason::DeviceRefused, 0, rounded);
    return {};
  }
  return mapPages(taken, bytes, stream);
}

Placement TieredAllocator::mapPages(const std::vector<PagedMemory::TakenRun>& taken, uint64_t bytes,
                                    uint32_t stream) {
  VirtualBlock block{.requested = bytes, .stream = stream, .isLive = true};
  for (const PagedMemory::TakenRun& run : taken) {
    const uint64_t runBytes = run.pages.count * options_.pageBytes;
    decide(Step::Consider, run.isNew ? Reason::None : Reason::Remapped, addressOf(run.pages), runBytes);
    if (!run.isNew) emitRun(Kind::SegmentUnmap, run.pages, Region::Pooled);
    block.bytes += runBytes;
    if (!block.runs.empty() && block.runs.back().first + block.runs.back().count == run.pages.first)
      block.runs.back().count += run.pages.count;
    else
      block.runs.push_back(run.pages);
  }
  block.rangeBytes = roundUp(block.bytes, options_.rangeBytes);
  block.address = driver_.reserveRange(block.rangeBytes);
  reservedAddresses_ += block.rangeBytes;
  driver_.calls.map += block.bytes / options_.pageBytes;
  driver_.calls.setAccess += 1;
  emit(Kind::SegmentMap, block.address, block.bytes, Region::Virtual);
  decide(Step::Take, Reason::Stitched, block.address, block.bytes);
  const uint32_t row = ranges_.add(block);
  rangeRows_ = std::max(rangeRows_, row + 1);
  return {block.address, block.bytes, handleOf(row, Region::Virtual), Outcome::Placed};
}

void TieredAllocator::free(BlockHandle block) {
  used_ -= bytesOf(block);
  if (!otherStreams_.contains(block)) {
    release(block);
    return;
  }
  setWaiting(block);
  waiting_.push_back(block);
  waitingBytes_ += bytesOf(block);
  decide(Step::Defer, Reason::NotYetSafe, 0, bytesOf(block));
}

void TieredAllocator::release(BlockHandle block) {
  const uint32_t row = block / 4;
  switch (tierOf(block)) {
    case Region::Immediate:
      slabs_.give(row);
      break;
    case Region::Pooled:
      giveBack(pool_[row].piece);
      pool_[row] = {};
      pool_.remove(row);
      break;
    case Region::Virtual:
      releaseVirtual(row);
      break;
  }
}

void TieredAllocator::releaseVirtual(uint32_t row) {
  const VirtualBlock block = std::move(ranges_[row]);
  ranges_[row] = {};
  ranges_.remove(row);
  driver_.calls.unmap += block.bytes / options_.pageBytes;
  driver_.releaseRange(block.address, block.rangeBytes);
  emit(Kind::SegmentUnmap, block.address, block.bytes, Region::Virtual);
  for (const PageRun& run : block.runs) {
    emitRun(Kind::SegmentMap, run, Region::Pooled);
    giveBack({run.first * options_.pageBytes, run.count * options_.pageBytes});
  }
}

void TieredAllocator::giveBack(const PagedMemory::Piece& piece) {
  const PagedMemory::Piece hole = memory_.give(piece);
  if (hole.bytes > piece.bytes)
    decide(Step::Coalesce, Reason::None, memory_.address(hole.offset), hole.bytes);
}

void TieredAllocator::recordStream(BlockHandle block, uint32_t stream) {
  if (stream == streamOf(block)) return;
  std::vector<uint32_t>& streams = otherStreams_[block];
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
}

ControlResult TieredAllocator::control(const Control& control) {
  if (control.kind == Control::Kind::Synchronize) {
    const std::optional<uint32_t> stream =
        control.hasStream ? std::optional<uint32_t>(control.stream) : std::nullopt;
    completeWaiting(stream);
    returnSlabs(stream, Reason::StepEnd);
  }
  if (control.kind == Control::Kind::EmptyCache) {
    returnSlabs(std::nullopt, Reason::Released);
    for (const PageRun& run : memory_.releaseFreePages()) {
      decide(Step::Flush, Reason::Released, addressOf(run), run.count * options_.pageBytes);
      emitRun(Kind::SegmentUnmap, run, Region::Pooled);
    }
  }
  return {};
}

/// Work of a stream, or of all, is done: forgets that it uses blocks, and frees those that nothing uses now.
void TieredAllocator::completeWaiting(std::optional<uint32_t> stream) {
  for (auto at = otherStreams_.begin(); at != otherStreams_.end();) {
    if (stream)
      std::erase(at->second, *stream);
    else
      at->second.clear();
    at = at->second.empty() ? otherStreams_.erase(at) : std::next(at);
  }
  std::vector<BlockHandle> still;
  for (const BlockHandle block : waiting_) {
    if (otherStreams_.contains(block)) {
      still.push_back(block);
      continue;
    }
    waitingBytes_ -= bytesOf(block);
    release(block);
  }
  waiting_ = std::move(still);
}

bool TieredAllocator::returnSlabs(std::optional<uint32_t> stream, Decision::Reason reason) {
  const std::vector<uint64_t> offsets = slabs_.removeEmpty(stream);
  for (const uint64_t offset : offsets) {
    const PageRun page{offset / options_.pageBytes, 1};
    decide(Step::Flush, reason, addressOf(page), options_.pageBytes);
    emitRun(Kind::SegmentUnmap, page, Region::Immediate);
    emitRun(Kind::SegmentMap, page, Region::Pooled);
    giveBack({offset, options_.pageBytes});
  }
  return !offsets.empty();
}

bool TieredAllocator::makeRoom() {
  const bool isWaiting = !waiting_.empty();
  if (isWaiting) {
    ++driver_.calls.synchronize;
    decide(Step::Consider, Reason::Synchronized, 0, waitingBytes_);
    completeWaiting(std::nullopt);
  }
  return returnSlabs(std::nullopt, Reason::OutOfMemory) || isWaiting;
}

void TieredAllocator::setWaiting(BlockHandle block) {
  const uint32_t row = block / 4;
  switch (tierOf(block)) {
    case Region::Immediate:
      slabs_.wait(row);
      break;
    case Region::Pooled:
      pool_[row].isWaiting = true;
      break;
    case Region::Virtual:
      ranges_[row].isWaiting = true;
      break;
  }
}

uint64_t TieredAllocator::bytesOf(BlockHandle block) const {
  const uint32_t row = block / 4;
  if (tierOf(block) == Region::Immediate) return slabs_.slot(row).bytes;
  return tierOf(block) == Region::Pooled ? pool_[row].piece.bytes : ranges_[row].bytes;
}

uint32_t TieredAllocator::streamOf(BlockHandle block) const {
  const uint32_t row = block / 4;
  if (tierOf(block) == Region::Immediate) return slabs_.streamOf(row);
  return tierOf(block) == Region::Pooled ? pool_[row].stream : ranges_[row].stream;
}

Usage TieredAllocator::usage() const {
  return {.allocated = used_,
          .active = used_ + waitingBytes_,
          .reserved = memory_.heldBytes(),
          .peakAllocated = peakUsed_,
          .peakReserved = peakHeld_,
          .largestFree = std::max(slabs_.largestFree(), memory_.largestHeld())};
}

}  // namespace strata
