#pragma once

#include "allocator/pytorch_forecast.h"

namespace strata::pytorch {

/// Runs a device's events forwards from a starting layout: follows the recorded addresses, fills the ledger
/// and events.row, and compares each step with what the allocator's rules foresaw. Cost: O(log free blocks)
/// an event; memory for what is alive at one time, and the rows.
class Follow {
 public:
  Follow(Device& device, const PytorchConfig& config, Ledger& ledger, Score& score);

  void run(const StartLayout& start, const Tick& tick);
  RecordedHeap& recorded() { return recorded_; }

 private:
  void step(size_t at);
  void onAlloc(size_t at);
  void onFreeRequested(size_t at);
  void onFreeCompleted(size_t at);
  void onSegmentAlloc(size_t at);
  void onSegmentFree(size_t at);
  void onSegmentMap(size_t at);
  void onSegmentUnmap(size_t at);

  struct Choice {
    BlockId block = kNone;
    bool isForeseen = false;
  };
  Choice chooseFor(size_t at, uint64_t rounded);
  uint64_t sizeAt(BlockId free, uint64_t address, uint64_t rounded) const;
  bool isPossible(size_t at) const;
  bool isLargeSegment(size_t at) const;
  uint16_t poolRowOfSegment(size_t at, uint32_t finalSegment) const;
  Ledger::Segment segmentOf(size_t at, bool isExpandable) const;
  void contradict(size_t at) { score_.contradict(static_cast<EventIndex>(at)); }

  Device& device_;
  EventColumns& events_;
  const PytorchConfig& config_;
  Ledger& ledger_;
  Score& score_;
  FreeKinds kinds_;
  RecordedHeap recorded_;
  Forecast forecast_;
  bool isPoolRecorded_;
};

}  // namespace strata::pytorch
