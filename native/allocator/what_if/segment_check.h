#pragma once

#include "allocator/what_if/run.h"

namespace strata::what_if {

/// Compares what a run takes from the driver and gives back, and the blocks at its end, with the recording.
///
/// Segment events are compared in order, one with one: action, address and size. Pass every event on to the
/// listener's own sink, if it has one.
class SegmentCheck final : public EventSink {
 public:
  SegmentCheck(const Device& device, Allocator& allocator);

  void onEvent(const AllocatorEvent& event) override;
  void finish(Reproduction& result);

 private:
  void nextRecorded();

  const Device& device_;
  Allocator& allocator_;
  EventSink* forward_;
  size_t at_ = 0;  ///< of the recorded segment event to compare with
  uint64_t matched_ = 0;
};

}  // namespace strata::what_if
