#include "allocator/pytorch_recorded_heap.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace strata::pytorch {
namespace {

/// A range whose end no event shows gets this much unmapped space, more than any device has.
constexpr uint64_t kOpenEnd = kLargestSize;
/// Pieces of one stream and pool further apart than this belong to two ranges: 9/8 of any device's memory.
constexpr uint64_t kWidestRange = uint64_t{1} << 39;

std::vector<StreamRank> ranksOf(const std::vector<uint64_t>& streams) {
  std::vector<uint32_t> order(streams.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return streams[a] < streams[b]; });
  std::vector<StreamRank> ranks(std::max<size_t>(streams.size(), 1));
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<StreamRank>(i);
  return ranks;
}

}  // namespace

RecordedHeap::RecordedHeap(const Device& device, const PytorchConfig& config, Ledger& ledger, Score& score)
    : heap_(config),
      ledger_(ledger),
      score_(score),
      ranks_(ranksOf(device.streams)),
      pools_(std::max<size_t>(device.pools.size(), 1) * 2, kNone) {}

PoolId RecordedHeap::poolOf(uint16_t poolRow, bool isLarge) {
  PoolId& pool = pools_[size_t{poolRow} * 2 + (isLarge ? 1 : 0)];
  if (pool == kNone) pool = heap_.addPool(isLarge, poolRow);
  return pool;
}

void RecordedHeap::begin(const StartLayout& start) {
  beginSegments(start);
  SegmentId segment = kNone;
  BlockId at = kNone;  // no block of the segment before this one holds an address that is still to come
  for (const StartBlock& known : start.blocks) {
    Ledger::Block block;
    block.address = known.address;
    block.bytes = known.bytes;
    block.requested = known.requested;
    block.stack = known.stack;
    const SegmentId around = heap_.segmentAtOrBelow(known.address);
    if (around != segment) at = around == kNone ? kNone : heap_.segment(around).firstBlock;
    segment = around;
    while (at != kNone && heap_.end(at) <= known.address) at = heap_.block(at).next;
    const bool isFree =
        at != kNone && heap_.block(at).use == BlockUse::Free && heap_.end(at) >= known.address + known.bytes;
    if (isFree) {
      at = heap_.block(beginBlock(at, block, known.isWaiting)).next;
      slack_.back() = known.slack;
    } else {
      Ledger::Segment unknown;
      unknown.isLarge = isLargeRequest(roundRequest(known.requested, heap_.config()));
      const BlockId free = claim(block.address, block.bytes, unknown, kBeforeFirst);
      if (free != kNone) beginBlock(free, block, known.isWaiting);
      segment = kNone;
    }
  }
}

BlockId RecordedHeap::beginBlock(BlockId free, const Ledger::Block& block, bool isWaiting) {
  place(free, block, kBeforeFirst);
  const BlockId placed = live_.find(block.address);
  slack_.resize(ledger_.blocks().count(), 0);
  if (isWaiting) requestFree(placed, kBeforeFirst);
  return placed;
}

void RecordedHeap::beginSegments(const StartLayout& start) {
  std::vector<RangeBase> bases = start.rangeBases;
  for (const StartSegment& known : start.segments) {
    const Ledger::Segment segment{known.address, known.bytes, known.stack,   kNone,
                                  known.stream,  known.pool,  known.isLarge, known.isExpandable};
    if (known.isExpandable) {
      mapPiece(segment, kBeforeFirst);
      extendToBase(known, bases);
    } else {
      addSegment(segment, kBeforeFirst);
    }
  }
}

/// Gives the range that a piece has begun the unmapped space that is known to lie below it.
void RecordedHeap::extendToBase(const StartSegment& piece, std::vector<RangeBase>& bases) {
  const SegmentId range = heap_.segmentAtOrBelow(piece.address);
  if (range == kNone || heap_.segment(range).address != piece.address) return;
  const auto keyOf = [](const auto& of) { return std::make_tuple(of.stream, of.pool, of.isLarge); };
  const auto base = std::lower_bound(bases.begin(), bases.end(), keyOf(piece),
                                     [&](const RangeBase& of, const auto& key) { return keyOf(of) < key; });
  if (base == bases.end() || keyOf(*base) != keyOf(piece)) return;
  if (base->address >= piece.address || piece.address - base->address > kWidestRange) return;
  if (const SegmentId below = heap_.segmentAtOrBelow(base->address); below != kNone) {
    const BlockId tail = heap_.unmappedAt(below, base->address);
    const bool isOpen =
        tail != kNone && heap_.block(tail).next == kNone && heap_.block(tail).address < base->address;
    if (isOpen) heap_.trimRange(tail, base->address);
    if (heap_.segment(below).address + heap_.segment(below).bytes > base->address) return;
  }
  if (heap_.segmentAtOrAbove(base->address) != range) return;
  heap_.extendDown(range, base->address);
  base->address = PytorchConfig::kUnlimited;
}

