#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocator/replay.h"
#include "allocator/simulator.h"
#include "allocator/what_if/recorded_requests.h"
#include "trace/progress.h"

namespace strata::what_if {

/// An allocator by name and the settings that are not at their defaults.
struct RunRequest {
  std::string allocator;
  WrittenSettings settings;
};

/// Bytes of the device, and who says so.
struct Capacity {
  enum class From : uint8_t { None, Given, RecordedFailure };
  uint64_t bytes = kUnlimitedCapacity;
  From from = From::None;
};

/// What the recording's first failed request states: what was reserved then and what the driver had left.
/// Without such a request the device has no limit.
Capacity recordedCapacity(const Device& device);

/// A recording that many runs share. It must outlive them, and `trace` must outlive it.
struct Recording {
  const Trace& trace;
  const Device& device;
  RecordedRequests requests;
  std::optional<RunRequest> settings;  ///< its own allocator's, where they are known and can be written
  int64_t length = 0;                  ///< of the time line: ns, or events without a clock
};

/// Errors: those of requestsOf().
Recording recordingOf(const Trace& trace, const Device& device);

struct RunFailure {
  EventIndex event = kBeforeFirst;
  uint64_t requested = 0;  ///< as the program asked
  uint64_t free = 0;       ///< in the allocator's own memory at that moment
  uint64_t largestFree = 0;
  std::optional<uint64_t> deviceFree;  ///< none without a limit
};

/// How a run compares with the recording when both have the same allocator and settings.
struct Reproduction {
  uint64_t placements = 0, placementsMatched = 0;
  uint64_t segmentEvents = 0, segmentEventsMatched = 0;
  uint64_t finalBlocks = 0, finalBlocksMatched = 0;
};

/// Moments are events of the recording. All sizes in bytes.
struct RunSummary {
  uint64_t peakReserved = 0;
  EventIndex peakReservedAt = kBeforeFirst;
  uint64_t finalReserved = 0;
  uint64_t peakAllocated = 0;
  uint64_t activeAtPeak = 0, freeAtPeak = 0, largestFreeAtPeak = 0;  ///< at the peak of reserved
  double peakFragmentation = -1;  ///< 1 - largest free / free; -1 when nothing was ever free
  EventIndex peakFragmentationAt = kBeforeFirst;
  uint64_t requests = 0;
  DeviceCalls calls;
  uint64_t failureCount = 0;
  std::optional<RunFailure> firstFailure;
  std::vector<double> reserved, active;  ///< the most in each column of the time line
  std::optional<Reproduction> reproduces;
};

struct RunOptions {
  Capacity capacity;
  uint32_t columns = 1;
};

/// Told everything while a run goes on, and once before and after.
class RunListener {
 public:
  virtual ~RunListener() = default;
  /// Before the first operation. `first` is the first operation that will run; those before it were adopted,
  /// their blocks where the recording has them.
  virtual void onStart(const AllocatorStack&, const class RunDevice&, size_t /*first*/) {}
  virtual void beforeStep(size_t /*operation*/) {}
  virtual void onStep(const ReplayStep&) {}
};

/// One run. With the recording's own allocator and settings it starts from the recorded state, memory lies
/// where the recording's driver placed it, and the driver refuses what it refused then (unless a capacity is
/// given); every other run starts from nothing on a device that places memory at the lowest address where it
/// fits. Errors: ReplayError for settings or a start that is refused, Cancelled.
RunSummary run(const Recording& recording, const RunRequest& request, const RunOptions& options,
               RunListener* listener, const Progress& progress);

}  // namespace strata::what_if
