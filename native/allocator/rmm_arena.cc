#include "allocator/rmm_arena.h"

#include <algorithm>

#include "allocator/candidates.h"
#include "allocator/layout.h"
#include "allocator/rmm_pool.h"

namespace strata {

bool RmmArena::start() {
  const Placement placement = upstream_.allocate(arenaBytes_, 0);
  if (placement.outcome != Outcome::Placed) return false;
  firstSuperblock_ = superblocks_.add({.address = placement.address, .bytes = arenaBytes_});
  arenas_.emplace_back();
  const uint32_t block = blocks_.add(
      {.address = placement.address, .bytes = arenaBytes_, .superblock = firstSuperblock_, .isFree = true});
  superblocks_[firstSuperblock_].firstBlock = block;
  insertFree(block);
  return true;
}

Placement RmmArena::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  if (bytes > kLargestRequest) return {};
  const uint64_t rounded = (bytes + kRmmUnit - 1) & ~(kRmmUnit - 1);
  const uint32_t arena = streams_.positionOf(stream) + 1;
  if (arena == arenas_.size()) arenas_.emplace_back();
  const auto attempt = [&] {
    return rounded > kMinimumSuperblock ? allocateGlobal(rounded) : allocateFromStream(arena, rounded);
  };
  decide(Decision::Step::Round, Decision::Reason::None, 0, rounded);
  if (decisions_) considerBySize(layout(), rounded, *decisions_);
  uint32_t found = attempt();
  if (found == kNoBlock) {
    decide(Decision::Step::Coalesce, Decision::Reason::OutOfMemory, 0, 0);
    giveBackAll();
    found = attempt();
  }
  if (found == kNoBlock) {
    decide(Decision::Step::Refuse, Decision::Reason::OutOfMemory, 0, rounded);
    return {};
  }
  decide(Decision::Step::Take, Decision::Reason::Fits, blocks_[found].address, rounded);
  blocks_[found].requested = bytes;
  used_ += rounded;
  peak_ = std::max(peak_, used_);
  return {blocks_[found].address, rounded, found, Outcome::Placed};
}

uint32_t RmmArena::allocateGlobal(uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  Arena& global = arenas_[kGlobal];
  if (!global.freeBlocks.firstFit(bytes, cursor)) return kNoBlock;
  if (!isEmpty(blocks_[global.freeBlocks.at(cursor).block].superblock))
    return serveFirstFit(global, cursor, bytes);
  const uint32_t block = superblocks_[takeEmpty(cursor, bytes)].firstBlock;
  const uint32_t rest = cutHead(block, bytes);
  if (rest != kNoBlock) insertFree(rest);
  return block;
}

uint32_t RmmArena::allocateFromStream(uint32_t arena, uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  if (!arenas_[arena].freeBlocks.firstFit(bytes, cursor)) {
    if (!acquireSuperblock(arena, bytes)) return kNoBlock;
    arenas_[arena].freeBlocks.firstFit(bytes, cursor);
  }
  return serveFirstFit(arenas_[arena], cursor, bytes);
}

/// Makes the first global superblock that fits the stream's own.
bool RmmArena::acquireSuperblock(uint32_t arena, uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  if (!arenas_[kGlobal].freeBlocks.firstFit(bytes, cursor)) return false;
  uint32_t superblock = blocks_[arenas_[kGlobal].freeBlocks.at(cursor).block].superblock;
  std::vector<uint32_t> moving;
  if (isEmpty(superblock)) {
    superblock = takeEmpty(cursor, bytes);
    moving.push_back(superblocks_[superblock].firstBlock);
  } else {
    for (uint32_t at = superblocks_[superblock].firstBlock; at != kNoBlock; at = blocks_[at].next)
      if (blocks_[at].isFree) moving.push_back(at);
    for (const uint32_t block : moving) arenas_[kGlobal].freeBlocks.erase(blocks_[block].address);
  }
  superblocks_[superblock].owner = arena;
  arenas_[arena].superblocks.push_back(superblock);
  for (const uint32_t block : moving) insertFree(block);
  return true;
}

