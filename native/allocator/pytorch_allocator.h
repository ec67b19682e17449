#pragma once

#include <functional>
#include <map>
#include <optional>

#include "allocator/allocator.h"
#include "allocator/device_model.h"
#include "allocator/pytorch_heap.h"
#include "allocator/pytorch_stream_work.h"

namespace strata {

/// PyTorch's CUDA caching allocator: best fit on the request's stream, in a small and a large pool, and the
/// same pair again for every private pool.
///
///   request --round--> pool --best fit--> block --split--> block handed out
///                        | nothing fits
///                        v
///   garbage collection, new segment (or growth of an expandable one), oversize release, flush, out of memory
///
/// Streams: a block freed while other streams use it waits for them; finished ones are looked for at the
/// start of an allocation only. Private pools: the first one opened whose stream filter accepts takes the
/// allocation; while any is open nothing is polled or flushed; memory goes back once all uses are released.
/// Cost: O(log free blocks) an allocation or free.
/// Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6.0; proved by the golden vectors, all 361 of them.
class PytorchAllocator final : public Allocator {
 public:
  /// `fraction`: the memory fraction set before the first request, if any.
  PytorchAllocator(const PytorchConfig& config, Driver& device, std::optional<double> fraction = {});

  /// Takes over what a recording found before its first event instead of starting from nothing: the state in
  /// `start`, its segments by address, mapped runs of ranges among them. `rangeBase[i]` is where the range of
  /// segment i begins (only looked at for those). To be called once, before the first request; the device
  /// must hold the memory already. Answers a handle for each allocated block, in the order of `start.blocks`.
  std::vector<BlockHandle> adopt(const Layout& start, const std::vector<uint64_t>& rangeBase);

  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  void recordStream(BlockHandle block, uint32_t stream) override;
  ControlResult control(const Control& control) override;
  Usage usage() const override;
  Layout layout() const override;

  /// Counters named as in torch.cuda.memory_stats(), sizes in bytes.
  struct Statistics {
    uint64_t allocated = 0, allocatedPeak = 0;
    uint64_t reserved = 0, reservedPeak = 0;
    uint64_t active = 0, inactiveSplit = 0, requested = 0;
    uint64_t allocations = 0, segments = 0, activeBlocks = 0, inactiveSplitBlocks = 0;
    uint64_t retries = 0, outOfMemory = 0, synchronizations = 0;
    uint64_t deviceAllocations = 0, deviceFrees = 0;
    uint64_t oversizeAllocations = 0, oversizeSegments = 0;
  };
  const Statistics& statistics() const { return statistics_; }
  const Driver& device() const { return device_; }
  /// Private pools that exist, by id, with their use counts.
  std::vector<std::pair<uint64_t, uint64_t>> privatePools() const;

 private:
  using BlockId = pytorch::BlockId;
  using PoolId = pytorch::PoolId;
  using StreamRank = pytorch::StreamRank;

  /// What the heap does not keep of a block in use.
  struct Use {
    uint64_t requested = 0;
    uint32_t pendingEvents = 0;
    uint32_t streams = kNone;  ///< row of streamUses_
  };
  /// Streams that use a block besides its own, and those of them recorded while a private pool was open.
  struct StreamUses {
    std::vector<StreamRank> streams;
    std::vector<StreamRank> whileOpen;
  };
  struct PrivatePool {
    PoolId small = 0, large = 0;
    uint64_t useCount = 1;
    uint64_t segmentCount = 0;  ///< as the real one counts; see oracles: growth and unmapping need not match
  };
  struct OpenPool {
    uint64_t id;
    std::optional<StreamRank> stream;  ///< only this stream, or all
  };
  struct Request {
    uint64_t rounded;
    PoolId pool;
    StreamRank stream;
  };
  enum class Step : uint8_t { Done, Failed, Error };

  PoolId poolFor(bool isLarge, StreamRank stream) const;
  /// The private pool a heap pool belongs to; null for the main pair, and for a pool that was forgotten while
  /// blocks of it were in use.
  PrivatePool* ownerOf(PoolId pool);
  void considerCandidates(const Request& request) const;
  BlockId search(const Request& request);
  Step obtain(const Request& request, BlockId& block);
  bool takeSegment(const Request& request, BlockId& block);
  bool newSegment(const Request& request, BlockId& block);
  bool grow(const Request& request, BlockId& block);
  BlockId mapPiece(BlockId unmapped, uint64_t bytes);
  Placement handOut(BlockId free, const Request& request, uint64_t requested);

  void pollStreams();
  void recordDeferred();
  void recordEvents(BlockId block);
  void finishEvent(BlockId block);
  void complete(BlockId block);
  StreamUses takeUses(BlockId block);

  void collectGarbage();
  Step releaseOversize(const Request& request);
  Step flush();
  bool returnPool(PoolId pool);
  void releaseSegment(BlockId whole, Decision::Reason reason);
  bool unmapBlock(BlockId free);

  PrivatePool& addPrivatePool(uint64_t id);
  ControlResult beginPool(const Control& control);
  ControlResult endPool(uint64_t id);
  ControlResult releasePool(uint64_t id);
  ControlResult resultFor(uint64_t id, bool isError) const;
  void forgetPool(uint64_t id);
  std::vector<uint64_t> releasedInOrder() const;
  void setMemoryFraction(double fraction);

  void reserve(uint64_t bytes);
  PoolId adoptPool(uint64_t id, bool isLarge, uint64_t pieces);
  BlockId adoptRun(const LayoutSegment& run, uint64_t base, PoolId pool);
  BlockHandle adoptBlock(BlockId free, const LayoutBlock& block);
  void countSplits(pytorch::SegmentId segment);
  void addBlocks(Layout& layout, pytorch::SegmentId segment) const;
  Use& useOf(BlockId block);

  pytorch::PytorchHeap heap_;
  Driver& device_;
  Statistics statistics_;
  std::vector<Use> uses_;  ///< by block
  std::vector<StreamUses> streamUses_;
  std::vector<uint32_t> spareUses_;
  pytorch::StreamWork work_;
  std::vector<BlockId> deferred_;  ///< freed while a private pool was open, with uses on other streams
  std::map<uint64_t, PrivatePool> privatePools_;
  uint64_t releasedCount_ = 0;       ///< private pools without uses
  uint64_t releasedSlots_ = 4;       ///< of the hash table the real one keeps them in
  std::vector<OpenPool> openPools_;  ///< in the order they were opened
  std::vector<uint64_t> poolIds_;    ///< private pool of each heap pool, 0 for the main pair
  bool hasLimit_ = false;
  bool isCountingAges_ = false;
  uint64_t limit_ = 0;  ///< bytes, when hasLimit_
};

}  // namespace strata
