#include "allocator/async_pool.h"

#include <algorithm>

namespace strata {
namespace {

uint64_t roundUp(uint64_t bytes, uint64_t step) {
  const uint64_t rest = bytes % step;
  return rest == 0 ? bytes : bytes + (step - rest);
}

}  // namespace

AsyncPool::AsyncPool(const AsyncPoolOptions& options, Driver& device)
    : options_(options), memory_(options.pieceBytes, device) {
  waits_.positionOf(0);
}

/// Something is given to a stream: time passes, and the default stream may order it.
uint32_t AsyncPool::begin(uint32_t stream) {
  ++clock_;
  const uint32_t position = waits_.positionOf(stream);
  if (options_.nonBlockingStreams) return position;
  if (position != 0) {
    waits_.waitForAll(position, 0, clock_);
    return position;
  }
  for (uint32_t other = 1; other < waits_.count(); ++other) waits_.waitForAll(0, other, clock_);
  return position;
}

Placement AsyncPool::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  const uint32_t position = begin(stream);
  if (bytes > kLargestRequest) {
    decide(Step::Refuse, Reason::LimitReached, 0, bytes);
    return {};
  }
  const Request request{roundUp(bytes, kUnit), bytes, position};
  decide(Step::Round, Reason::None, 0, request.rounded);
  const uint32_t block = obtain(request);
  if (block == kNoBlock) {
    decide(Step::Refuse, Reason::OutOfMemory, 0, request.rounded);
    return {};
  }
  const uint32_t rest = memory_.take(block, request.rounded, bytes, position, clock_);
  if (rest != kNoBlock)
    decide(Step::Split, Reason::None, memory_.block(rest).address, memory_.block(rest).bytes);
  used_ += request.rounded;
  usedHigh_ = std::max(usedHigh_, used_);
  return {memory_.block(block).address, request.rounded, block, Outcome::Placed};
}

/// A free block for the request, still in its list; kNoBlock when the pool is out of memory.
uint32_t AsyncPool::obtain(const Request& request) {
  Reason reason = Reason::None;
  uint32_t found = findFree(request, reason);
  if (found == kNoBlock) {
    found = findOrdered(request);
    reason = Reason::EventDependency;
  }
  if (found == kNoBlock) {
    found = findCompleted(request);
    reason = Reason::CompletedFree;
  }
  if (found == kNoBlock) {
    found = grow(request);
    reason = Reason::None;
  }
  if (found == kNoBlock) {
    found = findWorthWaiting(request);
    reason = Reason::InternalDependency;
  }
  if (found == kNoBlock) {
    found = waitForEverything(request);
    reason = Reason::Synchronized;
  }
  if (found != kNoBlock) decide(Step::Take, reason, memory_.block(found).address, request.rounded);
  return found;
}

/// Reports what a list had; built only for a sink.
void AsyncPool::considerList(uint32_t found, uint32_t stream) const {
  if (!decisions_) return;
  if (found != kNoBlock)
    return decide(Step::Consider, Reason::Fits, memory_.block(found).address, memory_.block(found).bytes);
  const uint64_t largest = stream == kNoBlock ? memory_.largestComplete() : memory_.largestOf(stream);
  decide(Step::Consider, largest == 0 ? Reason::NothingFree : Reason::TooSmall, 0, largest);
}

/// The better fit of the stream's own frees and complete memory.
uint32_t AsyncPool::findFree(const Request& request, Reason& reason) const {
  const uint32_t own = memory_.findOwn(request.stream, request.rounded);
  const uint32_t complete = memory_.findComplete(request.rounded);
  considerList(own, request.stream);
  considerList(complete, kNoBlock);
  const bool isOwn =
      own != kNoBlock && (complete == kNoBlock || memory_.block(own).bytes <= memory_.block(complete).bytes);
  reason = isOwn ? Reason::SameStream : Reason::CompletedFree;
  return isOwn ? own : complete;
}

