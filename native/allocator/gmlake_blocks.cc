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
  for (const uint32_t at : gathered) free.insert(primitives_[at].runBytes, primitives_[at].address, at);
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
  setRun(added, added, bytes);
  enlist(added);
  return added;
}

void GmlakeBlocks::enlist(uint32_t head) {
  const Primitive& added = primitives_[head];
  Pool& pool = poolOf(added.stream);
  pool.primitives.insert(added.runBytes, added.address, head);
  pool.freeBytes += added.runBytes;
}

void GmlakeBlocks::delist(uint32_t head) {
  const Primitive& removed = primitives_[head];
  Pool& pool = poolOf(removed.stream);
  pool.primitives.erase(removed.runBytes, removed.address);
  pool.freeBytes -= removed.runBytes;
}

void GmlakeBlocks::setRun(uint32_t head, uint32_t tail, uint64_t bytes) {
  primitives_[head].runBytes = bytes;
  primitives_[head].runTail = tail;
  primitives_[tail].runHead = head;
}

/// A free piece that is in no list goes into use: the stitched blocks above it are not free any more.
void GmlakeBlocks::setBusy(uint32_t piece) {
  primitives_[piece].isFree = false;
  for (const uint32_t above : primitives_[piece].stitched) {
    Stitched& block = stitched_[above];
    if (block.busy++ == 0) poolOf(block.stream).stitched.erase(block.bytes, block.address);
  }
}

/// Cuts a free piece; the two stay one block. The stitched blocks above have both.
uint32_t GmlakeBlocks::cut(uint32_t piece, uint64_t bytes) {
  Primitive high = primitives_[piece];
  high.address += bytes;
  high.bytes -= bytes;
  high.previous = piece;
  const uint32_t next = high.next;
  const bool isTail = !isFree(next);
  const uint32_t added = newRow(primitives_, unusedPrimitives_, std::move(high));
  primitives_[piece].bytes = bytes;
  primitives_[piece].next = added;
  if (next != kNoBlock) primitives_[next].previous = added;
  if (isTail) primitives_[primitives_[added].runHead].runTail = added;
  for (const uint32_t above : primitives_[piece].stitched) {
    std::vector<uint32_t>& pieces = stitched_[above].pieces;
    pieces.insert(std::find(pieces.begin(), pieces.end(), piece) + 1, added);
  }
  return added;
}

uint32_t GmlakeBlocks::use(uint32_t head, uint64_t bytes, uint64_t requested) {
  delist(head);
  const uint64_t total = primitives_[head].runBytes;
  std::vector<uint32_t> pieces;
  uint64_t left = bytes;
  for (uint32_t piece = head; left > 0; piece = primitives_[piece].next) {
    if (primitives_[piece].bytes > left) cut(piece, left);
    left -= primitives_[piece].bytes;
    pieces.push_back(piece);
  }
  const uint32_t rest = total > bytes ? primitives_[pieces.back()].next : kNoBlock;
  const uint32_t tail = primitives_[head].runTail;
  for (const uint32_t piece : pieces) setBusy(piece);
  primitives_[head].runBytes = bytes;
  primitives_[head].requested = requested;
  if (rest == kNoBlock) return rest;
  setRun(rest, tail, total - bytes);
  enlist(rest);
  return rest;
}

void GmlakeBlocks::free(uint32_t head) {
  std::vector<uint32_t> pieces;
  uint64_t left = primitives_[head].runBytes;
  for (uint32_t piece = head; left > 0; piece = primitives_[piece].next) {
    left -= primitives_[piece].bytes;
    pieces.push_back(piece);
  }
  for (const uint32_t piece : pieces) freePiece(piece);
}

void GmlakeBlocks::freePiece(uint32_t piece) {
  Primitive& freed = primitives_[piece];
  freed.isFree = true;
  freed.isLent = freed.isWaiting = false;
  freed.requested = 0;
  for (const uint32_t above : freed.stitched) {
    Stitched& block = stitched_[above];
    if (--block.busy == 0) poolOf(block.stream).stitched.insert(block.bytes, block.address, above);
  }
  join(piece);
}

/// A free piece that is in no block becomes one with the free blocks beside it.
void GmlakeBlocks::join(uint32_t piece) {
  uint32_t head = piece, tail = piece;
  uint64_t bytes = primitives_[piece].bytes;
  const uint32_t previous = primitives_[piece].previous;
  if (isFree(previous)) {
    head = primitives_[previous].runHead;
    delist(head);
    bytes += primitives_[head].runBytes;
  }
  const uint32_t next = primitives_[piece].next;
  if (isFree(next)) {
    delist(next);
    bytes += primitives_[next].runBytes;
    tail = primitives_[next].runTail;
  }
  setRun(head, tail, bytes);
  enlist(head);
  tidy(piece);
}

/// Free pieces that touch and lie under no stitched block are one piece.
void GmlakeBlocks::tidy(uint32_t piece) {
  const auto isPlain = [&](uint32_t at) { return isFree(at) && primitives_[at].stitched.empty(); };
  if (!isPlain(piece)) return;
  while (isPlain(primitives_[piece].previous)) piece = primitives_[piece].previous;
  while (isPlain(primitives_[piece].next)) {
    const uint32_t high = primitives_[piece].next;
    const uint32_t after = primitives_[high].next;
    if (!isFree(after)) {
      const uint32_t head = primitives_[high].runHead;
      primitives_[head].runTail = piece;
      primitives_[piece].runHead = head;
    }
    primitives_[piece].bytes += primitives_[high].bytes;
    primitives_[piece].next = after;
    if (after != kNoBlock) primitives_[after].previous = piece;
    primitives_[high].isFree = false;
    unusedPrimitives_.push_back(high);
  }
}

