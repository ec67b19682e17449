#include "allocator/pytorch_follow.h"

#include <algorithm>

namespace strata::pytorch {
namespace {

constexpr uint64_t kTickEvery = uint64_t{1} << 16;

/// Whether events name their pool: PyTorch before 2.12 did not, and then all say the default one.
bool arePoolsRecorded(const Device& device) {
  if (device.pools.size() < 2) return true;
  const auto& pools = device.events.pool;
  return std::any_of(pools.begin(), pools.end(), [&](uint16_t pool) { return pool != pools.front(); });
}

size_t rowsNeeded(const EventColumns& events, const StartLayout& start, const FinalState& final) {
  const auto allocations = std::count(events.action.begin(), events.action.end(), Action::Alloc);
  return static_cast<size_t>(allocations) + start.blocks.size() + final.blockAddress.size() / 8;
}

}  // namespace

Follow::Follow(Device& device, const PytorchConfig& config, Ledger& ledger, Score& score)
    : device_(device),
      events_(device.events),
      config_(config),
      ledger_(ledger),
      score_(score),
      kinds_(freeKindsOf(device.events)),
      recorded_(device, config, ledger, score),
      forecast_(device, recorded_, score),
      isPoolRecorded_(arePoolsRecorded(device)) {}

void Follow::run(const StartLayout& start, const Tick& tick) {
  ledger_.reserveBlocks(rowsNeeded(events_, start, device_.final));
  recorded_.begin(start);
  for (size_t at = 0; at < events_.count(); ++at) {
    if (at % kTickEvery == 0) tick(at);
    if (forecast_.isLinked(at)) {
      forecast_.enter(at);
    } else if (at == forecast_.end()) {
      forecast_.leave(at);
    }
    step(at);
  }
  forecast_.leave(events_.count());
  tick(events_.count());
}

bool Follow::isPossible(size_t at) const {
  return events_.size[at] < kLargestSize &&
         events_.address[at] < PytorchConfig::kUnlimited - 2 * kLargestSize;
}

void Follow::step(size_t at) {
  const Action action = events_.action[at];
  const bool isMemory = action <= Action::SegmentUnmap;
  if (isMemory && !isPossible(at)) {
    events_.row[at] = kNone;
    return contradict(at);
  }
  switch (action) {
    case Action::Alloc:
      return onAlloc(at);
    case Action::FreeRequested:
      return onFreeRequested(at);
    case Action::FreeCompleted:
      return onFreeCompleted(at);
    case Action::SegmentAlloc:
      return onSegmentAlloc(at);
    case Action::SegmentFree:
      return onSegmentFree(at);
    case Action::SegmentMap:
      return onSegmentMap(at);
    case Action::SegmentUnmap:
      return onSegmentUnmap(at);
    default:
      return;
  }
}

/// The block the rules choose. Recordings that do not name pools are asked which pool the recorded place is
/// in.
Follow::Choice Follow::chooseFor(size_t at, uint64_t rounded) {
  const uint64_t address = events_.address[at];
  const PytorchHeap& heap = recorded_.heap();
  BlockId chosen = forecast_.choose(at, rounded, events_.pool[at]);
  while (chosen != kNone && heap.block(chosen).address != address &&
         recorded_.shrinkPassedOver(chosen, rounded))
    chosen = forecast_.choose(at, rounded, events_.pool[at]);
  if (chosen != kNone && heap.block(chosen).address == address) return {chosen, true};
  if (isPoolRecorded_) return {};
  const BlockId there = recorded_.heap().blockAtOrBelow(address);
  if (there == kNone || recorded_.poolRowOf(heap.block(there).pool) == events_.pool[at]) return {};
  chosen = forecast_.choose(at, rounded, recorded_.poolRowOf(heap.block(there).pool));
  if (chosen != kNone && heap.block(chosen).address == address) return {chosen, true};
  return {};
}

/// Bytes the rules hand out at an address inside a free block.
uint64_t Follow::sizeAt(BlockId free, uint64_t address, uint64_t rounded) const {
  const uint64_t available = recorded_.heap().end(free) - address;
  if (rounded >= available) return available;
  const bool isLarge = recorded_.heap().pool(recorded_.heap().block(free).pool).isLarge;
  return shouldSplit(available, rounded, isLarge, config_) ? rounded : available;
}

void Follow::onAlloc(size_t at) {
  const auto event = static_cast<EventIndex>(at);
  const uint32_t finalBlock = events_.row[at];
  events_.row[at] = kNone;
  Ledger::Block block;
  block.address = events_.address[at];
  block.requested = events_.size[at];
  block.stack = events_.stack[at];
  const uint64_t rounded = roundRequest(block.requested, config_);
  const Choice choice = chooseFor(at, rounded);
  if (choice.isForeseen || !forecast_.isCutOff(at)) score_.placement(choice.isForeseen, event);
  BlockId free = choice.block;
  const uint64_t known = finalBlock == kNone ? 0 : device_.final.blockBytes[finalBlock];
  block.bytes = free == kNone ? std::max(known, rounded) : sizeAt(free, block.address, rounded);
  if (free == kNone || (known != 0 && known != block.bytes)) {
    block.bytes = known != 0 ? known : rounded;
    Ledger::Segment unknown;
    unknown.stream = events_.stream[at];
    unknown.pool = events_.pool[at];
    unknown.isLarge = isLargeRequest(rounded);
    unknown.stack = block.stack;
    free = recorded_.claim(block.address, block.bytes, unknown, event);
    if (free == kNone) return;
    const uint64_t ruled = sizeAt(free, block.address, rounded);
    if (known == 0) block.bytes = std::min(ruled, recorded_.heap().end(free) - block.address);
    if (known != 0 && known != ruled) score_.mismatch("size-differs", event);
  }
  events_.row[at] = recorded_.place(free, block, event);
}

void Follow::onFreeRequested(size_t at) {
  const BlockId id = recorded_.liveAt(events_.address[at]);
  events_.row[at] = kNone;
  if (id == kNone) return contradict(at);
  const PytorchHeap::Block& block = recorded_.heap().block(id);
  events_.row[at] = block.tag;
  if (block.use == BlockUse::Waiting) return contradict(at);
  if (ledger_.blocks().requested[block.tag] != events_.size[at]) contradict(at);
  if (kinds_.hasCompleted) return recorded_.requestFree(id, static_cast<EventIndex>(at));
  recorded_.completeFree(id, static_cast<EventIndex>(at));
}

void Follow::onFreeCompleted(size_t at) {
  if (forecast_.isLinked(at)) forecast_.beforeCompletion(at);
  const BlockId id = recorded_.liveAt(events_.address[at]);
  events_.row[at] = kNone;
  if (id == kNone) return contradict(at);
  const PytorchHeap::Block& block = recorded_.heap().block(id);
  events_.row[at] = block.tag;
  if (kinds_.hasRequested && block.use != BlockUse::Waiting) contradict(at);
  recorded_.completeFree(id, static_cast<EventIndex>(at));
}

/// Whether a new segment is large: by the request it is for, else by its size.
bool Follow::isLargeSegment(size_t at) const {
  const bool isForRequest = at + 1 == forecast_.end() && forecast_.hasRequest();
  return isForRequest ? isLargeRequest(forecast_.rounded()) : events_.size[at] > kSmallSegment;
}

/// The pool of a segment event: the recording's, else that of the final segment at this place.
uint16_t Follow::poolRowOfSegment(size_t at, uint32_t finalSegment) const {
  if (isPoolRecorded_) return events_.pool[at];
  const auto& segments = device_.final.segments;
  if (finalSegment != kNone) return segments[finalSegment].pool;
  const auto above = std::upper_bound(segments.begin(), segments.end(), events_.address[at],
                                      [](uint64_t a, const auto& segment) { return a < segment.address; });
  if (above == segments.begin()) return events_.pool[at];
  const auto& around = *std::prev(above);
  const bool isRange = around.isExpandable && events_.address[at] - around.address < around.bytes;
  return isRange ? around.pool : events_.pool[at];
}

Ledger::Segment Follow::segmentOf(size_t at, bool isExpandable) const {
  Ledger::Segment segment;
  segment.address = events_.address[at];
  segment.bytes = events_.size[at];
  segment.stack = events_.stack[at];
  segment.stream = events_.stream[at];
  segment.isExpandable = isExpandable;
  return segment;
}

void Follow::onSegmentAlloc(size_t at) {
  const uint32_t finalSegment = events_.row[at];
  events_.row[at] = kNone;
  Ledger::Segment segment = segmentOf(at, false);
  segment.pool = poolRowOfSegment(at, finalSegment);
  segment.isLarge = finalSegment != kNone ? device_.final.segments[finalSegment].isLarge : isLargeSegment(at);
  forecast_.beforeSegmentAlloc(at, segment.pool);
  const BlockId block = recorded_.addSegment(segment, static_cast<EventIndex>(at));
  forecast_.afterSegmentAlloc(block);
  if (block != kNone) events_.row[at] = recorded_.heap().segment(recorded_.heap().block(block).segment).tag;
}

void Follow::onSegmentFree(size_t at) {
  const BlockId first = recorded_.ordinarySegmentAt(events_.address[at]);
  events_.row[at] = kNone;
  if (first == kNone) return contradict(at);
  const PytorchHeap& heap = recorded_.heap();
  const SegmentId id = heap.block(first).segment;
  events_.row[at] = heap.segment(id).tag;
  if (heap.segment(id).bytes != events_.size[at]) contradict(at);
  forecast_.beforeReturn(at, first);
  recorded_.removeSegment(id, static_cast<EventIndex>(at));
}

void Follow::onSegmentMap(size_t at) {
  Ledger::Segment piece = segmentOf(at, true);
  piece.pool = poolRowOfSegment(at, kNone);
  piece.isLarge = forecast_.hasRequest() ? isLargeRequest(forecast_.rounded()) : piece.bytes > kSmallSegment;
  forecast_.beforeMap(at);
  const auto rowsBefore = static_cast<uint32_t>(ledger_.segments().count());
  const BlockId block = recorded_.mapPiece(piece, static_cast<EventIndex>(at));
  forecast_.afterMap(block);
  events_.row[at] = block == kNone ? kNone : rowsBefore;
}

void Follow::onSegmentUnmap(size_t at) {
  const BlockId block = recorded_.blockAround(events_.address[at], forecast_.likelyReturn(events_.pool[at]));
  const bool isFree = block != kNone && recorded_.heap().block(block).use == BlockUse::Free;
  if (isFree) forecast_.beforeReturn(at, block);
  if (!isFree) forecast_.forgetPlans();
  events_.row[at] =
      recorded_.unmapPiece(events_.address[at], events_.size[at], block, static_cast<EventIndex>(at));
}

}  // namespace strata::pytorch
