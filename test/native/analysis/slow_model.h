#pragma once

#include <vector>

#include "analysis/index.h"
#include "trace/trace.h"

namespace strata::test {

/// Everything an index answers, recomputed from the rectangles of blocks and
/// segments in the plainest way.
class SlowModel {
 public:
  explicit SlowModel(const Device& device) : device_(device) {}

  struct Hole {
    uint64_t from, to;
    Region region;
  };
  struct Run {
    uint64_t from, to;
    uint32_t row;
    Region region;
  };

  std::vector<uint32_t> blocksAt(EventIndex event) const;  ///< by address
  std::vector<Run> runsAt(EventIndex event) const;         ///< by address
  std::vector<Hole> holesAt(EventIndex event) const;       ///< by address
  /// Every metric of every region and of all.
  struct Values {
    double of[kRegionCount + 1][kMetricCount] = {};
  };
  Values valuesAt(EventIndex event) const;
  uint64_t activeAt(EventIndex event) const;

  /// The moments in force somewhere in a column.
  std::vector<EventIndex> momentsIn(const Window& window, uint32_t column) const;
  /// Position of the event a moment begins with; kBeforeFirst begins before
  /// everything.
  double position(Axis axis, EventIndex event) const;

 private:
  const Device& device_;
};

}  // namespace strata::test
