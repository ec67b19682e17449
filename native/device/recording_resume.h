#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::device {

/// A recording that is there already, as far as going on with it needs to know it.
struct RecordingSoFar {
  int64_t originNs = 0;  ///< wall clock of its time 0, ns since the Unix epoch
  uint64_t part = 0;
  bool isSimulated = false;
  std::vector<std::string> gpus;  ///< ids, in order
  int64_t last = 0;               ///< time of its last sample
  uint64_t bytes = 0;             ///< up to the end of its last whole frame
  uint64_t samples = 0;
};

/// Reads a recording from end to end. Errors: RecordingError "not-a-recording".
RecordingSoFar recordingSoFar(const std::string& path);

}  // namespace strata::device