uint32_t RecordedHeap::segmentRowAt(BlockId id) const {
  const PytorchHeap::Block& block = heap_.block(id);
  if (!block.isExpandable) return heap_.segment(block.segment).tag;
  const auto* piece = pieces_.lastAtOrBelow({0, block.address});
  return piece == nullptr ? kNone : piece->id;
}

uint32_t RecordedHeap::place(BlockId free, Ledger::Block block, EventIndex event) {
  const BlockId taken = heap_.takeExactly(free, block.address, block.bytes);
  const PytorchHeap::Block& placed = heap_.block(taken);
  const SegmentColumns& segments = ledger_.segments();
  block.segment = segmentRowAt(taken);
  block.stream = segments.stream[block.segment];
  block.pool = poolRowOf(placed.pool);
  block.region = segments.region[block.segment];
  const uint32_t row = ledger_.blockBorn(block, event);
  heap_.setTag(taken, row);
  live_.set(block.address, taken);
  return row;
}

BlockId RecordedHeap::claim(uint64_t address, uint64_t& bytes, const Ledger::Segment& ifUnknown,
                            EventIndex event) {
  BlockId id = heap_.blockAtOrBelow(address);
  const bool isKnown = id != kNone && heap_.end(id) > address && heap_.block(id).use != BlockUse::Unmapped;
  if (!isKnown) id = makeUpMemory(address, bytes, ifUnknown, event);
  if (id == kNone) return kNone;
  if (isLive(id)) id = evict(id, event);
  while (heap_.end(id) < address + bytes) {
    const BlockId next = heap_.block(id).next;
    if (next == kNone || !isLive(next)) break;
    id = evict(next, event);
  }
  if (heap_.end(id) < address + bytes) {
    score_.contradict(std::max(event, 0));
    bytes = heap_.end(id) - address;
  }
  return id;
}

BlockId RecordedHeap::makeUpMemory(uint64_t address, uint64_t bytes, Ledger::Segment segment,
                                   EventIndex event) {
  score_.contradict(std::max(event, 0));
  segment.address = address;
  const SegmentId above = heap_.segmentAtOrAbove(address + 1);
  const uint64_t room = above == kNone ? kLargestSize : heap_.segment(above).address - address;
  segment.bytes = std::min(bytes, room);
  const SegmentId below = heap_.segmentAtOrBelow(address);
  const bool isInside = below != kNone && heap_.segment(below).address + heap_.segment(below).bytes > address;
  if (isInside) {
    const PytorchHeap::Segment& range = heap_.segment(below);
    const Ledger::Segment sibling = ledger_.segment(range.tag);
    segment.stream = sibling.stream;
    segment.pool = sibling.pool;
    segment.isLarge = sibling.isLarge;
    segment.isExpandable = true;
    return mapPiece(segment, event);
  }
  segment.isExpandable = false;
  const BlockId free = addSegment(segment, event);
  if (free != kNone) madeUp_.set(address, 0);
  return free;
}

BlockId RecordedHeap::evict(BlockId id, EventIndex event) {
  score_.contradict(std::max(event, 0));
  live_.take(heap_.block(id).address);
  ledger_.blockDied(heap_.block(id).tag, event);
  return heap_.release(id);
}

void RecordedHeap::requestFree(BlockId id, EventIndex event) {
  heap_.setWaiting(id);
  ledger_.freeRequested(heap_.block(id).tag, event);
}

void RecordedHeap::completeFree(BlockId id, EventIndex event) {
  live_.take(heap_.block(id).address);
  ledger_.blockDied(heap_.block(id).tag, event);
  const BlockId free = heap_.release(id);
  if (madeUp_.size() == 0) return;
  const SegmentId segment = heap_.block(free).segment;
  const bool isWhole = heap_.block(free).bytes == heap_.segment(segment).bytes;
  if (!isWhole || madeUp_.take(heap_.segment(segment).address) == kNone) return;
  ledger_.segmentDied(heap_.segment(segment).tag, event);
  heap_.removeSegment(free);
}

bool RecordedHeap::shrinkPassedOver(BlockId free, uint64_t rounded) {
  const BlockId before = heap_.block(free).previous;
  if (before == kNone || !isLive(before) || heap_.block(free).use != BlockUse::Free) return false;
  const uint32_t row = heap_.block(before).tag;
  const uint64_t hidden = heap_.block(free).bytes - (rounded - kUnit);
  if (row >= slack_.size() || heap_.block(free).bytes < rounded || hidden > slack_[row]) return false;
  heap_.growInto(before, hidden);
  ledger_.blocks().bytes[row] += hidden;
  slack_[row] -= hidden;
  return true;
}

