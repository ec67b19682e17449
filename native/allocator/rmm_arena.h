#pragma once

#include <algorithm>
#include <vector>

#include "allocator/allocator.h"
#include "allocator/first_fit_index.h"
#include "allocator/slot_table.h"

namespace strata {

/// RMM's arena: one block from upstream, cut into superblocks that belong to a stream or to all.
///
///   upstream block: |    superblock    |  superblock  |        superblock        |   tile it; each has an
///                   | used | free |used|     free     | used |       free        |   owner: a stream's
///                        stream 1          global              stream 0              arena, or the global
///                        one
///
/// Round:    up to 256 bytes.
/// Above 1 MiB: the first global superblock by address with a free block that fits. An empty one that has at
///           least 1 MiB more is cut to exactly the size. First fit inside.
/// Up to 1 MiB: first fit by address in the stream's own superblocks; else the first global superblock that
///           fits becomes the stream's, an empty one with at least 1 MiB more cut to 1 MiB.
/// On a miss: all streams give all superblocks back, then one more try.
/// Free:     merges inside the superblock. A global superblock that is then empty merges with empty global
///           neighbours; a stream keeps what it has.
/// Cost:     O(log n). Giving a superblock away costs O(k log n) for its k free blocks.
/// Source:   rmm/mr/device/detail/arena.hpp (RMM v25.08.00, without size classes); proved by the golden
///           vectors.
class RmmArena final : public Allocator {
 public:
  static constexpr uint64_t kMinimumSuperblock = uint64_t{1} << 20;

  /// `bytes` is rounded down to 256 and must be at least kMinimumSuperblock.
  RmmArena(uint64_t bytes, Allocator& upstream) : arenaBytes_(bytes / 256 * 256), upstream_(upstream) {}

  bool start() override;
  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  Usage usage() const override;
  Layout layout() const override;

 private:
  static constexpr uint32_t kGlobal = 0;  ///< row of arenas_
  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t requested = 0;
    uint32_t previous = kNoBlock, next = kNoBlock;  ///< neighbours in the superblock
    uint32_t superblock = 0;
    bool isFree = false;
  };
  struct Superblock {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint32_t firstBlock = kNoBlock;
    uint32_t previous = kNoBlock, next = kNoBlock;  ///< neighbours in the upstream block
    uint32_t owner = kGlobal;
  };
  /// Blocks of an index that became part of another one: how many, and the lowest.
  struct Absorbed {
    uint64_t lowest = UINT64_MAX;
    uint32_t count = 0;
    void add(uint64_t address) {
      lowest = std::min(lowest, address);
      ++count;
    }
  };
  struct Arena {
    FirstFitIndex freeBlocks;
    std::vector<uint32_t> superblocks;  ///< of a stream; not kept for the global arena
  };

  uint32_t allocateGlobal(uint64_t bytes);
  uint32_t allocateFromStream(uint32_t arena, uint64_t bytes);
  bool acquireSuperblock(uint32_t arena, uint64_t bytes);
  uint32_t takeEmpty(FirstFitIndex::Cursor& cursor, uint64_t bytes);
  uint32_t serveFirstFit(Arena& arena, const FirstFitIndex::Cursor& cursor, uint64_t bytes);
  uint32_t cutHead(uint32_t block, uint64_t bytes);
  void giveBackAll();
  void absorbNext(uint32_t block);
  uint32_t mergeEmptyNeighbours(uint32_t superblock, Absorbed& absorbed);
  uint32_t absorbNextSuperblock(uint32_t superblock);
  bool isEmpty(uint32_t superblock) const;
  bool isEmptyGlobal(uint32_t superblock) const;
  void insertFree(uint32_t block);
  void insertMerged(uint32_t block, const Absorbed& absorbed);

  uint64_t arenaBytes_;
  Allocator& upstream_;
  StreamOrder streams_;
  std::vector<Arena> arenas_;  ///< the global one, then one for each stream in order of first use
  SlotTable<Block> blocks_;
  SlotTable<Superblock> superblocks_;
  uint32_t firstSuperblock_ = kNoBlock;
  uint64_t used_ = 0;
  uint64_t peak_ = 0;
};

}  // namespace strata