/// FollowEventDependencies: a free on another stream that this stream already comes after.
uint32_t AsyncPool::findOrdered(const Request& request) const {
  if (!memory_.hasPending()) return kNoBlock;
  if (!options_.followEventDependencies) {
    decide(Step::Consider, Reason::PolicyOff, 0, 0);
    return kNoBlock;
  }
  for (uint32_t other = 0; other < memory_.streams(); ++other) {
    if (other == request.stream) continue;
    const uint32_t oldest = memory_.findOldest(other, request.rounded);
    if (oldest == kNoBlock) continue;
    if (memory_.block(oldest).time <= waits_.seen(request.stream, other)) return oldest;
    decide(Step::Consider, Reason::NotYetSafe, memory_.block(oldest).address, memory_.block(oldest).bytes);
  }
  return kNoBlock;
}

/// AllowOpportunistic: looks how far the streams have come.
uint32_t AsyncPool::findCompleted(const Request& request) {
  if (!memory_.hasPending()) return kNoBlock;
  if (!options_.allowOpportunistic) {
    decide(Step::Consider, Reason::PolicyOff, 0, 0);
    return kNoBlock;
  }
  if (clock_ < options_.completionLag) return kNoBlock;
  completeAll(clock_ - options_.completionLag);
  const uint32_t found = memory_.findComplete(request.rounded);
  considerList(found, kNoBlock);
  return found;
}

uint32_t AsyncPool::grow(const Request& request) {
  const uint64_t needed = roundUp(request.rounded, memory_.pieceBytes());
  const uint64_t moving = std::min(needed, memory_.spare());
  const uint64_t missing = needed - moving;
  if (missing > 0) {
    const uint64_t reserved = memory_.reserved();
    if (options_.maxSize > 0 && (reserved > options_.maxSize || missing > options_.maxSize - reserved)) {
      decide(Step::Grow, Reason::LimitReached, 0, missing);
      return kNoBlock;
    }
    if (!memory_.create(missing)) {
      decide(Step::Grow, Reason::DeviceRefused, 0, missing);
      emit(AllocatorEvent::Kind::DeviceFail, 0, missing, Region::Virtual);
      return kNoBlock;
    }
    reservedHigh_ = std::max(reservedHigh_, memory_.reserved());
  }
  memory_.unmap(moving, [&](uint64_t address, uint64_t bytes) {
    decide(Step::Flush, Reason::Remapped, address, bytes);
    emit(AllocatorEvent::Kind::SegmentUnmap, address, bytes, Region::Virtual);
  });
  const AsyncPoolMemory::Mapped mapped = memory_.map(needed);
  decide(Step::Grow, moving > 0 ? Reason::Remapped : Reason::None, mapped.address, needed);
  emit(AllocatorEvent::Kind::SegmentMap, mapped.address, needed, Region::Virtual);
  return mapped.block;
}

/// AllowInternalDependencies: the stream is made to wait for the earliest free that is large enough.
uint32_t AsyncPool::findWorthWaiting(const Request& request) {
  if (!memory_.hasPending()) return kNoBlock;
  if (!options_.allowInternalDependencies) {
    decide(Step::Consider, Reason::PolicyOff, 0, 0);
    return kNoBlock;
  }
  uint32_t earliest = kNoBlock;
  for (uint32_t other = 0; other < memory_.streams(); ++other) {
    if (other == request.stream) continue;
    const uint32_t oldest = memory_.findOldest(other, request.rounded);
    if (oldest == kNoBlock) continue;
    decide(Step::Consider, Reason::Fits, memory_.block(oldest).address, memory_.block(oldest).bytes);
    if (earliest == kNoBlock || memory_.block(oldest).time < memory_.block(earliest).time) earliest = oldest;
  }
  if (earliest != kNoBlock)
    waits_.wait(request.stream, memory_.block(earliest).stream, memory_.block(earliest).time);
  return earliest;
}

uint32_t AsyncPool::waitForEverything(const Request& request) {
  if (!memory_.hasPending()) return kNoBlock;
  decide(Step::Consider, Reason::Synchronized, 0, 0);
  memory_.countSynchronize();
  completeAll(clock_);
  const uint32_t found = memory_.findComplete(request.rounded);
  considerList(found, kNoBlock);
  return found != kNoBlock ? found : grow(request);
}

