#include "allocator/gmlake.h"

#include <algorithm>

namespace strata {
namespace {

constexpr uint64_t kChunk = GmlakeBlocks::kChunk;

uint64_t roundUp(uint64_t bytes) { return (bytes + kChunk - 1) & ~(kChunk - 1); }

}  // namespace

Placement Gmlake::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  if (!options_.vmmDefragment || bytes <= kLargestSmall) return allocateSmall(bytes, stream);
  if (bytes > kLargestRequest) {
    decide(Step::Refuse, Reason::LimitReached, 0, bytes);
    return {};
  }
  pollStreams();
  const Request request{roundUp(bytes), bytes, streams_.positionOf(stream)};
  decide(Step::Round, Reason::None, 0, request.rounded);
  const uint32_t use = obtain(request);
  if (use == kNoBlock) {
    decide(Step::Refuse, Reason::OutOfMemory, 0, request.rounded);
    return {};
  }
  allocated_ += request.rounded;
  notePeaks();
  const Use& made = uses_[use];
  const uint64_t address = made.kind == Kind::Primitive ? blocks_.primitive(made.block).address
                                                        : blocks_.stitched(made.block).address;
  return {address, request.rounded, use, Outcome::Placed};
}

Placement Gmlake::allocateSmall(uint64_t bytes, uint32_t stream) {
  Placement placement = small_.allocate(bytes, stream);
  if (placement.outcome == Outcome::OutOfMemory && blocks_.reserved() > 0) {
    flush(Reason::OutOfMemory);
    placement = small_.allocate(bytes, stream);
  }
  if (placement.outcome != Outcome::Placed) return placement;
  placement.block = addUse(Kind::Small, placement.block, placement.bytes, 0);
  notePeaks();
  return placement;
}

uint32_t Gmlake::addUse(Kind kind, uint32_t block, uint64_t bytes, uint32_t stream) {
  return uses_.add({.bytes = bytes, .block = block, .stream = stream, .kind = kind});
}

void Gmlake::notePeaks() {
  const Usage small = small_.usage();
  peakAllocated_ = std::max({peakAllocated_, small.allocated + allocated_, small.peakAllocated});
  peakReserved_ = std::max({peakReserved_, small.reserved + blocks_.reserved(), small.peakReserved});
}

/// The states, in order; kNoBlock when the request fails.
uint32_t Gmlake::obtain(const Request& request) {
  for (const bool isRetry : {false, true}) {
    uint32_t use = findExact(request);
    if (use == kNoBlock) use = findLarger(request);
    if (use == kNoBlock) use = stitchOrGrow(request, isRetry || options_.defragLevel == 0);
    if (use == kNoBlock && !isRetry && options_.defragLevel > 0) use = stitchOrGrow(request, true);
    if (use != kNoBlock) return use;
    if (!isRetry) flush(Reason::OutOfMemory);
  }
  return kNoBlock;
}

/// S1.
uint32_t Gmlake::findExact(const Request& request) {
  const uint32_t primitive = blocks_.findPrimitive(request.stream, request.rounded);
  if (primitive != kNoBlock && blocks_.primitive(primitive).runBytes == request.rounded)
    return usePrimitive(primitive, request, Reason::ExactFit);
  const uint32_t stitched = blocks_.findStitched(request.stream, request.rounded);
  if (stitched != kNoBlock && blocks_.stitched(stitched).bytes == request.rounded)
    return useStitched(stitched, request, Reason::ExactFit);
  return kNoBlock;
}

/// S2.
uint32_t Gmlake::findLarger(const Request& request) {
  const uint32_t primitive = blocks_.findPrimitive(request.stream, request.rounded);
  if (primitive != kNoBlock) return usePrimitive(primitive, request, Reason::Fits);
  const uint64_t free = blocks_.freeBytes(request.stream);
  decide(Step::Consider, free == 0 ? Reason::NothingFree : Reason::TooSmall, 0, free);
  const uint32_t stitched = blocks_.findStitched(request.stream, request.rounded);
  if (stitched == kNoBlock) return kNoBlock;
  const GmlakeBlocks::Stitched& found = blocks_.stitched(stitched);
  const bool isWithinLimit = (found.bytes - 1) / request.rounded < options_.reuseLimit;  // cannot overflow
  if (isWithinLimit) return useStitched(stitched, request, Reason::Fits);
  decide(Step::Consider, Reason::RestTooLarge, found.address, found.bytes);
  return kNoBlock;
}

