#pragma once

#include "allocator/pytorch_address_map.h"
#include "allocator/pytorch_heap.h"
#include "allocator/pytorch_ledger.h"
#include "allocator/pytorch_score.h"
#include "allocator/pytorch_undo.h"

namespace strata::pytorch {

/// A heap that does what a recording says, whatever it says, and writes it into the ledger.
///
/// Blocks never overlap and lie inside segments, always. What a recording says against that is counted in the
/// score, and the newest event wins: blocks in its way were freed unseen, so they die there. A block where no
/// segment is known gets one of its own, for as long as it lives.
class RecordedHeap {
 public:
  RecordedHeap(const Device& device, const PytorchConfig& config, Ledger& ledger, Score& score);

  PytorchHeap& heap() { return heap_; }
  const PytorchHeap& heap() const { return heap_; }

  void begin(const StartLayout& start);

  /// The pool of a pair of pools (a Device::pools row), made when first asked for.
  PoolId poolOf(uint16_t poolRow, bool isLarge);
  uint16_t poolRowOf(PoolId pool) const { return static_cast<uint16_t>(heap_.pool(pool).tag); }
  StreamRank rankOf(uint16_t streamRow) const { return ranks_[streamRow]; }

  /// Hands out [block.address, + block.bytes) of `free`, which contains it; answers the Blocks row.
  uint32_t place(BlockId free, Ledger::Block block, EventIndex event);
  /// A free block that contains an address, with at least one byte behind it; what lives there is evicted,
  /// and memory made up where none is known. `bytes` is cut to what is there.
  BlockId claim(uint64_t address, uint64_t& bytes, const Ledger::Segment& ifUnknown, EventIndex event);

  /// The live block at exactly this address, or kNone.
  BlockId liveAt(uint64_t address) const { return live_.find(address); }
  void requestFree(BlockId block, EventIndex event);
  void completeFree(BlockId block, EventIndex event);

  /// New segment; answers its free block, or kNone when it could not be.
  BlockId addSegment(const Ledger::Segment& segment, EventIndex event);
  /// The first block of the ordinary segment at exactly this address, or kNone.
  BlockId ordinarySegmentAt(uint64_t address) const;
  void removeSegment(SegmentId segment, EventIndex event);

  /// Maps a piece of a range, making the range when there is none; answers the free block it is now part of.
  BlockId mapPiece(const Ledger::Segment& piece, EventIndex event);
  /// The recording maps memory elsewhere although the range that `start` lies in seems to go on: it must end
  /// before `rounded` bytes. False when something else is known to be in the way.
  bool endRange(BlockId start, uint64_t rounded, uint64_t recorded);
  /// Unmaps a piece, which lies in or begins with the block `around`; answers the Segments row it (first)
  /// belonged to, or kNone.
  uint32_t unmapPiece(uint64_t address, uint64_t bytes, BlockId around, EventIndex event);
  /// The block that holds an address, or the one below it: `guess` when that is right.
  BlockId blockAround(uint64_t address, BlockId guess) {
    const bool isRight =
        guess != kNone && heap_.block(guess).address <= address && address < heap_.end(guess);
    return isRight ? guess : heap_.blockAtOrBelow(address);
  }

  /// The recording passed over a free block that would have fitted. When the block in front of it is one
  /// whose end free memory hides, it is that much larger: true, and the free block no longer fits.
  bool shrinkPassedOver(BlockId free, uint64_t rounded);
  /// Blocks whose end nothing shows, and the bytes by which they may be larger.
  uint64_t hiddenBlocks() const;
  uint64_t hiddenBytes() const;

 private:
  bool isLive(BlockId id) const {
    const BlockUse use = heap_.block(id).use;
    return use == BlockUse::Allocated || use == BlockUse::Waiting;
  }
  BlockId evict(BlockId id, EventIndex event);
  bool makeRoom(uint64_t address, uint64_t bytes, EventIndex event);
  BlockId makeUpMemory(uint64_t address, uint64_t bytes, Ledger::Segment segment, EventIndex event);
  BlockId unmappedFor(const Ledger::Segment& piece, EventIndex event);
  BlockId newRange(const Ledger::Segment& piece, EventIndex event);
  uint32_t dropPieces(uint64_t address, uint64_t end, EventIndex event);
  void keepPiece(Ledger::Segment piece, uint64_t from, uint64_t to, EventIndex event);
  uint32_t segmentRowAt(BlockId block) const;
  void beginSegments(const StartLayout& start);
  BlockId beginBlock(BlockId free, const Ledger::Block& block, bool isWaiting);
  void extendToBase(const StartSegment& piece, std::vector<RangeBase>& bases);

  PytorchHeap heap_;
  Ledger& ledger_;
  Score& score_;
  std::vector<StreamRank> ranks_;
  std::vector<PoolId> pools_;    ///< by Device::pools row * 2 + isLarge
  std::vector<uint64_t> slack_;  ///< by Blocks row, of those from before the first event
  AddressMap live_;
  AddressMap madeUp_;  ///< addresses of segments that only a block proves
  OrderedSet pieces_;  ///< (0, address) of mapped pieces -> Segments row
};

}  // namespace strata::pytorch
