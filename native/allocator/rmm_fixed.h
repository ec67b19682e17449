#pragma once

#include <vector>

#include "allocator/allocator.h"
#include "allocator/slot_table.h"

namespace strata {

struct RmmFixedOptions {
  uint64_t blockBytes = uint64_t{1} << 20;  ///< rounded up to 256
  uint64_t blocksPerBatch = 128;
};

/// RMM's fixed-size resource: blocks of one size, in batches from another allocator.
///
/// Allocate: the front block of the stream's own list; else the front block of the first other list, in order
///           of the streams' first use, that has one; else a whole new batch, which goes to the end of the
///           own list in address order. A batch that is refused is the end: no smaller one is tried.
/// Free:     to the end of the list of the stream that allocated the block. Nothing merges, nothing returns.
/// Start:    takes the first batch, for stream 0.
/// Larger requests fail, but their stream counts as used. O(1), plus a look at each other stream's list.
/// Source:   rmm/mr/device/fixed_size_memory_resource.hpp (RMM v25.08.00); proved by the golden vectors.
class RmmFixed final : public Allocator {
 public:
  RmmFixed(const RmmFixedOptions& options, Allocator& upstream);

  bool start() override;
  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  Usage usage() const override;
  /// The upstream's layout with this resource's batches cut into blocks.
  Layout layout() const override;
  /// The blocks of all batches, for a layout of several resources over one upstream.
  void appendBlocks(std::vector<LayoutBlock>& blocks) const;

 private:
  struct Block {
    uint64_t address = 0;
    uint64_t requested = 0;    ///< 0 when free
    uint32_t next = kNoBlock;  ///< in its list
    uint32_t stream = 0;       ///< position of the stream that allocated it
  };
  struct List {
    uint32_t front = kNoBlock, back = kNoBlock;
  };

  uint32_t positionOf(uint32_t stream);
  bool addBatch(uint32_t position, uint32_t stream);
  void append(uint32_t block, List& list);
  uint32_t takeFront(List& list);

  uint64_t blockBytes_;
  uint64_t blocksPerBatch_;
  Allocator& upstream_;
  StreamOrder streams_;
  std::vector<List> lists_;  ///< by position in streams_
  std::vector<Block> blocks_;
  uint64_t used_ = 0;
  uint64_t peak_ = 0;
};

}  // namespace strata
