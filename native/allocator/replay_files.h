#pragma once

#include <optional>
#include <string>

#include "allocator/golden_writer.h"

namespace strata {

/// Replays the text trace in one file through the allocator that the first line of another describes, and
/// writes the golden output to a third; without that one only the totals are wanted.
/// Errors: ReplayError, also for a file that cannot be read or written; Cancelled.
GoldenRun replayFiles(const std::string& tracePath, const std::string& configurationPath,
                      const std::optional<std::string>& outPath, const Progress& progress);

}  // namespace strata
