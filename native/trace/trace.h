#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "trace/interner.h"

namespace strata {

/// Position of an event in its device's recorded order. kBeforeFirst is the moment before the first
/// event, kNever the death of what is still there at the end.
using EventIndex = int32_t;
inline constexpr EventIndex kBeforeFirst = -1;
inline constexpr EventIndex kNever = std::numeric_limits<EventIndex>::max();

/// "No such row" in every column that refers to another table.
inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

/// The three regions of the product (DESIGN.md); every byte belongs to one.
enum class Region : uint8_t { Immediate, Pooled, Virtual };
inline constexpr int kRegionCount = 3;

/// What happened, in the words of PyTorch's trace entries. Other formats map onto the same actions.
enum class Action : uint8_t {
  Alloc,
  FreeRequested,
  FreeCompleted,
  SegmentAlloc,
  SegmentFree,
  SegmentMap,
  SegmentUnmap,
  Snapshot,
  OutOfMemory,
  Annotate,
  Other,
  Free,  ///< of formats that know one moment only, when the block is gone
};

/// Of a number of bytes that a format does not say.
inline constexpr uint64_t kUnknownBytes = std::numeric_limits<uint64_t>::max();

enum class DeviceKind : uint8_t { Cuda, Host, Npu, Xpu, Unknown };

/// What a capture tells of addresses, and with it what can be drawn and said of a device.
enum class DeviceLayout : uint8_t {
  Segments,  ///< blocks in segments: what lies between blocks is free
  Blocks,    ///< blocks alone, each also a segment row of its own: what lies between them is not known, and
             ///< reserved is what is active
  Totals,    ///< sizes without addresses: totals are right, but which allocation a free ended is not known
};

/// How a block of the final state was recorded.
enum class BlockState : uint8_t { Inactive, Allocated, PendingFree };

/// Recorded events of one device, oldest first, one column a field.
struct EventColumns {
  std::vector<Action> action;
  std::vector<uint64_t> address;  ///< of the block or segment; for OutOfMemory the driver's free bytes or
                                  ///< kUnknownBytes
  std::vector<uint64_t> size;     ///< bytes as recorded: the request for blocks, the segment's for segments
  std::vector<int64_t> time;      ///< ns from Trace::originNs, non-decreasing; empty when there is no clock
  std::vector<uint32_t> stack;    ///< Trace::stacks row or kNone
  std::vector<uint16_t> stream;   ///< Device::streams row
  std::vector<uint16_t> pool;     ///< Device::pools row
  std::vector<uint32_t>
      label;  ///< Trace::strings row (user metadata, compile context) or kNone; empty when none has one
  std::vector<uint32_t> row;  ///< filled by the rebuild: the Blocks or Segments row it concerns, or kNone

  size_t count() const { return action.size(); }
};

/// Every block that lived during the recording, in order of birth (those from before it come first).
/// Alive in [birth, death) counted in events: the block is there after event `birth`, gone after event
/// `death`.
struct BlockColumns {
  std::vector<uint64_t> address;
  std::vector<uint64_t> bytes;      ///< what it got
  std::vector<uint64_t> requested;  ///< what was asked for
  std::vector<EventIndex> birth;    ///< kBeforeFirst when older than the recording
  std::vector<EventIndex>
      freeRequested;              ///< from here on it is active but no longer allocated; kNever if not freed
  std::vector<EventIndex> death;  ///< kNever when alive at the end
  std::vector<uint32_t> stack;    ///< where it was allocated, or kNone
  std::vector<uint32_t> segment;  ///< Segments row it was born in
  std::vector<Region> region;
  std::vector<uint16_t> stream;
  std::vector<uint16_t> pool;

  size_t count() const { return address.size(); }
};

/// Memory taken from the driver, alive in [birth, death). An expandable segment is one row for each
/// mapped piece: pieces that touch and share `range` are one contiguous mapped run on screen.
/// When part of a piece is unmapped, it dies and its remaining parts are born at that event.
struct SegmentColumns {
  std::vector<uint64_t> address;
  std::vector<uint64_t> bytes;
  std::vector<EventIndex> birth;
  std::vector<EventIndex> death;
  std::vector<uint32_t> stack;
  std::vector<uint32_t> range;  ///< equal for pieces of one expandable range; otherwise the row itself
  std::vector<Region> region;
  std::vector<uint16_t> stream;
  std::vector<uint16_t> pool;
  std::vector<uint8_t> isLarge;
  std::vector<uint8_t> isExpandable;

