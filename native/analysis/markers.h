#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// A moment worth finding again.
struct Marker {
  enum class Kind : uint8_t { Failure, Snapshot, Flush } kind = Kind::Failure;
  EventIndex event = kBeforeFirst;
  uint64_t bytes = 0;  ///< failure: the rounded request; flush: bytes given back; snapshot: active bytes
  uint32_t count = 1;  ///< flush: how many segments or pages were given back in a row
};

/// All failures and snapshots, and every run of segments given back without another event between them
/// (the allocator's flush before a retry, its garbage collection, or empty_cache), in order. A flush stands
/// at its first event. O(events).
std::vector<Marker> markersOf(const Device& device);

}  // namespace strata
