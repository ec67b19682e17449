#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/bfc_dump.h"
#include "capture/bfc_heap.h"
#include "capture/touched_ranges.h"
#include "trace/trace.h"

namespace strata::bfc {

/// One allocator of a log over time, from its dumps and its events.
///
/// A dump is one instant: it states what is there and nothing of how that came to be. What is new in it is
/// born at that instant, what is gone has died there; what the first one holds was there before the log
/// began. Events give lives between instants, and the heap gives what each block got and whether the
/// allocator's own rules put it there. A later dump corrects what the events have shown, and is compared with
/// it.
class Timeline {
 public:
  Timeline(Trace& trace, std::string name) : trace_(trace), name_(std::move(name)) {}

  void addDump(const Dump& dump);
  void allocate(const Allocate& allocated, uint32_t stack, const Place& place);
  void deallocate(const Deallocate& freed, uint32_t stack, const Place& place);
  void extend(uint64_t from, uint64_t to, const Place& place);
  void returnRegions(const Place& place);
  /// What the program says after a dump of the tensor that had no room.
  void describeFailure(const TensorRefused& tensor);
  /// Everything as a device; the timeline is used up. Times count from `origin`; without one they are
  /// dropped.
  Device finish(std::optional<int64_t> origin);

  /// No addresses are known, only how many blocks of each size there are (bfc_async.h).
  bool isCensus = false;

  const std::string& name() const { return name_; }
  bool isEmpty() const { return events_.count() == 0; }
  uint64_t eventCount() const { return events_.count(); }
  /// Of the first event; nothing unless every event has a time.
  std::optional<int64_t> firstTime() const;

 private:
  struct Live {
    uint32_t row = kNone;
    uint64_t bytes = 0;
  };
  EventIndex addEvent(Action action, uint64_t address, uint64_t size, uint32_t stack, const Place& place);
  uint32_t addBlock(uint64_t address, uint64_t bytes, uint64_t requested, EventIndex birth, uint32_t stack);
  void endBlock(std::map<uint64_t, Live>::iterator block, EventIndex event);
  /// Ends the blocks that must be gone because something else lies there.
  bool endOverlapping(uint64_t address, uint64_t bytes, EventIndex event);
  uint32_t addSegment(uint64_t address, uint64_t bytes, EventIndex birth);
  void endSegment(uint64_t address, EventIndex event);
  void freeUnnamed(const Deallocate& freed, const Place& place);
  void freeAt(uint64_t address, uint64_t bytes, uint32_t stack, const Place& place);
  void reconcileSegments(const Dump& dump, EventIndex event);
  void reconcileBlocks(const Dump& dump, EventIndex event);
  uint32_t stackOfOp(const std::string& op);
  void restateHeap(const Dump& dump);
  void boundByStatements(const Dump& dump);
  void mismatch(EventIndex event) { firstMismatch_ = std::min(firstMismatch_, event); }

  void placeInSegments();
  void inferSegments();
  void giveEachItsSegment();
  std::vector<uint32_t> sortByBirth();
  void fillFinal(FinalState& final, const std::vector<uint32_t>& newRow) const;
  Exactness judge() const;

  Trace& trace_;
  std::string name_;
  EventColumns events_;
  BlockColumns blocks_;
  SegmentColumns segments_;
  std::map<uint64_t, Live> live_;
  std::map<uint64_t, uint32_t> liveSegments_;                      ///< Segments row by address
  std::unordered_map<uint64_t, std::vector<uint64_t>> byRequest_;  ///< addresses, for frees that name none
  TouchedRanges touched_;                                          ///< where any block ever was
  Heap heap_;
  std::optional<Deallocate> unnamedFree_;  ///< may be said again, with its address, by the next line
  Place unnamedFreePlace_;
  bool hasDebugLines_ = false;
  bool isTimed_ = true;
  bool areRequestsKnown_ = true;
  bool isWhole_ = true;
  int64_t lastTime_ = 0;
  uint64_t dumps_ = 0, streamed_ = 0, returned_ = 0;
  uint64_t placements_ = 0, foretold_ = 0, outsideRegions_ = 0;
  uint64_t ambiguousFrees_ = 0, olderFrees_ = 0, lostFrees_ = 0;
  uint64_t compared_ = 0, agreed_ = 0;
  EventIndex firstMismatch_ = kNever;
  EventIndex lastFailure_ = kNever;
  PossibleExtra possible_;
};

}  // namespace strata::bfc
