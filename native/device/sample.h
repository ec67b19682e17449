#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/gpu.h"

namespace strata::device {

/// Shared by the samples that saw the same processes; null when they cannot be listed.
using ProcessList = std::shared_ptr<const std::vector<GpuProcess>>;

/// One look at all GPUs.
struct Sample {
  int64_t time = 0;  ///< ns since the sampler's start
  bool isGapBefore = false;
  std::vector<GpuReadings> gpus;       ///< without their processes, which stand below
  std::vector<ProcessList> processes;  ///< one for each GPU
};

/// Something that happened while sampling.
struct Event {
  uint64_t number = 0;  ///< counts from 1
  int64_t time = 0;     ///< ns since the sampler's start
  /// "process-came", "process-went", "process-grew", "mark", or the code of a Note.
  std::string kind;
  std::optional<uint32_t> gpu;
  std::string text;  ///< the process, the mark's words, or a sentence
  std::optional<uint32_t> pid;
  Reading bytes;  ///< of the process, or what it grew by
};

}  // namespace strata::device
