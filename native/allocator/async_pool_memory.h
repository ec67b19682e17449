#pragma once

#include <vector>

#include "allocator/allocator.h"
#include "allocator/best_fit_index.h"

namespace strata {

/// The memory of a stream-ordered pool: blocks that tile reserved ranges of addresses, backed by physical
/// pieces of equal size. It knows where things are and what touches what, and makes no choice of its own.
///
///   range:  | in use | pending A | complete | in use | pending B |      hole      | complete |   hole   |
///   pieces: |------piece------|------piece------|------piece-----|                |--piece---|
///
/// Pending: freed on a stream at a time, not known to be complete. Neighbours merge when they are of the same
///          stream; the later time holds for both.
/// Complete: free for every stream. Neighbours merge. Whole pieces inside can be unmapped.
/// Hole:    addresses without memory. Neighbours merge; holes start and end where pieces do.
/// Cost:    every operation is O(log n).
class AsyncPoolMemory {
 public:
  enum class State : uint8_t { InUse, Pending, Complete, Hole };
  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t rangeBase = 0;  ///< where its range, and with it the grid of pieces, begins
    uint64_t requested = 0;  ///< in use
    uint64_t time = 0;       ///< in use: of the allocation; pending: of the free
    uint32_t previous = kNoBlock, next = kNoBlock;
    uint32_t stream = 0;  ///< position of the stream, in use and pending
    State state = State::Hole;
  };

  AsyncPoolMemory(uint64_t pieceBytes, Driver& device);

  const Block& block(uint32_t at) const { return blocks_[at]; }
  uint64_t pieceBytes() const { return pieceBytes_; }
  uint64_t reserved() const { return reserved_; }
  /// Bytes of whole pieces in complete memory.
  uint64_t spare() const { return spareBytes_; }
  uint64_t largestFree() const;
  uint64_t largestComplete() const { return complete_.largest(); }
  uint64_t largestOf(uint32_t stream) const {
    return stream < pending_.size() ? pending_[stream].bySize.largest() : 0;
  }
  /// Streams that have pending lists: positions below this.
  uint32_t streams() const { return static_cast<uint32_t>(pending_.size()); }
  bool hasPending() const { return pendingBlocks_ > 0; }

  /// The smallest complete block that fits, lowest address on a tie; kNoBlock when there is none.
  uint32_t findComplete(uint64_t bytes) const;
  /// The same among those that a stream freed.
  uint32_t findOwn(uint32_t stream, uint64_t bytes) const;
  /// The one that a stream freed first among those that fit.
  uint32_t findOldest(uint32_t stream, uint64_t bytes) const;

  /// Takes the low end of a free block into use; answers the rest, kNoBlock when nothing is left. It stays
  /// what it was.
  uint32_t take(uint32_t block, uint64_t bytes, uint64_t requested, uint32_t stream, uint64_t time);
  /// A block in use becomes pending; answers what it became part of.
  uint32_t release(uint32_t block, uint64_t time);
  /// What a stream freed up to a time is complete; answers how many blocks were.
  uint32_t complete(uint32_t stream, uint64_t time);

  /// Gets whole pieces from the device; false when it refuses.
  bool create(uint64_t bytes);
  /// Unmaps whole pieces of complete memory, from the highest address down. `unmapped(address, bytes)` is
  /// called for each run of them. There must be that many. They have no address until they are mapped again
  /// or given back.
  template <typename Visit>
  void unmap(uint64_t bytes, Visit&& unmapped) {
    while (bytes > 0) {
      const Run run = unmapHighest(bytes);
      if (run.bytes == 0) return;
      unmapped(run.address, run.bytes);
      bytes -= run.bytes;
    }
  }
  /// The allocator waits for the device.
  void countSynchronize() { ++device_.calls.synchronize; }
  /// Gives unmapped pieces back to the device.
  void giveBack(uint64_t bytes);
  struct Mapped {
    uint64_t address = 0;       ///< of the new memory
    uint32_t block = kNoBlock;  ///< complete memory, of which it is a part
  };
  /// Maps pieces at the start of the lowest hole that holds them all, in a new range when none does.
  Mapped map(uint64_t bytes);

  /// Calls visit(block) for all blocks, range by range, each in order of address.
  template <typename Visit>
  void forEach(Visit&& visit) const {
    for (const uint32_t first : ranges_)
      for (uint32_t at = first; at != kNoBlock; at = blocks_[at].next) visit(blocks_[at]);
  }

 private:
  struct PendingList {
    BestFitIndex bySize;
    FirstFitIndex byTime;  ///< keyed by time: no two blocks of a stream have the same
  };
  struct Run {
    uint64_t address = 0;
    uint64_t bytes = 0;
  };

  uint32_t newBlock(const Block& block);
  uint32_t splitAt(uint32_t block, uint64_t bytes);
  uint32_t mergeAround(uint32_t block);
  bool canMerge(uint32_t low, uint32_t high) const;
  void merge(uint32_t low, uint32_t high);
  void enlist(uint32_t block);
  void delist(uint32_t block);
  Run wholePieces(const Block& block) const;
  Run unmapHighest(uint64_t bytes);
  uint32_t addRange(uint64_t bytes);

  uint64_t pieceBytes_;
  Driver& device_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> unusedBlocks_;
  std::vector<uint32_t> ranges_;  ///< first block of each
  BestFitIndex complete_;
  FirstFitIndex spares_;  ///< complete blocks that contain whole pieces, weighing these
  FirstFitIndex holes_;
  std::vector<PendingList> pending_;  ///< by stream
  size_t pendingBlocks_ = 0;
  uint64_t spareBytes_ = 0;
  uint64_t reserved_ = 0;
};

}  // namespace strata
