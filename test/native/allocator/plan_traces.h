#pragma once

#include <cstdint>

#include "allocator/request_trace.h"

namespace strata::test {

struct TraceShape {
  size_t operations = 400;
  size_t live = 30;                       ///< about so many blocks at a time
  uint64_t largest = uint64_t{16} << 20;  ///< sizes are spread evenly over their logarithm
  size_t stepLength = 0;                  ///< operations between two synchronizations, 0: none
  bool isRepeating = false;               ///< most sizes of a step are those of the step before
  bool hasExtremes = false;               ///< some requests of 0 bytes, some larger than any device
};

/// A random program; the same seed gives the same one.
RequestTrace randomTrace(const TraceShape& shape, uint64_t seed);

/// Builds a trace by hand.
class TraceWriter {
 public:
  /// Answers the request's number.
  uint32_t allocate(uint64_t bytes, uint32_t stream = 0);
  void free(uint32_t request);
  void synchronize();
  void recordStream(uint32_t request, uint32_t stream);

  RequestTrace trace;
};

}  // namespace strata::test
