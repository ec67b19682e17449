#pragma once

#include <vector>

#include "allocator/what_if/run.h"

namespace strata::what_if {

/// What the allocator of a run looked at and did in one operation, and why: the run is repeated up to there
/// with decisions reported for that operation only. Errors: those of run().
std::vector<Decision> explain(const Recording& recording, const RunRequest& request,
                              const RunOptions& options, size_t operation, const Progress& progress);

}  // namespace strata::what_if
