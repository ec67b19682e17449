#pragma once

#include <vector>

#include "trace/trace.h"

namespace strata::what_if {

/// Memory that a recorded PyTorch allocator gave back to the driver, all in a row.
struct Flush {
  EventIndex event = 0;         ///< the first segment that went
  std::vector<uint16_t> pools;  ///< private pools that lost memory, Device::pools rows
  /// The allocator did it by itself, for the request at `request`, because the driver had refused (after
  /// `granted` bytes were mapped). Otherwise the program asked for it (torch.cuda.empty_cache).
  bool isRefused = false;
  bool isFinal = false;  ///< refused again afterwards: the request failed
  EventIndex request = 0;
  uint64_t granted = 0;
};

/// Events that belong to one call of the allocator follow each other:
///
///   free_completed* (segment_free | segment_unmap)* (segment_alloc | segment_map)* alloc | oom
///
/// Memory that is returned without a request behind it was asked for by the program. With one, the allocator
/// did it by itself if the request failed, or if what it holds and what it wanted come to more than it ever
/// held: a driver that had given that much before would not have refused. Failed requests without any flush
/// are answered as well, so that a run that follows the recording refuses them. O(events).
std::vector<Flush> flushesOf(const Device& device);

}  // namespace strata::what_if