/// Takes the empty global superblock under the cursor out of the tree, cut when enough would remain.
uint32_t RmmArena::takeEmpty(FirstFitIndex::Cursor& cursor, uint64_t bytes) {
  FirstFitIndex& tree = arenas_[kGlobal].freeBlocks;
  const uint32_t block = tree.at(cursor).block;
  const uint32_t head = blocks_[block].superblock;
  const uint64_t headBytes = std::max(kMinimumSuperblock, bytes);
  if (superblocks_[head].bytes < headBytes + kMinimumSuperblock) {
    tree.eraseAt(cursor);
    return head;
  }
  const uint32_t rest = cutHead(block, headBytes);
  const Superblock whole = superblocks_[head];
  const uint32_t tail = superblocks_.add({.address = whole.address + headBytes,
                                          .bytes = whole.bytes - headBytes,
                                          .firstBlock = rest,
                                          .previous = head,
                                          .next = whole.next});
  superblocks_[head].bytes = headBytes;
  superblocks_[head].next = tail;
  if (whole.next != kNoBlock) superblocks_[whole.next].previous = tail;
  blocks_[block].next = kNoBlock;
  blocks_[block].isFree = true;
  blocks_[rest].previous = kNoBlock;
  blocks_[rest].superblock = tail;
  tree.replaceAt(cursor, {blocks_[rest].address, blocks_[rest].bytes, rest});
  return head;
}

/// Hands out the head of the free block under the cursor; what is left keeps its place in the tree.
uint32_t RmmArena::serveFirstFit(Arena& arena, const FirstFitIndex::Cursor& cursor, uint64_t bytes) {
  const uint32_t block = arena.freeBlocks.at(cursor).block;
  const uint32_t rest = cutHead(block, bytes);
  if (rest == kNoBlock) {
    FirstFitIndex::Cursor at = cursor;
    arena.freeBlocks.eraseAt(at);
  } else {
    arena.freeBlocks.replaceAt(cursor, {blocks_[rest].address, blocks_[rest].bytes, rest});
  }
  return block;
}

/// Marks the first bytes of a free block used and answers the block that is left, if any.
uint32_t RmmArena::cutHead(uint32_t block, uint64_t bytes) {
  blocks_[block].isFree = false;
  if (blocks_[block].bytes == bytes) return kNoBlock;
  const uint32_t rest = blocks_.add({});
  Block& low = blocks_[block];
  Block& high = blocks_[rest];
  high = {.address = low.address + bytes,
          .bytes = low.bytes - bytes,
          .previous = block,
          .next = low.next,
          .superblock = low.superblock,
          .isFree = true};
  low.bytes = bytes;
  low.next = rest;
  if (high.next != kNoBlock) blocks_[high.next].previous = rest;
  return rest;
}

void RmmArena::free(BlockHandle freed) {
  uint32_t block = freed;
  Absorbed absorbed;
  used_ -= blocks_[block].bytes;
  blocks_[block].requested = 0;
  blocks_[block].isFree = true;
  const uint32_t next = blocks_[block].next;
  if (next != kNoBlock && blocks_[next].isFree) {
    absorbed.add(blocks_[next].address);
    absorbNext(block);
  }
  const uint32_t previous = blocks_[block].previous;
  if (previous != kNoBlock && blocks_[previous].isFree) {
    absorbed.add(blocks_[previous].address);
    absorbNext(previous);
    block = previous;
  }
  const uint32_t superblock = blocks_[block].superblock;
  if (isEmptyGlobal(superblock)) block = superblocks_[mergeEmptyNeighbours(superblock, absorbed)].firstBlock;
  insertMerged(block, absorbed);
}

/// Merges an empty global superblock with its empty global neighbours.
uint32_t RmmArena::mergeEmptyNeighbours(uint32_t superblock, Absorbed& absorbed) {
  const uint32_t next = superblocks_[superblock].next;
  if (next != kNoBlock && isEmptyGlobal(next)) {
    absorbed.add(superblocks_[next].address);
    absorbNextSuperblock(superblock);
  }
  const uint32_t previous = superblocks_[superblock].previous;
  if (previous == kNoBlock || !isEmptyGlobal(previous)) return superblock;
  absorbed.add(superblocks_[previous].address);
  return absorbNextSuperblock(previous);
}

