#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/address_spans.h"
#include "capture/bfc_dump.h"
#include "capture/bfc_heap.h"
#include "capture/live_blocks.h"
#include "capture/placed_blocks.h"
#include "capture/placed_segments.h"
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
///
/// Lines that contradict each other are resolved as in PlacedBlocks: of two the later one counts, an
/// allocation across the border of a region is left out, and each kind is counted. So at no moment do blocks
/// or regions overlap, and a block lies whole in a region or outside of all.
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

  /// What contradicted itself; complete after finish().
  const PlacementOddities& oddities() const { return oddities_; }

  const std::string& name() const { return name_; }
  bool isEmpty() const { return events_.count() == 0; }
  uint64_t eventCount() const { return events_.count(); }
  /// Of the first event; nothing unless every event has a time.
  std::optional<int64_t> firstTime() const;

 private:
  using Entry = PlacedSegments::Entry;
  static TextPlace textPlace(const Place& place) { return {static_cast<uint64_t>(place.line), place.byte}; }
  EventIndex addEvent(Action action, uint64_t address, uint64_t size, uint32_t stack, const Place& place);
  uint32_t addBlock(uint64_t address, uint64_t bytes, uint64_t requested, EventIndex birth, uint32_t stack);
  void addLive(uint32_t row);
  void bury(const LiveBlocks::Block& block, EventIndex event);
  bool isRepeated(const Allocate& allocated) const;
  /// Ends the blocks that must be gone because another is handed out there; answers whether there was one.
  bool endOverlapping(uint64_t from, uint64_t to, EventIndex event, const Place& place);
  uint32_t takeRegion(uint64_t from, uint64_t bytes, EventIndex event);
  /// The region is gone, and with it the blocks that were live in it.
  void endRegion(uint64_t from, uint64_t to, EventIndex event, const Place& place);
  void freeUnnamed(const Deallocate& freed, const Place& place);
  void freeAt(uint64_t address, uint64_t bytes, uint32_t stack, const Place& place);
  void freeOlder(uint64_t address, uint64_t bytes, EventIndex event, const Place& place);
  /// What the events say beyond a dump that is not whole is there still.
  bool isAddition(const Dump& dump) const { return streamed_ != 0 && !dump.isWhole; }
  void reconcileRegions(const Dump& dump, EventIndex event);
  struct Piece {
    uint64_t address, end;
    uint32_t range;  ///< of the pieces before it, or kNone
  };
  std::vector<bool> contradicted(const std::vector<Piece>& fresh) const;
  void endOthers(const Dump& dump, const std::unordered_set<uint32_t>& kept, const std::vector<Piece>& fresh,
                 EventIndex event);
  static bool isInsideOf(const DumpRun& run, const AddressSpans& known, const AddressSpans& across);
  uint64_t bytesInRegions() const;
  void reconcileBlocks(const Dump& dump, EventIndex event);
  bool isStillThere(const LiveBlocks::Block& block, const AddressSpans& told) const;
  void noteRegionOf(const LiveBlocks::Block& block, EventIndex event);
  uint32_t stackOfOp(const std::string& op);
  void restateHeap(const Dump& dump);
  void rebuildHeap();
  void boundByStatements(const Dump& dump);
  void mismatch(EventIndex event) { firstMismatch_ = std::min(firstMismatch_, event); }

  void dropAddresses();
  void placeInSegments();
  void inferSegments();
  void standAlone(uint32_t block, Region region);
  void sortBlocks();
  void sortSegments();
  void fillFinal(FinalState& final) const;
  Exactness judge() const;

  Trace& trace_;
  std::string name_;
  EventColumns events_;
  BlockColumns blocks_;
  PlacedSegments segments_{PlacedSegments::Pieces::All};
  LiveBlocks live_;
  AddressSpans ended_;  ///< where regions ended at the last dump
  /// Blocks that outlived what was known of their place: from which event on they lie in a later region.
  std::unordered_map<uint32_t, EventIndex> laterRegion_;
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
  uint64_t dumps_ = 0, streamed_ = 0;
  uint64_t placements_ = 0, foretold_ = 0, outsideRegions_ = 0;
  uint64_t ambiguousFrees_ = 0, olderFrees_ = 0;
  uint64_t liveBytes_ = 0;
  uint64_t compared_ = 0, agreed_ = 0;
  EventIndex firstMismatch_ = kNever;
  EventIndex lastFailure_ = kNever;
  PossibleExtra possible_;
  PlacementOddities oddities_;
};

}  // namespace strata::bfc
