#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/merge.h"
#include "trace/progress.h"

namespace strata {

/// A file of a set that is to be opened.
struct SetFile {
  std::string path;
  std::string name;    ///< as the user knows it
  uint64_t bytes = 0;  ///< its size, by which it counts in the progress
};

/// A file of a set that could not be read, as the CaptureError says that it threw.
struct RefusedFile {
  uint32_t file = 0;  ///< position among those that were asked for
  std::string code, message, remedy;
  int64_t byte = -1;
};

struct ReadSet {
  std::vector<NamedTrace> traces;    ///< of the files that could be read, in their order
  std::vector<uint32_t> files;       ///< which file each of them is
  std::vector<RefusedFile> refused;  ///< the others
};

/// Reads each file of a set with the reader of its own format, one after the other. A file that cannot be
/// read is told of and keeps none of the others from being read. Progress counts the bytes of all files
/// together. Errors: Cancelled.
ReadSet readSet(std::span<const SetFile> files, const Progress& progress);

}  // namespace strata
