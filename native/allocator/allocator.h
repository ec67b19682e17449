#pragma once

#include <cstdint>
#include <vector>

#include "allocator/decision.h"
#include "allocator/device_model.h"
#include "trace/trace.h"

namespace strata {

/// A block in use, in whatever way its allocator finds it fastest. Valid until the block is freed.
using BlockHandle = uint32_t;
inline constexpr BlockHandle kNoBlock = std::numeric_limits<uint32_t>::max();
/// Larger requests are refused at once: no device has them, and sums with them could wrap.
inline constexpr uint64_t kLargestRequest = uint64_t{1} << 62;

/// What became of a request.
enum class Outcome : uint8_t {
  Placed,
  Nothing,      ///< 0 bytes were asked for: no block, no failure
  OutOfMemory,  ///< refused
  Error,        ///< the real allocator raises an error that is not out of memory
};

struct Placement {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< of the block handed out, not of the request
  BlockHandle block = kNoBlock;
  Outcome outcome = Outcome::OutOfMemory;
};

/// What an allocator reports while it works. Addresses are absolute.
struct AllocatorEvent {
  enum class Kind : uint8_t {
    DeviceAlloc,   ///< memory came from the device
    DeviceFail,    ///< the device refused `bytes`
    DeviceFree,    ///< memory went back to the device
    SegmentAlloc,  ///< the PyTorch allocator's own trace entries from here on
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    FreeRequested,
    FreeCompleted,
    OutOfMemory,  ///< address = the device's free bytes, bytes = the rounded request
  };
  Kind kind = Kind::DeviceAlloc;
  uint64_t address = 0;
  uint64_t bytes = 0;
  Region region = Region::Pooled;  ///< of memory that comes or goes, where an allocator has several
};

/// Receives events in order. An allocator without a sink builds none: off costs one predictable branch.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void onEvent(const AllocatorEvent& event) = 0;
};

/// Operations beyond allocate, free and record-stream; an allocator that does not know one ignores it.
struct Control {
  enum class Kind : uint8_t {
    EmptyCache,         ///< e
    Synchronize,        ///< s [stream]: all work submitted so far completes
    BeginPool,          ///< p pool [stream]: allocate to a private pool from here on
    EndPool,            ///< q pool
    ReleasePool,        ///< x pool: one use less
    SetMemoryFraction,  ///< m fraction
    AdvanceCounter,     ///< t: BFC's shared timing counter goes up by one
    SetSafeFrontier,    ///< w value
    SetFreedBy,         ///< b value: later allocations carry this freed-by count (0: none)
  };
  Kind kind = Kind::EmptyCache;
  bool hasStream = false;
  uint32_t stream = 0;
  uint64_t value = 0;     ///< pool, frontier or freed-by count
  double fraction = 0.0;  ///< for SetMemoryFraction
};

struct ControlResult {
  bool isError = false;       ///< the real allocator raises an error; what was done before it stays
  int64_t poolUseCount = -1;  ///< p, q, x: uses of the pool afterwards, -1 when there is no such pool
};

/// Totals at one moment, all in bytes.
struct Usage {
  uint64_t allocated = 0;  ///< in live blocks, as handed out
  uint64_t active = 0;     ///< allocated, or freed and still waiting for a stream
  uint64_t reserved = 0;   ///< held from the device (virtual region: mapped)
  uint64_t peakAllocated = 0;
  uint64_t peakReserved = 0;
  uint64_t largestFree = 0;  ///< the largest free block
};

/// The whole state, segments by address, each tiled by its blocks.
struct LayoutBlock {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t requested = 0;  ///< 0 unless allocated
  BlockState state = BlockState::Inactive;
  int64_t ordinal = -1;  ///< BFC: which allocation it is, from 1; -1 when free
  uint64_t stamp = 0;    ///< BFC with a timing counter: when it was freed; 0 = never or safe
};

struct LayoutSegment {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t firstBlock = 0, blockCount = 0;  ///< range in Layout::blocks
  uint32_t stream = 0;
  uint64_t pool = 0;  ///< private pool, 0 for the main one
  Region region = Region::Pooled;
  bool isLarge = true;
  bool isExpandable = false;
};

struct Layout {
  std::vector<LayoutSegment> segments;
  std::vector<LayoutBlock> blocks;
};

/// A simulated allocator over a device that outlives it.
///
/// The driver (replay.h) maps a trace's ids to handles, so that an allocator needs no table of ids.
/// To add one: a header that states its rules and their source, this interface, a name in
/// golden_config.cc, and tests; see README.md.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// Takes what the allocator takes before the first request; false when the device refuses. Called once,
  /// before anything else.
  virtual bool start() { return true; }
  virtual Placement allocate(uint64_t bytes, uint32_t stream) = 0;
  virtual void free(BlockHandle block) = 0;
  /// The block is used on a second stream: it may not be reused before that stream's work so far completes.
  virtual void recordStream(BlockHandle, uint32_t) {}
  virtual ControlResult control(const Control&) { return {}; }

  virtual Usage usage() const = 0;
  virtual Layout layout() const = 0;

  virtual void setEventSink(EventSink* sink) { sink_ = sink; }
  EventSink* eventSink() const { return sink_; }
  /// From here on every operation says what it looked at and why it chose.
  virtual void setDecisionSink(DecisionSink* sink) { decisions_ = sink; }

 protected:
  void emit(AllocatorEvent::Kind kind, uint64_t address, uint64_t bytes,
            Region region = Region::Pooled) const {
    if (sink_) sink_->onEvent({kind, address, bytes, region});
  }
  void decide(Decision::Step step, Decision::Reason reason, uint64_t address, uint64_t bytes) const {
    if (decisions_) decisions_->onDecision({step, reason, address, bytes});
  }
  EventSink* sink_ = nullptr;
  DecisionSink* decisions_ = nullptr;
};

}  // namespace strata
