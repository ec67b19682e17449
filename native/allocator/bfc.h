#pragma once

#include <vector>

#include "allocator/allocator.h"
#include "allocator/best_fit_index.h"

namespace strata {

struct BfcOptions {
  uint64_t limit = 0;  ///< bytes the pool may hold
  bool allowGrowth = true;
  bool collectGarbage = false;
  bool coalesceRegions = false;
  double fragmentationFraction = 0.0;  ///< above 0: the split threshold is this part of the limit
  bool hasTimingCounter = false;       ///< frees are stamped (see below)
};

/// Best-fit allocator with coalescing, as TensorFlow, XLA and JAX use it for each GPU.
///
///   region: |  in use  | free |     in use     |      free      |      chunks tile a region; two free
///           ^ low address                                             neighbours never exist
///
/// Round:    up to 256 bytes. 0 bytes are no request.
/// Allocate: the smallest free chunk that fits, lowest address on a tie, O(log n).
/// Split:    when the chunk is at least twice the rounded request, or the rest is at least 128 MiB (or
///           fragmentationFraction x limit, truncated). Otherwise the whole chunk is handed out.
/// Free:     merges with the next chunk, then the previous one, O(log n).
/// Grow:     the next region aims at 2 MiB (without growth: the limit) and takes min(aim, what the limit
///           leaves). The aim doubles until the request fits; if it already did, it doubles afterwards.
///           A refusal by the device is retried at 0.9 of the size, in single precision, rounded up to 256,
///           down to the request.
/// Collect:  on a miss, returns all regions that are wholly free if that makes room, then grows.
/// Coalesce: a new region that starts where another ends extends that one.
///
/// With a timing counter each free takes the next counter value as its stamp and stays unmerged, in a queue.
/// Every allocation first clears the stamps below the safe frontier and merges those chunks, in queue order.
/// An allocation with a freed-by count skips chunks stamped later. When growth has failed, stamps are ignored
/// and queued chunks merged until one is large enough. The rest of a split chunk inherits the stamp without
/// being queued; a chunk force-merged in place leaves the queue with its stamp on. The queue holds indexes
/// of a table whose entries are reused last in, first out, and an entry may be stale or repeated.
///
/// Two loops of the real code never end; here they do: a back-off that no longer shrinks (2,304 bytes and
/// less) subtracts 256, and an aim that can't be doubled stays. With garbage collection the queue may outlive
/// a region, where the real code looks up an address in no region; here such entries are skipped.
///
/// Source:   xla/tsl/framework/bfc_allocator.cc (openxla/xla 1e203b53); proved by the golden vectors.
class BfcAllocator final : public Allocator {
 public:
  static constexpr uint64_t kUnit = 256;
  static constexpr int kBinCount = 21;

  struct Statistics {
    uint64_t allocations = 0;  ///< successful ones
    uint64_t inUse = 0, peakInUse = 0;
    uint64_t pool = 0, peakPool = 0;
    uint64_t largestAllocation = 0;
    uint64_t usedChunks = 0;
  };

  BfcAllocator(const BfcOptions& options, Driver& driver);

  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  ControlResult control(const Control& control) override;
  Usage usage() const override;
  Layout layout() const override;

  const Statistics& statistics() const { return statistics_; }
  uint64_t nextRegionBytes() const { return nextRegionBytes_; }
  uint64_t freeChunks() const { return freeChunks_.size(); }
  uint64_t largestFree() const { return freeChunks_.largest(); }
  size_t regionCount() const { return regionOrder_.size(); }
  uint64_t counter() const { return counter_; }
  uint64_t safeFrontier() const { return safeFrontier_; }
  size_t queueLength() const { return stamped_.size(); }
  /// Bin b holds chunks from 256 x 2^b bytes; the last one everything from 256 MiB.
  static int binOf(uint64_t bytes);

 private:
  enum class State : uint8_t { Unused, Free, InUse };
  struct Chunk {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t requested = 0;
    int64_t ordinal = -1;  ///< the how manieth allocation holds it, from 1
    uint64_t stamp = 0;    ///< counter value of its free, 0 = safe
    uint32_t previous = kNoBlock, next = kNoBlock;
    uint32_t region = 0;
    State state = State::Unused;
  };
  struct Region {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint32_t firstChunk = kNoBlock, lastChunk = kNoBlock;
  };

  uint32_t findChunk(uint64_t rounded);
  uint32_t findAfterMiss(uint64_t rounded);
  void split(uint32_t chunk, uint64_t bytes);
  void insertFree(uint32_t chunk);
  void eraseFree(uint32_t chunk);
  uint32_t coalesce(uint32_t chunk, bool ignoreStamps);
  void merge(uint32_t chunk, uint32_t next);
  uint32_t newChunk();
  void deleteChunk(uint32_t chunk);

  bool extend(uint64_t rounded);
  std::optional<uint64_t> allocateRegion(uint64_t& bytes, uint64_t rounded);
  void addRegion(uint64_t address, uint64_t bytes);
  bool collectFreeRegions(uint64_t rounded);
  bool isWhollyFree(const Region& region) const;
  void returnRegion(uint32_t region);

  bool isMergeable(uint32_t chunk, bool ignoreStamps) const;
  std::vector<uint32_t> takeMergeable(bool isForced);
  void mergeSafe();
  bool mergeForced(uint64_t rounded);

  BfcOptions options_;
  Driver& driver_;
  uint64_t splitThreshold_ = 0;
  uint64_t nextRegionBytes_ = 0;
  Statistics statistics_;
  BestFitIndex freeChunks_;
  std::vector<Chunk> chunks_;
  uint32_t unusedChunks_ = kNoBlock;  ///< list of table entries to reuse, linked by next
  std::vector<Region> regions_;
  std::vector<uint32_t> unusedRegions_;
  std::vector<uint32_t> regionOrder_;  ///< rows of regions_ by address
  std::vector<uint32_t> stamped_;      ///< the queue, oldest first
  uint64_t counter_ = 0;
  uint64_t safeFrontier_ = 0;
  uint64_t freedBy_ = 0;
};

}  // namespace strata
