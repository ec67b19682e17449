#pragma once

#include <unordered_map>
#include <vector>

#include "allocator/async_pool_memory.h"
#include "allocator/stream_waits.h"

namespace strata {

/// Named as CUDA names them; the last three are the model's own.
struct AsyncPoolOptions {
  uint64_t releaseThreshold = 0;          ///< cudaMemPoolAttrReleaseThreshold
  bool followEventDependencies = true;    ///< cudaMemPoolReuseFollowEventDependencies
  bool allowOpportunistic = true;         ///< cudaMemPoolReuseAllowOpportunistic
  bool allowInternalDependencies = true;  ///< cudaMemPoolReuseAllowInternalDependencies
  uint64_t maxSize = 0;                   ///< cudaMemPoolProps::maxSize; 0: as much as the device has
  uint64_t minBytesToKeep = 0;            ///< cudaMemPoolTrimTo, at an empty-cache operation
  bool nonBlockingStreams = true;         ///< cudaStreamNonBlocking: stream 0 orders nothing implicitly
  uint64_t pieceBytes = uint64_t{32} << 20;
  uint64_t completionLag = 64;  ///< operations after which the GPU has done what was given to a stream
};

/// CUDA's stream-ordered memory pool (cudaMallocAsync, cudaMemPool).
///
///   request -> own and completed frees -> ordered frees -> frees that turn out complete -> new memory
///           -> frees worth waiting for -> everything, waited for -> out of memory
///
/// Documented by NVIDIA, and so here:
///   Reuse first:  freed memory is tried before the device is asked for more.
///   Same stream:  what a stream freed is free for it at once.
///   Synchronize:  what a synchronised stream freed, and what it waited for, is free for all streams whatever
///                 the policies. Then, if more than the release threshold is reserved, memory goes back.
///   FollowEventDependencies:   another stream's free serves when this stream already comes after it.
///   AllowOpportunistic:        another stream's free serves when that stream has in fact passed it.
///   AllowInternalDependencies: only when the device has refused: this stream is made to wait for the free.
///   TrimTo:       memory goes back as long as `minBytesToKeep` stay; what is not known to be complete counts
///                 as in use, and so do pieces of which any part is in use.
///   Attributes:   reserved and used bytes with high-water marks. Used is what is not available for reuse.
///   Defaults:     threshold 0, all policies on.
///
/// Not documented; the rules of this model:
///   Round:    up to 256 bytes. 0 bytes are no request.
///   Search:   best fit, lowest address on a tie, in what this stream freed and in what is complete: the
///             smaller of the two, its own on a tie. In another stream's frees the earliest that is large
///             enough: if that one is too late, all are. Other streams are asked in order of first use.
///   Split:    every rest is split off and stays what it was.
///   Progress: every operation is a tick of a clock. In fact, a free is complete `completionLag` ticks later.
///             That is looked at only when nothing else serves, for all streams at once.
///   Events:   the program does what it must: a second stream that uses a block waits for its allocation, and
///             its own stream waits for the second one before the free. With blocking streams every operation
///             on stream 0 waits for all others, and theirs for stream 0. Inserted waits count as waits.
///   Free:     on the stream that allocated.
///   Grow:     whole pieces, mapped at the start of the lowest hole that holds them all; the request begins
///             there, or where complete memory right before it begins. Whole pieces that are complete move
///             there first, from the highest address down; the device, and maxSize, are asked only for what
///             is missing.
///   Wait:     internal dependencies take the earliest free of all other streams that is large enough. When
///             there is none, and anything is pending, all streams are waited for, and search and growth have
///             one more try. Then the request fails.
///   Release:  from the highest address down, whole pieces, never below the threshold (or minBytesToKeep).
///             An empty-cache operation synchronises all streams and trims.
/// Cost:     O(log n) for each list looked at.
/// Source:   CUDA C++ Programming Guide, Stream-Ordered Memory Allocator; CUDA Runtime API, cudaMemPoolAttr,
///           cudaMemPoolTrimTo; NVIDIA's technical blog on the allocator, part 1 (remapping before growing).
class AsyncPool final : public Allocator {
 public:
  static constexpr uint64_t kUnit = 256;

  AsyncPool(const AsyncPoolOptions& options, Driver& device);

  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  void recordStream(BlockHandle block, uint32_t stream) override;
  ControlResult control(const Control& control) override;
  Usage usage() const override;
  Layout layout() const override;

  /// cudaMemPoolTrimTo.
  void trimTo(uint64_t minBytesToKeep);
  /// Sets the high-water marks to the present values, as writing 0 to the attributes does.
  void resetHighMarks();

 private:
  struct Request {
    uint64_t rounded = 0;
    uint64_t requested = 0;
    uint32_t stream = 0;
  };
  using Reason = Decision::Reason;
  using Step = Decision::Step;

  uint32_t begin(uint32_t stream);
  uint32_t obtain(const Request& request);
  uint32_t findFree(const Request& request, Reason& reason) const;
  uint32_t findOrdered(const Request& request) const;
  uint32_t findCompleted(const Request& request);
  uint32_t grow(const Request& request);
  uint32_t findWorthWaiting(const Request& request);
  uint32_t waitForEverything(const Request& request);
  void synchronize(uint32_t stream);
  void completeAll(uint64_t time);
  void shrinkTo(uint64_t least, Reason reason);
  void considerList(uint32_t found, uint32_t stream) const;

  AsyncPoolOptions options_;
  AsyncPoolMemory memory_;
  StreamWaits waits_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> users_;  ///< second streams of blocks in use
  uint64_t clock_ = 0;
  uint64_t used_ = 0;
  uint64_t usedHigh_ = 0;
  uint64_t reservedHigh_ = 0;
};

}  // namespace strata