void AsyncPool::free(BlockHandle block) {
  const uint32_t stream = memory_.block(block).stream;
  const auto users = users_.find(block);
  ++clock_;
  if (users != users_.end()) {
    for (const uint32_t user : users->second) waits_.waitForAll(stream, user, clock_);
    users_.erase(users);
  }
  used_ -= memory_.block(block).bytes;
  const uint32_t merged = memory_.release(block, clock_);
  decide(Step::Defer, Reason::SameStream, memory_.block(merged).address, memory_.block(merged).bytes);
}

void AsyncPool::recordStream(BlockHandle block, uint32_t stream) {
  const uint32_t user = begin(stream);
  const AsyncPoolMemory::Block& used = memory_.block(block);
  if (user == used.stream) return;
  waits_.wait(user, used.stream, used.time);
  std::vector<uint32_t>& users = users_[block];
  if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
}

ControlResult AsyncPool::control(const Control& control) {
  ++clock_;
  switch (control.kind) {
    case Control::Kind::Synchronize:
      if (control.hasStream)
        synchronize(waits_.positionOf(control.stream));
      else
        completeAll(clock_);
      break;
    case Control::Kind::EmptyCache:
      completeAll(clock_);
      break;
    default:
      return {};
  }
  shrinkTo(options_.releaseThreshold, Reason::AboveThreshold);
  if (control.kind == Control::Kind::EmptyCache) trimTo(options_.minBytesToKeep);
  return {};
}

/// Everything given to a stream is done, and so is what it waited for.
void AsyncPool::synchronize(uint32_t stream) {
  for (uint32_t other = 0; other < memory_.streams(); ++other)
    memory_.complete(other, other == stream ? clock_ : waits_.seen(stream, other));
}

void AsyncPool::completeAll(uint64_t time) {
  for (uint32_t stream = 0; stream < memory_.streams(); ++stream) memory_.complete(stream, time);
}

void AsyncPool::trimTo(uint64_t minBytesToKeep) { shrinkTo(minBytesToKeep, Reason::Released); }

/// Gives whole free pieces back as long as `least` bytes stay.
void AsyncPool::shrinkTo(uint64_t least, Reason reason) {
  if (memory_.reserved() <= least) return;
  const uint64_t surplus = (memory_.reserved() - least) / memory_.pieceBytes() * memory_.pieceBytes();
  const uint64_t bytes = std::min(surplus, memory_.spare());
  if (bytes == 0) return;
  memory_.unmap(bytes, [&](uint64_t address, uint64_t run) {
    decide(Step::Flush, reason, address, run);
    emit(AllocatorEvent::Kind::SegmentUnmap, address, run, Region::Virtual);
  });
  memory_.giveBack(bytes);
}

void AsyncPool::resetHighMarks() {
  usedHigh_ = used_;
  reservedHigh_ = memory_.reserved();
}

Usage AsyncPool::usage() const {
  return {.allocated = used_,
          .active = used_,
          .reserved = memory_.reserved(),
          .peakAllocated = usedHigh_,
          .peakReserved = reservedHigh_,
          .largestFree = memory_.largestFree()};
}

/// A segment is a run of mapped memory, however many pieces and streams it is made of.
Layout AsyncPool::layout() const {
  Layout layout;
  bool isOpen = false;
  uint64_t end = 0;
  memory_.forEach([&](const AsyncPoolMemory::Block& block) {
    const bool isMapped = block.state != AsyncPoolMemory::State::Hole;
    if (isMapped && (!isOpen || block.address != end))
      layout.segments.push_back({.address = block.address,
                                 .firstBlock = static_cast<uint32_t>(layout.blocks.size()),
                                 .region = Region::Virtual});
    isOpen = isMapped;
    end = block.address + block.bytes;
    if (!isMapped) return;
    const bool isUsed = block.state == AsyncPoolMemory::State::InUse;
    layout.segments.back().bytes += block.bytes;
    ++layout.segments.back().blockCount;
    layout.blocks.push_back({.address = block.address,
                             .bytes = block.bytes,
                             .requested = block.requested,
                             .state = isUsed ? BlockState::Allocated : BlockState::Inactive});
  });
  return layout;
}

}  // namespace strata
