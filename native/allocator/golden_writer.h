#pragma once

#include <ostream>

#include "allocator/replay.h"
#include "allocator/simulation.h"

namespace strata {

struct GoldenRun {
  ReplayTotals totals;
  std::vector<Warning> warnings;  ///< of the trace and of the run; `byte` is the operation's index
};

/// Replays a trace through the allocator of a configuration and writes the golden output: the configuration,
/// placements and events, checkpoints, the final state, one JSON object a line.
///
/// `out` may be null: then only the totals are wanted and nothing is formatted.
/// Errors: ReplayError, Cancelled.
GoldenRun writeGolden(const RequestTrace& trace, const GoldenConfig& config, std::ostream* out,
                      const Progress& progress);

/// Operations between checkpoints: what the configuration says, or the rule of the vectors: 1 for the ones
/// called mini-..., 5,000 for those called big... or of 100,000 operations and more, 250 for the rest.
uint64_t checkpointInterval(const RequestTrace& trace, const GoldenConfig& config);

}  // namespace strata