uint64_t RecordedHeap::hiddenBlocks() const {
  return static_cast<uint64_t>(
      std::count_if(slack_.begin(), slack_.end(), [](uint64_t slack) { return slack != 0; }));
}

uint64_t RecordedHeap::hiddenBytes() const {
  return std::accumulate(slack_.begin(), slack_.end(), uint64_t{0});
}

BlockId RecordedHeap::addSegment(const Ledger::Segment& segment, EventIndex event) {
  if (segment.bytes == 0 || !makeRoom(segment.address, segment.bytes, event)) return kNone;
  const PoolId pool = poolOf(segment.pool, segment.isLarge);
  const BlockId free = heap_.addSegment(segment.address, segment.bytes, pool, rankOf(segment.stream));
  heap_.setSegmentTag(heap_.block(free).segment, ledger_.segmentBorn(segment, event));
  return free;
}

/// Clears the way for a new segment: whatever is known there must have gone unseen.
bool RecordedHeap::makeRoom(uint64_t address, uint64_t bytes, EventIndex event) {
  for (;;) {
    const SegmentId id = heap_.segmentAtOrBelow(address + bytes - 1);
    if (id == kNone || heap_.segment(id).address + heap_.segment(id).bytes <= address) return true;
    const PytorchHeap::Segment& segment = heap_.segment(id);
    if (!segment.isExpandable) {
      score_.contradict(std::max(event, 0));
      removeSegment(id, event);
      continue;
    }
    const BlockId last = heap_.unmappedAt(id, address);
    const bool isPastMapped =
        last != kNone && heap_.block(last).next == kNone && heap_.block(last).address < address;
    if (!isPastMapped) {
      score_.contradict(std::max(event, 0));
      return false;
    }
    heap_.trimRange(last, address);
  }
}

BlockId RecordedHeap::ordinarySegmentAt(uint64_t address) const {
  const SegmentId id = heap_.segmentAtOrBelow(address);
  if (id == kNone || heap_.segment(id).address != address || heap_.segment(id).isExpandable) return kNone;
  return heap_.segment(id).firstBlock;
}

void RecordedHeap::removeSegment(SegmentId id, EventIndex event) {
  for (BlockId at = heap_.segment(id).firstBlock; at != kNone; at = heap_.block(at).next)
    if (isLive(at)) at = evict(at, event);
  ledger_.segmentDied(heap_.segment(id).tag, event);
  madeUp_.take(heap_.segment(id).address);
  heap_.removeSegment(heap_.segment(id).firstBlock);
}

BlockId RecordedHeap::newRange(const Ledger::Segment& piece, EventIndex event) {
  if (!makeRoom(piece.address, piece.bytes, event)) return kNone;
  const PoolId pool = poolOf(piece.pool, piece.isLarge);
  const StreamRank stream = rankOf(piece.stream);
  const SegmentId above = heap_.segmentAtOrAbove(piece.address);
  uint64_t room = kOpenEnd;
  if (above != kNone) {
    const PytorchHeap::Segment& next = heap_.segment(above);
    room = std::min(room, next.address - piece.address);
    const bool isSameRange = next.isExpandable && next.pool == pool && next.stream == stream;
    if (isSameRange && room <= kWidestRange) {
      heap_.extendDown(above, piece.address);
      return heap_.segment(above).firstBlock;
    }
  }
  return heap_.addRange(piece.address, room, pool, stream);
}

/// The unmapped block that begins where a piece does, in a range that exists or a new one.
BlockId RecordedHeap::unmappedFor(const Ledger::Segment& piece, EventIndex event) {
  const SegmentId id = heap_.segmentAtOrBelow(piece.address);
  if (id == kNone || heap_.segment(id).address + heap_.segment(id).bytes <= piece.address)
    return newRange(piece, event);
  const PytorchHeap::Segment& segment = heap_.segment(id);
  const bool isSameRange = segment.isExpandable && segment.stream == rankOf(piece.stream) &&
                           segment.pool == poolOf(piece.pool, piece.isLarge);
  if (!isSameRange) return newRange(piece, event);
  const BlockId unmapped = heap_.unmappedAt(id, piece.address);
  if (unmapped == kNone) {
    score_.contradict(std::max(event, 0));
    return kNone;
  }
  const uint64_t before = piece.address - heap_.block(unmapped).address;
  if (before > kWidestRange && heap_.block(unmapped).next == kNone) {
    heap_.trimRange(unmapped, piece.address);
    return newRange(piece, event);
  }
  return before > 0 ? heap_.splitUnmapped(unmapped, piece.address) : unmapped;
}

