#pragma once

#include <optional>
#include <vector>

#include "allocator/allocator.h"
#include "allocator/best_fit_index.h"
#include "allocator/slot_table.h"

namespace strata {

inline constexpr uint64_t kRmmUnit = 256;  ///< RMM rounds every request up to it

struct RmmPoolOptions {
  uint64_t initialBytes = 0;             ///< taken at the start
  std::optional<uint64_t> maximumBytes;  ///< none: as much as the device has
};

/// RMM's pool: best fit from free lists that belong to streams, over another allocator.
///
///   upstream block: | stream 0 | used | stream 2 | used |   blocks tile an upstream block; free neighbours
///                                                           merge only if the same stream's list has them
///
/// Round:    up to 256 bytes.
/// Allocate: the smallest block that fits, lowest address on a tie: from the stream's own list; else from the
///           first other list, in order of the streams' first use, that has one (the rest stays in that
///           list); else the other lists are merged into the stream's own one by one, with a search after
///           each; else the pool grows. Every rest is split off, however small.
/// Grow:     with a maximum by max(request, half of what is left), if the request fits at all; without one
///           by max(request, what it has). A refusal is retried at half the size, down to the request.
/// Free:     to the list of the stream that allocated it. Blocks of different upstream blocks never merge.
/// Cost:     O(log n) for each list looked at. Two lists merge in O(k log n) for the smaller of the two.
/// Source:   rmm/mr/device/pool_memory_resource.hpp and detail/stream_ordered_memory_resource.hpp (RMM
///           v25.08.00); proved by the golden vectors.
class RmmPool final : public Allocator {
 public:
  RmmPool(const RmmPoolOptions& options, Allocator& upstream) : options_(options), upstream_(upstream) {}

  bool start() override;
  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  Usage usage() const override;
  Layout layout() const override;

 private:
  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t requested = 0;
    uint32_t previous = kNoBlock, next = kNoBlock;  ///< neighbours in the upstream block
    uint32_t list = 0;                              ///< free: the list that has it
    uint32_t stream = 0;                            ///< in use: position of the stream that allocated it
    bool isFree = false;
  };

  uint32_t listOf(uint32_t stream);
  uint32_t takeBestFit(uint32_t list, uint64_t bytes);
  uint32_t takeFromOthers(uint32_t stream, uint64_t bytes);
  uint32_t takeByMerging(uint32_t stream, uint64_t bytes);
  uint32_t grow(uint32_t list, uint64_t bytes, uint32_t stream);
  uint32_t addUpstreamBlock(uint64_t bytes, uint32_t stream);
  uint64_t bytesToGrow(uint64_t bytes) const;
  uint32_t cut(uint32_t block, uint64_t bytes, uint32_t list);
  void insertFree(uint32_t block, uint32_t list);
  void mergeInto(uint32_t block, uint32_t neighbour);
  uint32_t mergeLists(uint32_t list, uint32_t other);

  RmmPoolOptions options_;
  Allocator& upstream_;
  StreamOrder streams_;
  std::vector<uint32_t> listOfStream_;  ///< by position in streams_
  std::vector<BestFitIndex> lists_;
  SlotTable<Block> blocks_;
  std::vector<uint32_t> firstBlocks_;  ///< of each upstream block
  uint64_t poolBytes_ = 0;
  uint64_t used_ = 0;
  uint64_t peak_ = 0;
};

}  // namespace strata
