#pragma once

#include <string>
#include <vector>

#include "allocator/what_if/run.h"

namespace strata::what_if {

struct SweepResult {
  struct Ran {
    RunRequest request;
    RunSummary summary;
  };
  /// A run that could not start.
  struct Refused {
    RunRequest request;
    std::string code, message;
  };
  /// Best first: runs without failures by peak reserved, then the others by how far they came; equals in the
  /// order asked.
  std::vector<Ran> runs;
  std::vector<Refused> refused;  ///< in the order asked
};

/// Runs all of `requests` over one recording, on as many threads as this machine has; the answer doesn't
/// depend on how many there are. At any time a thread holds one allocator and one table of blocks, no trace.
/// Progress counts operations of all runs. Errors: Cancelled.
SweepResult sweep(const Recording& recording, const std::vector<RunRequest>& requests,
                  const RunOptions& options, const Progress& progress);

}  // namespace strata::what_if
