#include "allocator/gmlake_blocks.h"

#include <algorithm>

namespace strata {
namespace {

/// A row of the table that is not in use, or a new one.
template <typename Row>
uint32_t newRow(std::vector<Row>& rows, std::vector<uint32_t>& unused, Row row) {
  if (unused.empty()) {
    rows.push_back(std::move(row));
    return static_cast<uint32_t>(rows.size() - 1);
  }
  const uint32_t at = unused.back();
  unused.pop_back();
  rows[at] = std::move(row);
  return at;
}

}  // namespace

GmlakeBlocks::Pool& GmlakeBlocks::poolOf(uint32_t stream) {
  if (stream >= pools_.size()) pools_.resize(stream + 1);
  return pools_[stream];
}

uint64_t GmlakeBlocks::largestFree() const {
  uint64_t largest = 0;
  for (const Pool& pool : pools_) largest = std::max(largest, pool.primitives.largest());
  return largest;
}

uint32_t GmlakeBlocks::findPrimitive(uint32_t stream, uint64_t bytes) const {
  BestFitIndex::Cursor cursor;
  if (stream >= pools_.size() || !pools_[stream].primitives.bestFit(bytes, cursor)) return kNoBlock;
  return pools_[stream].primitives.blockAt(cursor);
}

uint32_t GmlakeBlocks::findStitched(uint32_t stream, uint64_t bytes) const {
  BestFitIndex::Cursor cursor;
  if (stream >= pools_.size() || !pools_[stream].stitched.bestFit(bytes, cursor)) return kNoBlock;
  return pools_[stream].stitched.blockAt(cursor);
}

std::vector<uint32_t> GmlakeBlocks::gather(uint32_t stream, uint64_t bytes) {
  std::vector<uint32_t> gathered;
  BestFitIndex& free = poolOf(stream).primitives;
  BestFitIndex::Cursor cursor;
  for (uint64_t sum = 0; sum < bytes && free.bestFit(free.largest(), cursor);) {
    gathered.push_back(free.blockAt(cursor));
    sum += free.bytesAt(cursor);
    free.eraseAt(cursor);
  }
  for (const uint32_t at : gathered) free.insert(primitives_[at].bytes, primitives_[at].address, at);
  return gathered;
}

// --- primitive blocks ------------------------------------------------------------------------------------

uint32_t GmlakeBlocks::create(uint64_t bytes, uint32_t stream) {
  if (!device_.createPhysical(bytes)) return kNoBlock;
  device_.calls.create += bytes / kChunk - 1;  // each chunk is a call of its own
  device_.calls.map += bytes / kChunk;
  ++device_.calls.setAccess;
  reserved_ += bytes;
  Primitive whole{.address = device_.reserveRange(bytes), .bytes = bytes, .stream = stream, .isFree = true};
  const uint32_t added = newRow(primitives_, unusedPrimitives_, std::move(whole));
  segments_.insert(added);
  enlist(added);
  return added;
}

void GmlakeBlocks::enlist(uint32_t primitive) {
  const Primitive& added = primitives_[primitive];
  Pool& pool = poolOf(added.stream);
  pool.primitives.insert(added.bytes, added.address, primitive);
  pool.freeBytes += added.bytes;
}

void GmlakeBlocks::delist(uint32_t primitive) {
  const Primitive& removed = primitives_[primitive];
  Pool& pool = poolOf(removed.stream);
  pool.primitives.erase(removed.bytes, removed.address);
  pool.freeBytes -= removed.bytes;
}

/// A free block that is in no list goes into use: the stitched blocks above it are not free any more.
void GmlakeBlocks::setBusy(uint32_t primitive) {
  primitives_[primitive].isFree = false;
  for (const uint32_t above : primitives_[primitive].stitched) {
    Stitched& block = stitched_[above];
    if (block.busy++ == 0) poolOf(block.stream).stitched.erase(block.bytes, block.address);
  }
}

/// Cuts a free block that is in no list; answers the high part, which is in none either. The stitched blocks
/// above have both.
uint32_t GmlakeBlocks::cut(uint32_t primitive, uint64_t bytes) {
  Primitive high = primitives_[primitive];
  high.address += bytes;
  high.bytes -= bytes;
  high.previous = primitive;
  const uint32_t next = high.next;
  const uint32_t added = newRow(primitives_, unusedPrimitives_, std::move(high));
  primitives_[primitive].bytes = bytes;
  primitives_[primitive].next = added;
  if (next != kNoBlock) primitives_[next].previous = added;
  for (const uint32_t above : primitives_[primitive].stitched) {
    std::vector<uint32_t>& pieces = stitched_[above].pieces;
    pieces.insert(std::find(pieces.begin(), pieces.end(), primitive) + 1, added);
  }
  return added;
}

uint32_t GmlakeBlocks::use(uint32_t primitive, uint64_t bytes, uint64_t requested) {
  delist(primitive);
  uint32_t rest = kNoBlock;
  if (primitives_[primitive].bytes > bytes) {
    rest = cut(primitive, bytes);
    enlist(rest);
  }
  setBusy(primitive);
  primitives_[primitive].requested = requested;
  return rest;
}

void GmlakeBlocks::free(uint32_t primitive) {
  Primitive& freed = primitives_[primitive];
  freed.isFree = true;
  freed.isLent = freed.isWaiting = false;
  freed.requested = 0;
  for (const uint32_t above : freed.stitched) {
    Stitched& block = stitched_[above];
    if (--block.busy == 0) poolOf(block.stream).stitched.insert(block.bytes, block.address, above);
  }
  enlist(primitive);
  mergeAround(primitive);
}

bool GmlakeBlocks::canMerge(uint32_t primitive) const {
  return primitive != kNoBlock && primitives_[primitive].isFree && primitives_[primitive].stitched.empty();
}

/// Merges a free block that is in its list with its neighbours: with several, after a stitched block is gone.
void GmlakeBlocks::mergeAround(uint32_t primitive) {
  if (!canMerge(primitive)) return;
  while (canMerge(primitives_[primitive].next)) merge(primitive, primitives_[primitive].next);
  while (canMerge(primitives_[primitive].previous)) {
    const uint32_t previous = primitives_[primitive].previous;
    merge(previous, primitive);
    primitive = previous;
  }
}

void GmlakeBlocks::merge(uint32_t low, uint32_t high) {
  delist(low);
  delist(high);
  primitives_[low].bytes += primitives_[high].bytes;
  primitives_[low].next = primitives_[high].next;
  if (primitives_[low].next != kNoBlock) primitives_[primitives_[low].next].previous = low;
  primitives_[high].isFree = false;
  unusedPrimitives_.push_back(high);
  enlist(low);
}

std::vector<uint32_t> GmlakeBlocks::wholeSegments() const {
  std::vector<uint32_t> whole;
  for (const Pool& pool : pools_) {
    pool.primitives.forEach([&](uint32_t at) {
      const Primitive& block = primitives_[at];
      if (block.previous == kNoBlock && block.next == kNoBlock && block.stitched.empty()) whole.push_back(at);
    });
  }
  return whole;
}

void GmlakeBlocks::release(uint32_t primitive) {
  delist(primitive);
  const Primitive& released = primitives_[primitive];
  device_.calls.unmap += released.bytes / kChunk;
  device_.releasePhysical(released.bytes);
  device_.calls.releasePhysical += released.bytes / kChunk - 1;
  device_.releaseRange(released.address, released.bytes);
  reserved_ -= released.bytes;
  primitives_[primitive].isFree = false;
  segments_.erase(primitive);
  unusedPrimitives_.push_back(primitive);
}

// --- stitched blocks -------------------------------------------------------------------------------------

uint32_t GmlakeBlocks::stitch(const std::vector<uint32_t>& primitives, uint64_t bytes) {
  uint64_t sum = 0;
  for (const uint32_t piece : primitives) sum += primitives_[piece].bytes;
  const uint32_t last = primitives.back();
  if (sum > bytes) {
    delist(last);
    const uint32_t rest = cut(last, primitives_[last].bytes - (sum - bytes));
    enlist(last);
    enlist(rest);
  }
  Stitched block{.address = device_.reserveRange(bytes), .bytes = bytes, .pieces = primitives};
  block.stream = primitives_[last].stream;
  const uint32_t added = newRow(stitched_, unusedStitched_, std::move(block));
  for (const uint32_t piece : primitives) primitives_[piece].stitched.push_back(added);
  device_.calls.map += bytes / kChunk;
  ++device_.calls.setAccess;
  stitchedBytes_ += bytes;
  const Stitched& made = stitched_[added];
  poolOf(made.stream).stitched.insert(made.bytes, made.address, added);
  idle_.emplace(made.idleSince, added);
  return added;
}

void GmlakeBlocks::useStitched(uint32_t stitched, uint64_t bytes, uint64_t requested) {
  idle_.erase({stitched_[stitched].idleSince, stitched});
  stitched_[stitched].usedBytes = bytes;
  stitched_[stitched].requested = requested;
  uint64_t left = bytes;
  for (size_t i = 0; left > 0; ++i) {
    const uint32_t piece = stitched_[stitched].pieces[i];
    use(piece, std::min(left, primitives_[piece].bytes), 0);
    primitives_[piece].isLent = true;
    left -= primitives_[piece].bytes;
  }
}

void GmlakeBlocks::freeStitched(uint32_t stitched, uint64_t now) {
  std::vector<uint32_t> used;
  uint64_t bytes = 0;
  for (const uint32_t piece : stitched_[stitched].pieces) {
    if (bytes == stitched_[stitched].usedBytes) break;
    bytes += primitives_[piece].bytes;
    used.push_back(piece);
  }
  Stitched& block = stitched_[stitched];
  block.usedBytes = block.requested = 0;
  block.isWaiting = false;
  block.idleSince = now;
  idle_.emplace(now, stitched);
  for (const uint32_t piece : used) free(piece);
}

void GmlakeBlocks::setWaiting(uint32_t block, bool isStitched) {
  if (isStitched)
    stitched_[block].isWaiting = true;
  else
    primitives_[block].isWaiting = true;
}

void GmlakeBlocks::drop(uint32_t stitched) {
  const Stitched block = std::move(stitched_[stitched]);
  idle_.erase({block.idleSince, stitched});
  if (block.busy == 0) poolOf(block.stream).stitched.erase(block.bytes, block.address);
  device_.calls.unmap += block.bytes / kChunk;
  device_.releaseRange(block.address, block.bytes);
  stitchedBytes_ -= block.bytes;
  unusedStitched_.push_back(stitched);
  for (const uint32_t piece : block.pieces) std::erase(primitives_[piece].stitched, stitched);
  for (const uint32_t piece : block.pieces)
    if (primitives_[piece].isFree) mergeAround(piece);
}

// --- layout ----------------------------------------------------------------------------------------------

void GmlakeBlocks::addTo(Layout& layout) const {
  for (const uint32_t first : segments_) addSegmentTo(layout, first);
  for (const Stitched& block : stitched_) {
    if (block.usedBytes == 0) continue;
    layout.segments.push_back({.address = block.address,
                               .bytes = block.usedBytes,
                               .firstBlock = static_cast<uint32_t>(layout.blocks.size()),
                               .blockCount = 1,
                               .region = Region::Virtual});
    layout.blocks.push_back({.address = block.address,
                             .bytes = block.usedBytes,
                             .requested = block.isWaiting ? 0 : block.requested,
                             .state = block.isWaiting ? BlockState::PendingFree : BlockState::Allocated});
  }
}

void GmlakeBlocks::addSegmentTo(Layout& layout, uint32_t first) const {
  bool isOpen = false;
  for (uint32_t at = first; at != kNoBlock; at = primitives_[at].next) {
    const Primitive& block = primitives_[at];
    if (block.isLent) {
      isOpen = false;
      continue;
    }
    if (!isOpen)
      layout.segments.push_back({.address = block.address,
                                 .firstBlock = static_cast<uint32_t>(layout.blocks.size()),
                                 .region = Region::Virtual});
    isOpen = true;
    layout.segments.back().bytes += block.bytes;
    ++layout.segments.back().blockCount;
    const BlockState used = block.isWaiting ? BlockState::PendingFree : BlockState::Allocated;
    layout.blocks.push_back({.address = block.address,
                             .bytes = block.bytes,
                             .requested = block.isWaiting ? 0 : block.requested,
                             .state = block.isFree ? BlockState::Inactive : used});
  }
}

}  // namespace strata
