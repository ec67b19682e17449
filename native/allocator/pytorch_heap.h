#pragma once

#include <cstdint>
#include <vector>

#include "allocator/pytorch_ordered_set.h"
#include "allocator/pytorch_rules.h"
#include "trace/trace.h"

namespace strata::pytorch {

using BlockId = uint32_t;
using SegmentId = uint32_t;
using PoolId = uint32_t;
using StreamRank = uint16_t;  ///< position of a stream among all streams, ordered by handle

enum class BlockUse : uint8_t { Free, Allocated, Waiting, Unmapped };

/// The memory of PyTorch's caching allocator: segments cut into blocks, and the free ones ready to be
/// searched.
///
///   segment:  |  allocated  | free |  waiting  |      free      |   blocks tile a segment; two free
///             ^ low address                                         neighbours never exist
///   range:    | allocated |  free  | unmapped  | allocated | unmapped ...   an expandable segment, whose
///                                                                           unmapped parts are blocks too
///
/// It knows how to search, cut, merge, map and unmap, and nothing of when: the caller decides that, be it a
/// simulation or a recording that is being followed. Free blocks of a pool are kept in the order of the real
/// allocator (stream, size, address); search, take and release are O(log n).
/// Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6; proved by real captures and golden traces.
class PytorchHeap {
 public:
  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t freedAt = 0;      ///< Pool::searches when it became free
    BlockId previous = kNone;  ///< neighbours in the segment
    BlockId next = kNone;
    SegmentId segment = kNone;
    uint32_t tag = kNone;  ///< the caller's, of an allocated or waiting block
    PoolId pool = 0;
    StreamRank stream = 0;
    BlockUse use = BlockUse::Free;
    bool isExpandable = false;
  };

  struct Segment {
    uint64_t address = 0;
    uint64_t bytes = 0;
    BlockId firstBlock = kNone;
    uint32_t tag = kNone;  ///< the caller's
    PoolId pool = 0;
    StreamRank stream = 0;
    bool isExpandable = false;
  };

  /// The free memory of one size class. All sets are ordered by stream first.
  struct Pool {
    bool isLarge = false;
    uint32_t tag = 0;       ///< the caller's: which pair of pools it belongs to
    uint64_t granule = 0;   ///< of its expandable ranges
    uint64_t searches = 0;  ///< for garbage collection, counted by the caller
    OrderedSet free;        ///< (stream, bytes, address)
    OrderedSet whole;       ///< those of `free` that are a whole ordinary segment
    OrderedSet returnable;  ///< those of `free` in a range that hold at least one whole granule
    OrderedSet unmapped;    ///< (stream, address)
  };

  explicit PytorchHeap(const PytorchConfig& config) : config_(config) {}

  const PytorchConfig& config() const { return config_; }
  const Block& block(BlockId id) const { return blocks_[id]; }
  const Segment& segment(SegmentId id) const { return segments_[id]; }
  Pool& pool(PoolId id) { return pools_[id]; }
  const Pool& pool(PoolId id) const { return pools_[id]; }
  size_t poolCount() const { return pools_.size(); }
  uint64_t end(BlockId id) const { return blocks_[id].address + blocks_[id].bytes; }
  void setTag(BlockId id, uint32_t tag) { blocks_[id].tag = tag; }
  void setSegmentTag(SegmentId id, uint32_t tag) { segments_[id].tag = tag; }

  PoolId addPool(bool isLarge, uint32_t tag);

  /// A new segment as one free block. Its memory must not overlap another one's.
  BlockId addSegment(uint64_t address, uint64_t bytes, PoolId pool, StreamRank stream);
  /// A new expandable range as one unmapped block.
  BlockId addRange(uint64_t address, uint64_t bytes, PoolId pool, StreamRank stream);
  /// Takes away a segment that is a single free or unmapped block.
  void removeSegment(BlockId whole);

  /// The free block that serves a rounded request, or kNone: best fit on the stream, expandable growth and
  /// max_split_size considered.
  BlockId findFree(PoolId pool, StreamRank stream, uint64_t bytes) const;
  /// Hands out `bytes` at the low end of a free block, or all of it when the rules do not split it.
  BlockId take(BlockId free, uint64_t bytes);
  /// Hands out exactly [address, address + bytes) of a free block that contains it.
  BlockId takeExactly(BlockId free, uint64_t address, uint64_t bytes);
  void setWaiting(BlockId id) { blocks_[id].use = BlockUse::Waiting; }
  /// Makes a block free, merges it with free neighbours and answers the merged block.
  BlockId release(BlockId id);

