#pragma once

#include "allocator/pytorch_recorded_heap.h"

namespace strata::pytorch {

/// Foresees, from the allocator's rules and the heap as it stands, what a recording says next, and keeps
/// score.
///
/// Events that belong to one call of the allocator follow each other:
///
///   free_completed* (segment_free | segment_unmap)* (segment_alloc | segment_map*) alloc
///
/// The request at the end of such a sequence is known from its first event on; so it can be asked whether a
/// free block would have served it, which segments a flush returns and in which order, and how a range grows.
/// The moments at which other streams finish are the recording's; they cannot be foreseen.
class Forecast {
 public:
  Forecast(const Device& device, RecordedHeap& recorded, Score& score);

  /// To be called before any event of a sequence is applied.
  void enter(size_t at);
  bool isLinked(size_t at) const;

  void beforeSegmentAlloc(size_t at, uint16_t poolRow);
  void afterSegmentAlloc(BlockId block) { fresh_ = block; }
  void beforeMap(size_t at);
  void afterMap(BlockId block);
  /// A free_completed in a sequence, before it is applied.
  void beforeCompletion(size_t at);
  /// To be called when blocks may merge or go in the middle of a sequence.
  void forgetPlans() {
    fresh_ = kNone;
    growth_ = Growth::None;
  }
  /// What a flush would return next, were it to return memory of this pair of pools.
  BlockId likelyReturn(uint16_t poolRow);
  /// A segment_free or segment_unmap of (part of) a free block.
  void beforeReturn(size_t at, BlockId block);

  /// To be called with the first event after a sequence.
  void leave(size_t at);

  /// The block the rules choose for the allocation at `at`, or kNone.
  BlockId choose(size_t at, uint64_t rounded, uint16_t poolRow);

  size_t end() const { return end_; }
  /// Whether `at` ends a sequence whose beginning the recording may lack, so that it cannot be judged.
  bool isCutOff(size_t at) const { return isCutSequence_ && at <= end_; }
  /// Whether the sequence entered last ends in a request, and its rounded size.
  bool hasRequest() const { return hasRequest_; }
  uint64_t rounded() const { return rounded_; }

 private:
  void readRequest();
  bool isMiss(uint16_t poolRow);
  bool isMissAfterShrinking(uint16_t poolRow);
  void settleBurst(EventIndex event);
  void judge(bool isForeseen, size_t at);
  bool isTooCostly(size_t at);
  BlockId nextReturn(PoolId wanted);
  BlockId firstOf(uint16_t poolRow, bool isLarge);
  BlockId nextPrivateReturn(PoolId wanted);
  bool isOversizeReturn(BlockId block);
  void planGrowth(uint16_t poolRow);
  bool isExpectedPiece(uint64_t address, uint64_t bytes);

  const EventColumns& events_;
  RecordedHeap& recorded_;
  const PytorchConfig& config_;
  Score& score_;
  uint16_t defaultPool_ = 0;

  uint64_t mostSteps_;
  bool isGivenUp_ = false;
  size_t end_ = 0;             ///< of the sequence entered last
  bool isCutSequence_ = true;  ///< it holds the first event of the recording
  bool hasRequest_ = false;
  bool isMissAtStart_ = false;
  uint64_t rounded_ = 0;
  uint16_t requestPool_ = 0;
  StreamRank stream_ = 0;
  BlockId fresh_ = kNone;  ///< what the sequence made for its request

  bool isInBurst_ = false;
  bool isOversizePhase_ = false;
  bool isCollectable_ = false;  ///< the burst so far may be a garbage collection
  uint16_t privatePool_ = 0;    ///< private pool whose memory is being returned
  bool isPrivatePhase_ = false;
  uint64_t burstEvents_ = 0;
  uint64_t burstMatched_ = 0;
  EventIndex burstMismatch_ = kNever;

  enum class Growth : uint8_t { None, NewRange, Planned };
  Growth growth_ = Growth::None;
  BlockId grown_ = kNone;  ///< start of the planned growth: unmapped, or free with unmapped space behind it
};

}  // namespace strata::pytorch
