#pragma once

#include <cstdint>
#include <vector>

#include "allocator/request_trace.h"
#include "trace/trace.h"

namespace strata::what_if {

/// What the program of a recording asked for, in a form that any simulated allocator can be driven by.
///
///   older blocks, by address | event 0: allocate · event 1: free · event 2: allocate, … | one operation or
///   more
///                            ^ olderOperations                                            an event
///
/// The rules, each of which a run's summary owns up to where it matters:
/// - Blocks that are older than the recording are asked for first, in order of address.
/// - A block is given back when the recording's allocator had it back (`death`), also where that was when a
///   stream had finished; the moment of the program's own free is an Ignored operation that names the
///   request.
/// - A request that failed is asked for with the size the recording states, and given back at once when the
///   program went on to ask for more.
/// - Private pools are opened and closed around the requests that went to them (Control), and released where
/// the
///   recording gave their memory back.
/// - A cache flush of the program is a Control; one that the allocator made for itself, because the driver
/// had
///   refused, is left to the allocator (`refusals`).
struct RecordedRequests {
  /// The driver refused memory for the request at `event`: at once, or after it had mapped `granted` bytes.
  struct Refusal {
    EventIndex event = 0;
    uint64_t granted = 0;
    bool isFinal = false;  ///< the request failed
  };

  RequestTrace trace;             ///< streams are ranks by handle; pools Device::pools rows + 1
  std::vector<EventIndex> event;  ///< of each operation; kBeforeFirst for older blocks
  std::vector<uint32_t> block;    ///< of each request: its Blocks row, or kNone when it failed
  size_t olderOperations = 0;
  std::vector<uint32_t> streamRank;  ///< by Device::streams row
  std::vector<Refusal> refusals;     ///< by event

  uint64_t lowerBound = 0;  ///< peak of what was asked for and not given back
  uint64_t streamFrees = 0, olderBlocks = 0, failedRequests = 0, privatePools = 0, unmatchedFrees = 0;
};

/// O(events + blocks log blocks). Errors: ReplayError "nothing-to-simulate" when the device has no requests
/// over time.
RecordedRequests requestsOf(const Device& device);

}  // namespace strata::what_if