  /// Where a range would grow for a rounded request: an unmapped block, or a free one followed by unmapped
  /// space; kNone when a new range is needed.
  BlockId findGrowth(PoolId pool, StreamRank stream, uint64_t bytes) const;
  /// Maps the first `bytes` (whole granules) of an unmapped block; answers the free block it became part of.
  BlockId map(BlockId unmapped, uint64_t bytes);
  /// Unmaps [address, address + bytes) of a free block; what is left of it stays free. Answers the unmapped
  /// block, merged with unmapped neighbours.
  BlockId unmap(BlockId free, uint64_t address, uint64_t bytes);
  /// The whole granules inside a free block of a range: [first, second).
  std::pair<uint64_t, uint64_t> granulesIn(BlockId id) const;
  /// Cuts an unmapped block in two at an address inside it; answers the upper part.
  BlockId splitUnmapped(BlockId unmapped, uint64_t address);
  /// Adds unmapped space below a range.
  void extendDown(SegmentId range, uint64_t address);
  /// Cuts the unmapped block at the end of a range off at an address inside it, or at its start when mapped
  /// memory lies before it.
  void trimRange(BlockId last, uint64_t address);
  /// The unmapped block of a range that holds an address, or kNone.
  BlockId unmappedAt(SegmentId range, uint64_t address) const;

  /// Moves the boundary between a block in use and the free one behind it upwards.
  void growInto(BlockId used, uint64_t bytes);

  /// The block at or before an address, in the segment at or before it; kNone when there is none. The first
  /// call sorts all blocks, afterwards the order is kept.
  BlockId blockAtOrBelow(uint64_t address);
  SegmentId segmentAtOrBelow(uint64_t address) const;
  /// The segment that starts at or above an address, or kNone.
  SegmentId segmentAtOrAbove(uint64_t address) const;
  const OrderedSet& segmentsByAddress() const { return segmentOrder_; }

  /// Steps taken in searches that are not logarithmic; lets a caller bound the work a hostile trace causes.
  uint64_t steps() const { return steps_; }

 private:
  using Key = OrderedSet::Key;
  static Key freeKey(const Block& block) {
    return {(uint64_t{block.stream} << 48) | block.bytes, block.address};
  }
  static Key unmappedKey(const Block& block) { return {block.stream, block.address}; }

  BlockId newBlock(const Block& values);
  void dropBlock(BlockId id);
  void moveStart(BlockId id, uint64_t address);
  BlockId addSegmentWith(BlockUse use, uint64_t address, uint64_t bytes, PoolId pool, StreamRank stream);
  void enter(BlockId id);
  void leave(BlockId id);
  bool isWhole(const Block& block) const { return block.previous == kNone && block.next == kNone; }
  bool isFreeOrUnmapped(BlockId id) const {
    return id != kNone && (blocks_[id].use == BlockUse::Free || blocks_[id].use == BlockUse::Unmapped);
  }
  /// Cuts `bytes` off the low end of a block into a new block before it; neither is in a set.
  BlockId cutLow(BlockId id, uint64_t bytes);
  void merge(BlockId into, BlockId neighbour);
  void mergeNeighbours(BlockId id);
  uint64_t worth(const Block& block) const;
  bool hasRoom(BlockId start, uint64_t bytes) const;
  OrderedSet::Position bestExpandable(const Pool& pool, StreamRank stream, OrderedSet::Position at) const;
  void indexBlocks();

  PytorchConfig config_;
  std::vector<Block> blocks_;
  std::vector<BlockId> spareBlocks_;
  std::vector<Segment> segments_;
  std::vector<SegmentId> spareSegments_;
  std::vector<Pool> pools_;
  OrderedSet segmentOrder_;  ///< (0, address)
  OrderedSet blockOrder_;    ///< (0, address), kept once it was asked for
  bool isIndexed_ = false;
  mutable uint64_t steps_ = 0;
  mutable OrderedSet::Position found_;  ///< of the block that findFree answered last
};

}  // namespace strata::pytorch
