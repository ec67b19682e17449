#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/progress.h"

namespace strata::xprof {

// The message tensorflow.profiler.PreprocessResult. Texts are as written in the file and live as long as its
// bytes. Source: plugin/xprof/protobuf/memory_viewer_preprocess.proto of XProf.

/// Where a buffer comes from.
struct BufferOrigin {
  std::string_view instruction, operation, file;
  int64_t line = 0;
};

/// A buffer at the peak. Those under a size that the user of the tool chose are one object without an
/// instruction.
struct HeapObject {
  uint64_t bytes = 0;
  BufferOrigin origin;
  std::string_view label, group, shape;
};

/// A buffer over the steps of the program, or the allocation that it lies in.
struct BufferBlock {
  int64_t buffer = 0;  ///< negative: an allocation
  uint64_t offset = 0, bytes = 0;
  int64_t startStep = 0, endStep = 0;  ///< alive from the first up to, and not with, the second
  BufferOrigin origin;
  std::string_view category, shape;
};

/// An allocation that is there from start to end.
struct LastingAllocation {
  uint64_t bytes = 0;
  std::string_view attribute;    ///< the first one: "entry computation parameter"
  std::string_view instruction;  ///< of its largest buffer
};

struct MemoryViewer {
  std::vector<uint64_t> heap;  ///< bytes before each step, and after the last
  std::vector<std::string_view> steps;
  std::vector<HeapObject> peakObjects;
  std::vector<BufferBlock> blocks;
  std::vector<LastingAllocation> lasting;
  int64_t peakStep = -1;
  std::string_view module, entry;
  std::vector<std::pair<const char*, uint64_t>> totals;  ///< what the tool adds up, in bytes
  uint64_t impossible = 0;                               ///< sizes that are none
  size_t firstImpossible = 0;
  bool isBroken = false;      ///< the text breaks off
  std::string brokenBecause;  ///< empty at the end of the file
  size_t brokenAt = 0;
};

/// Reads as far as the text goes. Errors: Cancelled.
MemoryViewer readMemoryViewerJson(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata::xprof