uint32_t Gmlake::usePrimitive(uint32_t block, const Request& request, Reason reason) {
  decide(Step::Take, reason, blocks_.primitive(block).address, request.rounded);
  const uint32_t rest = blocks_.use(block, request.rounded, request.requested);
  if (rest != kNoBlock)
    decide(Step::Split, Reason::None, blocks_.primitive(rest).address, blocks_.primitive(rest).runBytes);
  return addUse(Kind::Primitive, block, request.rounded, request.stream);
}

uint32_t Gmlake::useStitched(uint32_t block, const Request& request, Reason reason) {
  decide(Step::Take, reason, blocks_.stitched(block).address, request.rounded);
  blocks_.useStitched(block, request.rounded, request.requested);
  emitStitched(block, true);
  return addUse(Kind::Stitched, block, request.rounded, request.stream);
}

/// In the picture, memory moves to the stitched block that uses it, and back.
void Gmlake::emitStitched(uint32_t block, bool isUsed) const {
  if (!sink_) return;
  using Event = AllocatorEvent::Kind;
  const GmlakeBlocks::Stitched& stitched = blocks_.stitched(block);
  if (!isUsed) emit(Event::SegmentUnmap, stitched.address, stitched.usedBytes, Region::Virtual);
  blocks_.forEachUsed(block, [&](const GmlakeBlocks::Primitive& piece) {
    emit(isUsed ? Event::SegmentUnmap : Event::SegmentMap, piece.address, piece.bytes, Region::Virtual);
  });
  if (isUsed) emit(Event::SegmentMap, stitched.address, stitched.usedBytes, Region::Virtual);
}

/// S3 and S4.
uint32_t Gmlake::stitchOrGrow(const Request& request, bool mayStitch) {
  const uint64_t free = blocks_.freeBytes(request.stream);
  if (mayStitch && free > 0 && request.rounded < options_.fragLimit)
    decide(Step::Consider, Reason::BelowThreshold, 0, options_.fragLimit);
  const bool isStitching = mayStitch && free > 0 && request.rounded >= options_.fragLimit;
  if (isStitching) {
    if (free < request.rounded && create(request.rounded - free, request.stream) == kNoBlock) return kNoBlock;
    return stitch(request);
  }
  const uint32_t whole = create(request.rounded, request.stream);
  return whole == kNoBlock ? kNoBlock : usePrimitive(whole, request, Reason::None);
}

uint32_t Gmlake::create(uint64_t bytes, uint32_t stream) {
  const uint32_t created = blocks_.create(bytes, stream);
  if (created == kNoBlock) {
    decide(Step::Grow, Reason::DeviceRefused, 0, bytes);
    emit(AllocatorEvent::Kind::DeviceFail, 0, bytes, Region::Virtual);
    return kNoBlock;
  }
  const uint64_t address = blocks_.primitive(created).address;
  decide(Step::Grow, Reason::None, address, bytes);
  emit(AllocatorEvent::Kind::SegmentMap, address, bytes, Region::Virtual);
  notePeaks();
  return created;
}

uint32_t Gmlake::stitch(const Request& request) {
  const std::vector<uint32_t> pieces = blocks_.gather(request.stream, request.rounded);
  for (const uint32_t piece : pieces)
    decide(Step::Consider, Reason::Stitched, blocks_.primitive(piece).address,
           blocks_.primitive(piece).runBytes);
  const uint32_t use = useStitched(blocks_.stitch(pieces, request.rounded), request, Reason::Stitched);
  collect();
  return use;
}