  size_t count() const { return address.size(); }
};

/// The allocator's state at the end of the recording, as the capture states it.
struct FinalState {
  struct Segment {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t allocated = 0;  ///< as stated by the file, to be compared with the blocks
    uint64_t active = 0;
    uint64_t requested = 0;
    uint32_t firstBlock = 0;  ///< range in the block columns below
    uint32_t blockCount = 0;
    uint32_t stack = kNone;
    uint16_t stream = 0;
    uint16_t pool = 0;
    bool isLarge = true;
    bool isExpandable = false;
  };
  std::vector<Segment> segments;  ///< sorted by address
  std::vector<uint64_t> blockAddress;
  std::vector<uint64_t> blockBytes;
  std::vector<uint64_t> blockRequested;  ///< 0 for inactive blocks
  std::vector<BlockState> blockState;
  std::vector<uint32_t> blockStack;
};

/// Whether the rebuilt trace is proved by the recording.
struct Exactness {
  enum class Verdict : uint8_t { Exact, Estimated, Mismatch, NotApplicable };
  Verdict verdict = Verdict::NotApplicable;
  uint64_t placements = 0;  ///< allocations whose address the model predicted
  uint64_t placementsMatched = 0;
  uint64_t segmentEvents = 0;  ///< segment events the model foresaw in place and size
  uint64_t segmentEventsMatched = 0;
  uint64_t finalBlocks = 0;
  uint64_t finalBlocksMatched = 0;
  EventIndex firstMismatch = kNever;  ///< sizes are estimates from here on
  uint64_t hiddenBlocks = 0;          ///< blocks whose end lies somewhere in the free memory behind them
  uint64_t hiddenBytes = 0;           ///< by how much they may together be larger than shown
  std::string because;                ///< one plain English sentence, empty when exact
  std::string code;                   ///< stable, for translation
};

/// Bytes that may or may not have been there all along: final state that a cut-off capture does not explain.
/// kUnknownBytes where nothing says how much more there was.
struct PossibleExtra {
  uint64_t reserved = 0, allocated = 0, active = 0, requested = 0;
  uint64_t segments = 0, blocks = 0;
};

struct Device {
  int ordinal = 0;
  uint32_t part = 0;  ///< row of Trace::parts, when there are any
  DeviceKind kind = DeviceKind::Cuda;
  std::string allocator;  ///< as the capture names it, "GPU_0_bfc"; empty when it does not
  EventColumns events;
  FinalState final;
  BlockColumns blocks;                             ///< filled by the rebuild, or by the reader if isPlaced
  SegmentColumns segments;                         ///< the same
  std::vector<uint64_t> streams;                   ///< raw stream values
  std::vector<std::pair<int64_t, int64_t>> pools;  ///< PyTorch pool ids; (0,0) is the default pool
  bool isEventListComplete = true;                 ///< false when the file broke off inside or before it
  bool hasHistory = false;                         ///< whether any event was recorded
  /// The reader knows blocks and segments: it filled them, events.row and exactness, and nothing is rebuilt.
  bool isPlaced = false;
  bool areRequestsKnown = true;  ///< false: BlockColumns::requested repeats bytes
  DeviceLayout layout = DeviceLayout::Segments;
  /// No segment is of one region alone: what small blocks take of a pooled segment is immediate (DESIGN.md).
  bool isRegionBySize = false;
  /// The moment to show as the peak, where it says more than the first at which reserved is highest: that of
  /// the most active bytes, at which reserved is as high. Of a device with DeviceLayout::Totals and a
  /// history, the blocks of this moment are known by call site. kNever: nothing but the totals tells.
  EventIndex peak = kNever;
  PossibleExtra possible[kRegionCount];  ///< all zero unless the capture is cut off
  Exactness exactness;
};

/// A named span of the program (record_function, ProfilerStep) on one device; a side that is missing is open.
struct Annotation {
  uint32_t name = kNone;  ///< Trace::strings row
  int device = 0;         ///< ordinal
  int64_t begin = 0;      ///< ns from originNs
  int64_t end = 0;
  uint16_t depth = 0;  ///< lane: nesting depth
  bool hasBegin = true, hasEnd = true;
  uint32_t part = 0;  ///< as of the device
};

/// What the values of a counter measure.
enum class CounterUnit : uint8_t {
  Bytes,
  BytesPerSecond,
  Percent,
  Celsius,
  Milliwatts,
  Millijoules,
  Megahertz,
  Count,
};

/// A quantity that was sampled beside or instead of an allocator's events: what a driver says a GPU holds,
/// how busy it is. A value holds until the next one; NaN says that nothing is known from there on.
struct Counter {
  uint32_t group = kNone;  ///< Trace::strings row: whose it is, e.g. "GPU 0"
  uint32_t name = kNone;   ///< Trace::strings row: a stable word ("used") or what the file calls it
  CounterUnit unit = CounterUnit::Count;
  bool isProcess = false;     ///< of one process in the group, which `name` names
  std::vector<int64_t> time;  ///< ns from Trace::originNs, increasing
  std::vector<double> value;  ///< one for each time
  uint32_t part = 0;          ///< row of Trace::parts, when there are any
};

/// A moment that has a name but belongs to no allocator event: the user's mark, a process that came.
struct Mark {
  int64_t time = 0;        ///< ns from Trace::originNs
  uint32_t group = kNone;  ///< Trace::strings row, as of the counters; kNone: of the whole trace
  uint32_t kind = kNone;   ///< Trace::strings row: a stable word
  uint32_t text = kNone;   ///< Trace::strings row
};

/// Something to tell the user about the file, with a stable code and where it is.
struct Warning {
  std::string code;
  std::string message;    ///< one plain English sentence
  int64_t byte = -1;      ///< position in the file, or -1
  bool isDamage = false;  ///< true: something in the file could not be read (exit code 2)
  int64_t line = -1;      ///< position in a text, counted from 1, or -1; shown instead of the byte
  uint32_t part = 0;      ///< row of Trace::parts, when there are any; kNone: of the set as a whole
};

/// What the times of one file of a set stand on.
enum class PartClock : uint8_t {
  None,   ///< it has no times: its events count alone
  Start,  ///< it has times but no date: its time 0 is put at the start of the axis
  Wall,   ///< its times are dates, and its events lie where they belong among those of the others
};

/// One file of a set that was opened as one trace (trace/merge.h).
struct TracePart {
  std::string name;  ///< as the user knows the file
  std::string format, producer;
  bool isComplete = true;
  PartClock clock = PartClock::None;
  int64_t startNs = 0;  ///< its own time 0, ns from Trace::originNs
  uint64_t fileBytes = 0;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<int64_t> sampleTimes;  ///< as Trace::sampleTimes, on the axis of the set
};

struct Frame {
  uint32_t name = kNone, file = kNone;  ///< Trace::strings rows
  int32_t line = 0;
};

struct Trace {
  std::string format;    ///< e.g. "pytorch-snapshot"
  std::string producer;  ///< e.g. "PyTorch 2.6 (by its keys)"
  bool isComplete = true;
  bool hasClock = false;
  bool hasOrigin = true;  ///< false when the times have no date: time 0 is the first event
  int64_t originNs = 0;   ///< wall clock of time 0, ns since the Unix epoch, when hasClock and hasOrigin
  uint64_t fileBytes = 0;
  StringTable strings;
  FrameTable frames;            ///< de-duplicated
  StackTable stacks;            ///< de-duplicated lists of frames, innermost first
  std::vector<Device> devices;  ///< only those with events or segments
  std::vector<Annotation> annotations;
  std::vector<Counter> counters;  ///< in order of group; a trace may hold nothing else
  /// When the counters were read, ns from originNs, non-decreasing: a reading that says what the one before
  /// it said is no point of its counter. Empty when the points are all there is.
  std::vector<int64_t> sampleTimes;
  std::vector<Mark> marks;  ///< in order of time
  int64_t countersEnd = 0;  ///< ns from originNs until which the last values of the counters hold
  std::vector<std::pair<std::string, std::string>> settings;  ///< allocator settings, values as text
  std::vector<Warning> warnings;
  std::vector<TracePart> parts;  ///< the files of a set; empty when the trace is one file
};

/// What is recorded of the allocator of a device: the settings of its own file.
inline const std::vector<std::pair<std::string, std::string>>& settingsOf(const Trace& trace,
                                                                          const Device& device) {
  return trace.parts.empty() ? trace.settings : trace.parts[device.part].settings;
}

/// The format of the file that a device comes from.
inline const std::string& formatOf(const Trace& trace, const Device& device) {
  return trace.parts.empty() ? trace.format : trace.parts[device.part].format;
}

}  // namespace strata