/// Puts a free block in the place of those it absorbed: no free block lies between them.
void RmmArena::insertMerged(uint32_t block, const Absorbed& absorbed) {
  if (absorbed.count == 0) return insertFree(block);
  const Block& merged = blocks_[block];
  FirstFitIndex& index = arenas_[superblocks_[merged.superblock].owner].freeBlocks;
  index.replaceRun(absorbed.lowest, absorbed.count, {merged.address, merged.bytes, block});
}

uint32_t RmmArena::absorbNextSuperblock(uint32_t superblock) {
  Superblock& low = superblocks_[superblock];
  const uint32_t next = low.next;
  const Superblock& high = superblocks_[next];
  blocks_[low.firstBlock].bytes += high.bytes;
  blocks_.remove(high.firstBlock);
  low.bytes += high.bytes;
  low.next = high.next;
  if (low.next != kNoBlock) superblocks_[low.next].previous = superblock;
  superblocks_.remove(next);
  return superblock;
}

void RmmArena::absorbNext(uint32_t block) {
  Block& low = blocks_[block];
  const uint32_t next = low.next;
  low.bytes += blocks_[next].bytes;
  low.next = blocks_[next].next;
  if (low.next != kNoBlock) blocks_[low.next].previous = block;
  blocks_.remove(next);
}

void RmmArena::giveBackAll() {
  for (uint32_t arena = kGlobal + 1; arena < arenas_.size(); ++arena) {
    std::vector<uint32_t> owned;
    owned.swap(arenas_[arena].superblocks);
    arenas_[arena].freeBlocks.forEach(
        [&](const FirstFitIndex::Entry& entry) { arenas_[kGlobal].freeBlocks.insert(entry); });
    arenas_[arena].freeBlocks.clear();
    for (const uint32_t superblock : owned) superblocks_[superblock].owner = kGlobal;
    // From the highest address down: a superblock is only ever absorbed by one below it, still to come.
    std::sort(owned.begin(), owned.end(),
              [&](uint32_t a, uint32_t b) { return superblocks_[a].address > superblocks_[b].address; });
    for (const uint32_t superblock : owned) {
      if (!isEmpty(superblock)) continue;
      Absorbed absorbed;
      absorbed.add(superblocks_[superblock].address);
      insertMerged(superblocks_[mergeEmptyNeighbours(superblock, absorbed)].firstBlock, absorbed);
    }
  }
}

bool RmmArena::isEmpty(uint32_t superblock) const {
  const Superblock& checked = superblocks_[superblock];
  const Block& first = blocks_[checked.firstBlock];
  return first.isFree && first.bytes == checked.bytes;
}

bool RmmArena::isEmptyGlobal(uint32_t superblock) const {
  return superblocks_[superblock].owner == kGlobal && isEmpty(superblock);
}

void RmmArena::insertFree(uint32_t block) {
  const Block& freed = blocks_[block];
  arenas_[superblocks_[freed.superblock].owner].freeBlocks.insert({freed.address, freed.bytes, block});
}

Usage RmmArena::usage() const {
  uint64_t largest = 0;
  for (const Arena& arena : arenas_) largest = std::max(largest, arena.freeBlocks.largest());
  const Usage upstream = upstream_.usage();
  return {.allocated = used_,
          .active = used_,
          .reserved = upstream.reserved,
          .peakAllocated = peak_,
          .peakReserved = upstream.peakReserved,
          .largestFree = largest};
}

Layout RmmArena::layout() const {
  std::vector<LayoutBlock> pieces;
  for (uint32_t owner = firstSuperblock_; owner != kNoBlock; owner = superblocks_[owner].next) {
    for (uint32_t at = superblocks_[owner].firstBlock; at != kNoBlock; at = blocks_[at].next) {
      const Block& block = blocks_[at];
      pieces.push_back({.address = block.address,
                        .bytes = block.bytes,
                        .requested = block.requested,
                        .state = block.isFree ? BlockState::Inactive : BlockState::Allocated});
    }
  }
  return subdivided(upstream_.layout(), std::move(pieces));
}

}  // namespace strata