void Gmlake::collect() {
  while (blocks_.stitchedBytes() > options_.autoGC && blocks_.idlest() != kNoBlock)
    dropIdlest(Reason::CollectGarbage);
}

void Gmlake::dropIdlest(Reason reason) {
  const uint32_t idlest = blocks_.idlest();
  decide(Step::Flush, reason, blocks_.stitched(idlest).address, blocks_.stitched(idlest).bytes);
  blocks_.drop(idlest);
}

/// Everything that is not in use goes back to the device, as far as it is in whole segments.
ControlResult Gmlake::flush(Reason reason) {
  if (!work_.isEmpty()) {
    decide(Step::Consider, Reason::Synchronized, 0, 0);
    ++device_.calls.synchronize;
    work_.synchronizeAll();
    pollStreams();
  }
  while (blocks_.idlest() != kNoBlock) dropIdlest(reason);
  for (const uint32_t whole : blocks_.wholeSegments()) {
    const GmlakeBlocks::Primitive& segment = blocks_.primitive(whole);
    decide(Step::Flush, reason, segment.address, segment.bytes);
    emit(AllocatorEvent::Kind::SegmentUnmap, segment.address, segment.bytes, Region::Virtual);
    blocks_.release(whole);
  }
  return small_.control({.kind = Control::Kind::EmptyCache});
}

void Gmlake::free(BlockHandle block) {
  const auto users = users_.find(block);
  Use& use = uses_[block];
  if (use.kind == Kind::Small) {
    small_.free(use.block);
    return uses_.remove(block);
  }
  allocated_ -= use.bytes;
  if (users == users_.end()) return complete(block);
  waiting_ += use.bytes;
  use.pendingEvents = static_cast<uint32_t>(users->second.size());
  blocks_.setWaiting(use.block, use.kind == Kind::Stitched);
  decide(Step::Defer, Reason::NotYetSafe, 0, use.bytes);
  for (const uint32_t stream : users->second) work_.record(static_cast<pytorch::StreamRank>(stream), block);
  users_.erase(users);
}

/// The block is free for good.
void Gmlake::complete(uint32_t use) {
  const Use done = uses_[use];
  uses_.remove(use);
  if (done.kind == Kind::Primitive) return blocks_.free(done.block);
  emitStitched(done.block, false);
  blocks_.freeStitched(done.block, ++clock_);
}

void Gmlake::pollStreams() {
  if (work_.isEmpty()) return;
  work_.takeCompleted([&](uint32_t use) {
    if (--uses_[use].pendingEvents > 0) return;
    waiting_ -= uses_[use].bytes;
    complete(use);
  });
}

void Gmlake::recordStream(BlockHandle block, uint32_t stream) {
  const Use& use = uses_[block];
  if (use.kind == Kind::Small) return small_.recordStream(use.block, stream);
  const uint32_t user = streams_.positionOf(stream);
  if (user == use.stream) return;
  std::vector<uint32_t>& users = users_[block];
  if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
}

ControlResult Gmlake::control(const Control& control) {
  if (control.kind == Control::Kind::EmptyCache) return flush(Reason::Released);
  if (control.kind == Control::Kind::Synchronize && control.hasStream)
    work_.synchronize(static_cast<pytorch::StreamRank>(streams_.positionOf(control.stream)));
  else if (control.kind == Control::Kind::Synchronize)
    work_.synchronizeAll();
  return small_.control(control);
}

Usage Gmlake::usage() const {
  const Usage small = small_.usage();
  return {.allocated = small.allocated + allocated_,
          .active = small.active + allocated_ + waiting_,
          .reserved = small.reserved + blocks_.reserved(),
          .peakAllocated = peakAllocated_,
          .peakReserved = peakReserved_,
          .largestFree = std::max(small.largestFree, blocks_.largestFree())};
}

Layout Gmlake::layout() const {
  Layout layout = small_.layout();
  blocks_.addTo(layout);
  std::sort(layout.segments.begin(), layout.segments.end(),
            [](const LayoutSegment& a, const LayoutSegment& b) { return a.address < b.address; });
  return layout;
}

}  // namespace strata