/// Takes a free piece out of its block, which may become two.
void GmlakeBlocks::extract(uint32_t piece) {
  uint32_t head = piece;
  while (isFree(primitives_[head].previous)) head = primitives_[head].previous;
  delist(head);
  const uint32_t tail = primitives_[head].runTail;
  const uint64_t end = primitives_[tail].address + primitives_[tail].bytes;
  const uint32_t previous = primitives_[piece].previous, next = primitives_[piece].next;
  if (piece != head) {
    setRun(head, previous, primitives_[piece].address - primitives_[head].address);
    enlist(head);
  }
  if (piece != tail) {
    setRun(next, tail, end - primitives_[next].address);
    enlist(next);
  }
  setRun(piece, piece, primitives_[piece].bytes);
}

std::vector<uint32_t> GmlakeBlocks::wholeSegments() const {
  std::vector<uint32_t> whole;
  for (const Pool& pool : pools_) {
    pool.primitives.forEach([&](uint32_t head) {
      const uint32_t tail = primitives_[head].runTail;
      // Pieces under a stitched block in use stay apart from the others, so that a whole one is a single
      // piece.
      if (head == tail && primitives_[head].previous == kNoBlock && primitives_[head].next == kNoBlock &&
          primitives_[head].stitched.empty())
        whole.push_back(head);
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

uint32_t GmlakeBlocks::stitch(const std::vector<uint32_t>& blocks, uint64_t bytes) {
  Stitched made{.bytes = bytes, .stream = primitives_[blocks.front()].stream};
  uint64_t left = bytes;
  for (const uint32_t head : blocks) {
    for (uint32_t piece = head; left > 0; piece = primitives_[piece].next) {
      if (primitives_[piece].bytes > left) cut(piece, left);
      left -= primitives_[piece].bytes;
      made.pieces.push_back(piece);
      if (piece == primitives_[head].runTail) break;
    }
  }
  made.address = device_.reserveRange(bytes);
  const uint64_t address = made.address;
  const uint32_t stream = made.stream;
  const std::vector<uint32_t> pieces = made.pieces;
  const uint32_t added = newRow(stitched_, unusedStitched_, std::move(made));
  for (const uint32_t piece : pieces) primitives_[piece].stitched.push_back(added);
  device_.calls.map += bytes / kChunk;
  ++device_.calls.setAccess;
  stitchedBytes_ += bytes;
  poolOf(stream).stitched.insert(bytes, address, added);
  idle_.emplace(0, added);
  return added;
}

void GmlakeBlocks::useStitched(uint32_t stitched, uint64_t bytes, uint64_t requested) {
  idle_.erase({stitched_[stitched].idleSince, stitched});
  stitched_[stitched].usedBytes = bytes;
  stitched_[stitched].requested = requested;
  uint64_t left = bytes;
  for (size_t i = 0; left > 0; ++i) {
    const uint32_t piece = stitched_[stitched].pieces[i];
    extract(piece);
    const uint32_t rest = primitives_[piece].bytes > left ? cut(piece, left) : kNoBlock;
    setBusy(piece);
    primitives_[piece].isLent = true;
    left -= primitives_[piece].bytes;
    if (rest != kNoBlock) join(rest);
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
  for (const uint32_t piece : used) freePiece(piece);
}

void GmlakeBlocks::setWaiting(uint32_t block, bool isStitched) {
  if (isStitched)
    stitched_[block].isWaiting = true;
  else
    primitives_[block].isWaiting = true;
}

void GmlakeBlocks::drop(uint32_t stitched) {
  const Stitched block = std::move(stitched_[stitched]);
  stitched_[stitched] = {};
  idle_.erase({block.idleSince, stitched});
  if (block.busy == 0) poolOf(block.stream).stitched.erase(block.bytes, block.address);
  device_.calls.unmap += block.bytes / kChunk;
  device_.releaseRange(block.address, block.bytes);
  stitchedBytes_ -= block.bytes;
  unusedStitched_.push_back(stitched);
  for (const uint32_t piece : block.pieces) std::erase(primitives_[piece].stitched, stitched);
  for (const uint32_t piece : block.pieces) tidy(piece);
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
  uint64_t end = 0;  // of the block whose pieces these are
  for (uint32_t at = first; at != kNoBlock; at = primitives_[at].next) {
    const Primitive& block = primitives_[at];
    if (block.address < end) continue;
    if (block.isLent) {
      isOpen = false;
      continue;
    }
    end = block.address + block.runBytes;
    if (!isOpen)
      layout.segments.push_back({.address = block.address,
                                 .firstBlock = static_cast<uint32_t>(layout.blocks.size()),
                                 .region = Region::Virtual});
    isOpen = true;
    layout.segments.back().bytes += block.runBytes;
    ++layout.segments.back().blockCount;
    const BlockState used = block.isWaiting ? BlockState::PendingFree : BlockState::Allocated;
    layout.blocks.push_back({.address = block.address,
                             .bytes = block.runBytes,
                             .requested = block.isWaiting ? 0 : block.requested,
                             .state = block.isFree ? BlockState::Inactive : used});
  }
}

}  // namespace strata
