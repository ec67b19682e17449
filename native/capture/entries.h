#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "capture/event_sink.h"
#include "capture/heap.h"
#include "capture/keywords.h"
#include "trace/trace.h"

namespace strata {

/// A block of the final state as its dict says it; the segment it lies in is known only later.
struct StagedBlock {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t requested = 0;
  uint32_t stack = kNone;
  BlockState state = BlockState::Inactive;
  bool hasAddress = false;  ///< not in PyTorch 2.0 and older
};

struct StagedSegment {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t allocated = 0;
  uint64_t active = 0;
  uint64_t requested = 0;
  uint64_t stream = 0;
  uint64_t byte = 0;  ///< where in the file it ends
  int64_t device = 0;
  std::pair<int64_t, int64_t> pool{0, 0};
  uint32_t blocks = kNone;  ///< node of the list of blocks
  uint32_t stack = kNone;
  bool isLarge = true;
  bool isExpandable = false;
  bool hasRequested = false;  ///< not in PyTorch 1.13
  bool isTaken = false;
};

/// One side of an annotation. Those that nightlies of 2024 wrote as events name the list they were in.
struct StagedAnnotation {
  int64_t timeUs = 0;
  int64_t device = 0;
  uint32_t name = kNone;
  uint32_t sink = kNone;
  bool isStart = true;
};

/// What a block held before, in files of PyTorch 2.0 and older.
struct StagedHistory {
  uint64_t realSize = 0;
  uint32_t stack = kNone;
};

/// Counts of what was odd, for warnings, with the place of the first of each.
struct Oddity {
  static constexpr uint64_t kNoPlace = std::numeric_limits<uint64_t>::max();
  uint64_t count = 0;
  int64_t byte = -1;
  void note(uint64_t at, uint64_t times = 1) {
    if (count == 0 && at != kNoPlace) byte = static_cast<int64_t>(at);
    count += times;
  }
};

/// What the keys that occur tell about the writer.
struct Evidence {
  KeySet whole = 0, events = 0, segments = 0, blocks = 0, settings = 0;
  bool hasEvents = false, hasActiveHistory = false;
  bool hasAscendOrder = false;  ///< segment_pool_id before segment_type
  bool hasWorkspaceSnapshot = false, hasUserDefined = false, hasAnnotate = false;
};

/// Turns dicts into rows, recognised by their keys: events, frames, segments, blocks, annotations.
/// The rows are final columns for events and frames, staged rows for the rest.
class Entries {
 public:
  Entries(Heap& heap, Trace& trace, uint64_t fileBytes) : heap_(heap), trace_(trace), fileBytes_(fileBytes) {}

  /// The row that a dict with these keys and values is, or an unset value when it is none of ours. Stacks,
  /// pool ids and the like among the values are consumed.
  ///   list: node of the list it will be put in, or kNone when not known
  Value close(std::span<const Value> pairs, uint32_t list);

  /// Appends rows that are events of this very list, copies those of another, and counts what is no event.
  void appendEvents(uint32_t list, std::span<const Value> items);

  uint32_t textRow(std::string_view text) { return trace_.strings.intern(text); }
  /// Row of a text, kNone when the value is none.
  uint32_t textRow(Value value);
  std::string_view text(Value value) const;

  uint64_t eventCount() const { return eventCount_; }
  size_t bytes() const;

  uint64_t byte = 0;  ///< where the reader is
  std::vector<std::unique_ptr<EventSink>> sinks;
  std::vector<StagedBlock> blocks;
  std::vector<StagedSegment> segments;
  std::vector<StagedAnnotation> annotations;
  std::vector<StagedHistory> histories;
  Evidence evidence;
  std::map<uint32_t, uint64_t> unknownActions;  ///< by strings row
  Oddity incompleteEvents, notEvents, incompleteSegments, incompleteBlocks, incompleteFrames;

 private:
  Value closeEvent(KeySet keys, uint32_t list);
  Value closeFrame(KeySet keys);
  Value closeSegment(KeySet keys);
  Value closeBlock(KeySet keys);
  Value closeAnnotation(KeySet keys);
  Value closeHistory(KeySet keys);

  Action actionOf(Value value);
  uint32_t labelOf(KeySet keys);
  void stageUserDefined(const EventRow& row, uint32_t sink);
  uint32_t sinkFor(uint32_t list);
  uint32_t newSink();
  void mix(Node& list);
  void copyEvent(uint32_t from, uint32_t row, uint32_t to);
  uint32_t stackOf(Value value);
  uint64_t bitsOf(KeySet keys, Word key, Oddity& oddity);
  bool has(KeySet keys, Word key) const { return (keys & keyBit(key)) != 0; }
  Value field(Word key) const { return fields_[static_cast<size_t>(key)]; }

  Heap& heap_;
  Trace& trace_;
  uint64_t fileBytes_;
  uint64_t eventCount_ = 0;
  uint64_t copyCount_ = 0;
  Value fields_[kKeyCount];
  std::vector<uint32_t> frameScratch_;
  uint32_t wordRows_[kWordCount];
  uint32_t strayEvents_ = kNone;  ///< the sink of events that close outside a list
  bool hasWordRows_ = false;
};

}  // namespace strata
