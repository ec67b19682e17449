#include "allocator/pytorch_heap.h"

namespace strata::pytorch {

PoolId PytorchHeap::addPool(bool isLarge, uint32_t tag) {
  Pool pool;
  pool.isLarge = isLarge;
  pool.tag = tag;
  pool.granule = granuleOf(isLarge, config_);
  pools_.push_back(std::move(pool));
  return static_cast<PoolId>(pools_.size() - 1);
}

BlockId PytorchHeap::newBlock(const Block& values) {
  BlockId id;
  if (spareBlocks_.empty()) {
    id = static_cast<BlockId>(blocks_.size());
    blocks_.push_back(values);
  } else {
    id = spareBlocks_.back();
    spareBlocks_.pop_back();
    blocks_[id] = values;
  }
  if (isIndexed_) blockOrder_.insert({0, values.address}, id);
  return id;
}

void PytorchHeap::dropBlock(BlockId id) {
  if (isIndexed_) blockOrder_.erase({0, blocks_[id].address});
  spareBlocks_.push_back(id);
}

void PytorchHeap::moveStart(BlockId id, uint64_t address) {
  Block& block = blocks_[id];
  if (isIndexed_) blockOrder_.erase({0, block.address});
  block.bytes = end(id) - address;
  block.address = address;
  if (isIndexed_) blockOrder_.insert({0, address}, id);
}

BlockId PytorchHeap::addSegmentWith(BlockUse use, uint64_t address, uint64_t bytes, PoolId pool,
                                    StreamRank stream) {
  const bool isExpandable = use == BlockUse::Unmapped;
  SegmentId segment;
  if (spareSegments_.empty()) {
    segment = static_cast<SegmentId>(segments_.size());
    segments_.emplace_back();
  } else {
    segment = spareSegments_.back();
    spareSegments_.pop_back();
  }
  Block values;
  values.address = address;
  values.bytes = bytes;
  values.segment = segment;
  values.pool = pool;
  values.stream = stream;
  values.use = use;
  values.isExpandable = isExpandable;
  const BlockId id = newBlock(values);
  segments_[segment] = {address, bytes, id, kNone, pool, stream, isExpandable};
  segmentOrder_.insert({0, address}, segment);
  enter(id);
  return id;
}

BlockId PytorchHeap::addSegment(uint64_t address, uint64_t bytes, PoolId pool, StreamRank stream) {
  return addSegmentWith(BlockUse::Free, address, bytes, pool, stream);
}

BlockId PytorchHeap::addRange(uint64_t address, uint64_t bytes, PoolId pool, StreamRank stream) {
  return addSegmentWith(BlockUse::Unmapped, address, bytes, pool, stream);
}

void PytorchHeap::removeSegment(BlockId whole) {
  leave(whole);
  const SegmentId segment = blocks_[whole].segment;
  segmentOrder_.erase({0, segments_[segment].address});
  segments_[segment].firstBlock = kNone;
  spareSegments_.push_back(segment);
  dropBlock(whole);
}

/// Puts a free or unmapped block into the sets it belongs to.
void PytorchHeap::enter(BlockId id) {
  Block& block = blocks_[id];
  Pool& pool = pools_[block.pool];
  if (block.use == BlockUse::Unmapped) return pool.unmapped.insert(unmappedKey(block), id);
  block.freedAt = pool.searches;
  const Key key = freeKey(block);
  pool.free.insert(key, id);
  if (!block.isExpandable) {
    if (isWhole(block)) pool.whole.insert(key, id);
  } else if (block.bytes >= pool.granule) {
    const auto [from, to] = granulesIn(id);
    if (from < to) pool.returnable.insert(key, id);
  }
}

/// Takes a free or unmapped block out of all sets; must come before its bounds or neighbours change.
void PytorchHeap::leave(BlockId id) {
  const Block& block = blocks_[id];
  Pool& pool = pools_[block.pool];
  if (block.use == BlockUse::Unmapped) {
    pool.unmapped.erase(unmappedKey(block));
    return;
  }
  const Key key = freeKey(block);
  pool.free.erase(key, found_);
  if (!block.isExpandable) {
    if (isWhole(block)) pool.whole.erase(key);
  } else if (block.bytes >= pool.granule) {
    pool.returnable.erase(key);
  }
}

uint64_t PytorchHeap::worth(const Block& block) const {
  const bool canGrow = block.next != kNone && blocks_[block.next].use == BlockUse::Unmapped;
  return block.bytes + (canGrow ? blocks_[block.next].bytes : 0);
}

/// A block that can grow counts with the space it can grow into; the walk goes on while the next one is worth
/// less. With expandable segments turned off again, blocks of ranges are passed over.
OrderedSet::Position PytorchHeap::bestExpandable(const Pool& pool, StreamRank stream,
                                                 OrderedSet::Position at) const {
  const auto isOnStream = [&](OrderedSet::Position position) {
    return !pool.free.isEnd(position) && (pool.free.at(position).key.high >> 48) == stream;
  };
  if (!config_.isExpandable) {
    do {
      at = pool.free.next(at);
      ++steps_;
    } while (isOnStream(at) && blocks_[pool.free.at(at).id].isExpandable);
    return at;
  }
  for (auto next = pool.free.next(at); isOnStream(next); next = pool.free.next(next)) {
    const Block& current = blocks_[pool.free.at(at).id];
    if (!current.isExpandable || worth(blocks_[pool.free.at(next).id]) >= worth(current)) break;
    at = next;
    ++steps_;
  }
  return at;
}

BlockId PytorchHeap::findFree(PoolId poolId, StreamRank stream, uint64_t bytes) const {
  const Pool& pool = pools_[poolId];
  OrderedSet::Position at = pool.free.lowerBound({(uint64_t{stream} << 48) | bytes, 0});
  if (pool.free.isEnd(at) || (pool.free.at(at).key.high >> 48) != stream) return kNone;
  if (blocks_[pool.free.at(at).id].isExpandable) {
    at = bestExpandable(pool, stream, at);
    if (pool.free.isEnd(at) || (pool.free.at(at).key.high >> 48) != stream) return kNone;
  }
  const BlockId id = pool.free.at(at).id;
  found_ = at;
  return mayServe(blocks_[id].bytes, bytes, config_) ? id : kNone;
}

BlockId PytorchHeap::cutLow(BlockId id, uint64_t bytes) {
  Block values = blocks_[id];
  values.bytes = bytes;
  values.next = id;
  moveStart(id, values.address + bytes);
  const BlockId low = newBlock(values);
  blocks_[id].previous = low;
  if (values.previous != kNone) blocks_[values.previous].next = low;
  if (values.previous == kNone) segments_[values.segment].firstBlock = low;
  return low;
}

BlockId PytorchHeap::take(BlockId free, uint64_t bytes) {
  const bool isLarge = pools_[blocks_[free].pool].isLarge;
  const bool isSplit = shouldSplit(blocks_[free].bytes, bytes, isLarge, config_);
  return takeExactly(free, blocks_[free].address, isSplit ? bytes : blocks_[free].bytes);
}

BlockId PytorchHeap::takeExactly(BlockId free, uint64_t address, uint64_t bytes) {
  leave(free);
  if (address > blocks_[free].address) enter(cutLow(free, address - blocks_[free].address));
  BlockId taken = free;
  if (bytes < blocks_[free].bytes) {
    taken = cutLow(free, bytes);
    enter(free);
  }
  blocks_[taken].use = BlockUse::Allocated;
  blocks_[taken].tag = kNone;
  return taken;
}

/// Joins a neighbour, already out of all sets, into a block.
void PytorchHeap::merge(BlockId into, BlockId neighbour) {
  const Block other = blocks_[neighbour];
  dropBlock(neighbour);
  if (other.next == into) {
    moveStart(into, other.address);
    blocks_[into].previous = other.previous;
    if (other.previous != kNone) blocks_[other.previous].next = into;
    if (other.previous == kNone) segments_[other.segment].firstBlock = into;
  } else {
    blocks_[into].bytes += other.bytes;
    blocks_[into].next = other.next;
    if (other.next != kNone) blocks_[other.next].previous = into;
  }
}

void PytorchHeap::mergeNeighbours(BlockId id) {
  for (const BlockId neighbour : {blocks_[id].previous, blocks_[id].next}) {
    if (neighbour == kNone || blocks_[neighbour].use != blocks_[id].use) continue;
    leave(neighbour);
    merge(id, neighbour);
  }
}

BlockId PytorchHeap::release(BlockId id) {
  blocks_[id].use = BlockUse::Free;
  mergeNeighbours(id);
  enter(id);
  return id;
}

bool PytorchHeap::hasRoom(BlockId start, uint64_t bytes) const {
  uint64_t room = 0;
  for (BlockId id = start; room < bytes && isFreeOrUnmapped(id); id = blocks_[id].next) {
    room += blocks_[id].bytes;
    ++steps_;
  }
  return room >= bytes;
}

BlockId PytorchHeap::findGrowth(PoolId poolId, StreamRank stream, uint64_t bytes) const {
  const OrderedSet& unmapped = pools_[poolId].unmapped;
  for (auto at = unmapped.lowerBound({stream, 0}); !unmapped.isEnd(at); at = unmapped.next(at)) {
    if (unmapped.at(at).key.high != stream) break;
    const BlockId candidate = unmapped.at(at).id;
    const BlockId before = blocks_[candidate].previous;
    const BlockId start = isFreeOrUnmapped(before) ? before : candidate;
    if (hasRoom(start, bytes)) return start;
  }
  return kNone;
}

BlockId PytorchHeap::map(BlockId unmapped, uint64_t bytes) {
  leave(unmapped);
  BlockId mapped = unmapped;
  if (bytes < blocks_[unmapped].bytes) {
    mapped = cutLow(unmapped, bytes);
    enter(unmapped);
  }
  return release(mapped);
}

std::pair<uint64_t, uint64_t> PytorchHeap::granulesIn(BlockId id) const {
  const Block& block = blocks_[id];
  const uint64_t granule = pools_[block.pool].granule;
  const uint64_t base = segments_[block.segment].address;
  const uint64_t from = base + roundUp(block.address - base, granule);
  const uint64_t to = base + (end(id) - base) / granule * granule;
  return {from, to};
}

BlockId PytorchHeap::unmap(BlockId free, uint64_t address, uint64_t bytes) {
  leave(free);
  BlockId upper = free;
  if (address > blocks_[free].address) enter(cutLow(free, address - blocks_[free].address));
  BlockId unmapped = upper;
  if (bytes < blocks_[upper].bytes) {
    unmapped = cutLow(upper, bytes);
    enter(upper);
  }
  blocks_[unmapped].use = BlockUse::Unmapped;
  mergeNeighbours(unmapped);
  enter(unmapped);
  return unmapped;
}

BlockId PytorchHeap::splitUnmapped(BlockId unmapped, uint64_t address) {
  leave(unmapped);
  enter(cutLow(unmapped, address - blocks_[unmapped].address));
  enter(unmapped);
  return unmapped;
}

void PytorchHeap::extendDown(SegmentId range, uint64_t address) {
  Segment& segment = segments_[range];
  Block values = blocks_[segment.firstBlock];
  values.next = segment.firstBlock;
  values.previous = kNone;
  values.address = address;
  values.bytes = segment.address - address;
  values.use = BlockUse::Unmapped;
  segmentOrder_.erase({0, segment.address});
  segmentOrder_.insert({0, address}, range);
  segment.bytes += segment.address - address;
  segment.address = address;
  const BlockId low = newBlock(values);
  if (isFreeOrUnmapped(values.next)) leave(values.next);
  blocks_[values.next].previous = low;
  if (isFreeOrUnmapped(values.next)) enter(values.next);
  segment.firstBlock = low;
  if (blocks_[values.next].use == BlockUse::Unmapped) {
    leave(values.next);
    merge(low, values.next);
  }
  enter(low);
}

void PytorchHeap::trimRange(BlockId last, uint64_t address) {
  Segment& segment = segments_[blocks_[last].segment];
  segment.bytes = address - segment.address;
  leave(last);
  blocks_[last].bytes = address - blocks_[last].address;
  if (blocks_[last].bytes != 0) return enter(last);
  blocks_[blocks_[last].previous].next = kNone;
  dropBlock(last);
}

BlockId PytorchHeap::unmappedAt(SegmentId range, uint64_t address) const {
  const Segment& segment = segments_[range];
  if (!segment.isExpandable) return kNone;
  const auto* record = pools_[segment.pool].unmapped.lastAtOrBelow({segment.stream, address});
  if (record == nullptr) return kNone;
  const bool isThere = blocks_[record->id].segment == range && end(record->id) > address;
  return isThere ? record->id : kNone;
}

void PytorchHeap::growInto(BlockId used, uint64_t bytes) {
  const BlockId free = blocks_[used].next;
  leave(free);
  moveStart(free, blocks_[free].address + bytes);
  blocks_[used].bytes += bytes;
  enter(free);
}

void PytorchHeap::indexBlocks() {
  isIndexed_ = true;
  for (auto at = segmentOrder_.first(); !segmentOrder_.isEnd(at); at = segmentOrder_.next(at)) {
    const Segment& segment = segments_[segmentOrder_.at(at).id];
    for (BlockId id = segment.firstBlock; id != kNone; id = blocks_[id].next)
      blockOrder_.insert({0, blocks_[id].address}, id);
  }
}

BlockId PytorchHeap::blockAtOrBelow(uint64_t address) {
  if (!isIndexed_) indexBlocks();
  const auto* record = blockOrder_.lastAtOrBelow({0, address});
  return record == nullptr ? kNone : record->id;
}

SegmentId PytorchHeap::segmentAtOrBelow(uint64_t address) const {
  const auto* record = segmentOrder_.lastAtOrBelow({0, address});
  return record == nullptr ? kNone : record->id;
}

SegmentId PytorchHeap::segmentAtOrAbove(uint64_t address) const {
  const auto at = segmentOrder_.lowerBound({0, address});
  return segmentOrder_.isEnd(at) ? kNone : segmentOrder_.at(at).id;
}

}  // namespace strata::pytorch