BlockId RecordedHeap::mapPiece(const Ledger::Segment& piece, EventIndex event) {
  uint64_t bytes = piece.bytes;
  const BlockId unmapped = bytes == 0 ? kNone : unmappedFor(piece, event);
  if (unmapped == kNone) return kNone;
  if (bytes > heap_.block(unmapped).bytes) {
    score_.contradict(std::max(event, 0));
    bytes = heap_.block(unmapped).bytes;
  }
  Ledger::Segment born = piece;
  born.bytes = bytes;
  born.isExpandable = true;
  const SegmentId range = heap_.block(unmapped).segment;
  born.range = heap_.segment(range).tag;
  const uint32_t row = ledger_.segmentBorn(born, event);
  if (born.range == kNone) heap_.setSegmentTag(range, row);
  pieces_.insert({0, piece.address}, row);
  return heap_.map(unmapped, bytes);
}

bool RecordedHeap::endRange(BlockId start, uint64_t rounded, uint64_t recorded) {
  const bool isUnmapped = heap_.block(start).use == BlockUse::Unmapped;
  const BlockId tail = isUnmapped ? start : heap_.block(start).next;
  if (tail == kNone || heap_.block(tail).use != BlockUse::Unmapped || heap_.block(tail).next != kNone)
    return false;
  if (heap_.block(tail).previous == kNone) return false;
  const PytorchHeap::Segment& range = heap_.segment(heap_.block(tail).segment);
  const uint64_t from = heap_.block(tail).address;
  if (recorded >= range.address && recorded <= from) return false;
  const uint64_t before = isUnmapped ? 0 : heap_.block(start).bytes;
  const uint64_t granule = heap_.pool(heap_.block(tail).pool).granule;
  const uint64_t kept = before < rounded ? (rounded - before - 1) / granule * granule : 0;
  if (kept >= heap_.block(tail).bytes || (recorded > from && recorded < from + kept)) return false;
  heap_.trimRange(tail, from + kept);
  return true;
}

void RecordedHeap::keepPiece(Ledger::Segment piece, uint64_t from, uint64_t to, EventIndex event) {
  piece.address = from;
  piece.bytes = to - from;
  pieces_.insert({0, from}, ledger_.segmentBorn(piece, event));
}

/// Ends the pieces between two addresses; the parts outside live on as new rows.
uint32_t RecordedHeap::dropPieces(uint64_t address, uint64_t end, EventIndex event) {
  uint32_t first = kNone;
  uint64_t below = end - 1;
  for (const auto* at = pieces_.lastAtOrBelow({0, below}); at != nullptr;
       at = pieces_.lastAtOrBelow({0, below})) {
    const uint32_t row = at->id;
    const Ledger::Segment piece = ledger_.segment(row);
    if (piece.address + piece.bytes <= address) break;
    pieces_.erase({0, piece.address});
    ledger_.segmentDied(row, event);
    if (piece.address + piece.bytes > end) keepPiece(piece, end, piece.address + piece.bytes, event);
    if (piece.address < address) keepPiece(piece, piece.address, address, event);
    first = row;
    if (piece.address <= address) break;
    below = piece.address - 1;
  }
  return first;
}

uint32_t RecordedHeap::unmapPiece(uint64_t address, uint64_t bytes, BlockId around, EventIndex event) {
  const SegmentId range = heap_.segmentAtOrBelow(address);
  if (range == kNone || !heap_.segment(range).isExpandable || bytes == 0) {
    score_.contradict(event);
    return kNone;
  }
  const uint64_t end = std::min(address + bytes, heap_.segment(range).address + heap_.segment(range).bytes);
  for (uint64_t at = address; at < end;) {
    BlockId id = at == address ? around : heap_.blockAtOrBelow(at);
    if (isLive(id)) id = evict(id, event);
    const uint64_t to = std::min(end, heap_.end(id));
    if (heap_.block(id).use == BlockUse::Free) {
      heap_.unmap(id, at, to - at);
    } else {
      score_.contradict(event);
    }
    at = to;
  }
  if (end < address + bytes) score_.contradict(event);
  const uint32_t row = end > address ? dropPieces(address, end, event) : kNone;
  const BlockId first = heap_.segment(range).firstBlock;
  if (heap_.block(first).use == BlockUse::Unmapped && heap_.block(first).next == kNone)
    heap_.removeSegment(first);
  return row;
}

}  // namespace strata::pytorch
