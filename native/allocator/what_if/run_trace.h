#pragma once

#include <map>

#include "allocator/what_if/device.h"
#include "allocator/what_if/run.h"
#include "allocator/what_if/segment_book.h"

namespace strata::what_if {

/// Writes a run down as a trace of its own, so that everything that can be asked of a capture can be asked of
/// it.
///
/// One device, with the recording's times, stacks, labels, annotations and streams; its events are the run's
/// own:
///
///   allocate     (segment_alloc | segment_map | segment_free | …)* alloc, or oom
///   free         free_requested free_completed (segment events)*; apart where a stream had to finish
///
/// What the run holds before its first event is there from before the first event.
class RunTrace final : public RunListener, private EventSink {
 public:
  RunTrace(const Recording& recording, const RunRequest& request);

  void onStart(const AllocatorStack& stack, const RunDevice& device, size_t first) override;
  void onStep(const ReplayStep& step) override;

  /// The finished trace. `operationOf`: for each of its events the operation that caused it.
  Trace finish(const RunSummary& summary, std::vector<uint32_t>& operationOf);

 private:
  /// What an event says besides its place.
  struct Context {
    EventIndex recorded = kBeforeFirst;
    uint32_t stack = kNone;
    uint32_t label = kNone;
    uint16_t stream = 0, pool = 0;
    bool isLarge = true;
  };

  void onEvent(const AllocatorEvent& event) override { pending_.push_back(event); }

  EventIndex addEvent(Action action, uint64_t address, uint64_t bytes, const Context& context, uint32_t row);
  Context contextOf(const ReplayStep& step) const;
  uint32_t stackOf(EventIndex recorded) const;
  void writeSegments(const Context& context);
  void writeSegment(const AllocatorEvent& event, const Context& context);
  void writeBirth(Action action, const AllocatorEvent& event, const Context& context);
  uint32_t rangeAt(const AllocatorEvent& event);
  void writeAllocation(const ReplayStep& step, const Context& context);
  void addBlock(uint32_t request, uint64_t address, uint64_t bytes, EventIndex birth, const Context& context);
  void requestFree(uint32_t request, const Context& context);
  void completeFree(uint32_t request, const Context& context);
  void adopt(size_t first);
  void writeFinalState();
  void judge(const RunSummary& summary);

  const Recording& recording_;
  const RunRequest& request_;
  bool knowsPools_;
  Trace trace_;
  Device device_;
  SegmentBook segments_;
  const RunDevice* driver_ = nullptr;
  std::vector<AllocatorEvent> pending_;  ///< of the step that is under way
  std::vector<uint32_t> rowOf_;          ///< by request: its Blocks row, or kNone
  std::map<uint64_t, uint32_t> ranges_;  ///< base of a reserved range -> row of its first piece
  std::vector<uint32_t> operationOf_;    ///< by event
  uint32_t operation_ = 0;
  bool isStarting_ = true;
};

}  // namespace strata::what_if
