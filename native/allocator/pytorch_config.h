#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

inline constexpr uint64_t kMebibyte = uint64_t{1} << 20;

/// An allocator setting that cannot be used; the sentence names the key and the value.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(std::string key, std::string value, const std::string& sentence)
      : std::runtime_error(sentence), key(std::move(key)), value(std::move(value)) {}
  std::string key;
  std::string value;
};

/// The settings of PyTorch's caching allocator that change where blocks go, all sizes in bytes.
///
/// Written as users write them: PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:128,expandable_segments:True".
/// Source: c10/cuda/CUDAAllocatorConfig.cpp of PyTorch 2.6; `large_segment_size_mb` as in 2.11.
struct PytorchConfig {
  static constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

  uint64_t maxSplitSize = kUnlimited;
  uint64_t largeSegmentSize = 20 * kMebibyte;
  uint64_t maxNonSplitRounding = 20 * kMebibyte;
  /// Divisions of each power-of-two interval, the first for sizes below 2 MiB, then 2, 4, ... 32768 MiB.
  std::array<uint64_t, 16> roundupDivisions{};
  double garbageCollectionThreshold = 0;  ///< share of the memory limit, 0 when off
  double memoryFraction = 0;              ///< per_process_memory_fraction, 0 when not set
  bool isExpandable = false;
  bool isNeverSplit = false;  ///< pools that hand out whole segments only, as pinned host memory does
  /// Bytes added to every request before it is rounded. 0 for PyTorch, 32 for Ascend's copy of it.
  uint64_t requestPadding = 0;

  bool operator==(const PytorchConfig&) const = default;
};

/// Reads a PYTORCH_CUDA_ALLOC_CONF string. Settings that only change speed (pinned memory, locks) are
/// checked by name and skipped.
/// Errors: ConfigError for an unknown key, a value that cannot be read or one out of range.
PytorchConfig parsePytorchConfig(std::string_view text);

/// The settings a snapshot states about itself ("allocator_settings"), which win over the string in it.
/// What cannot be understood is listed in `problems`, one sentence each, and left at its default.
PytorchConfig pytorchConfigOfSnapshot(const std::vector<std::pair<std::string, std::string>>& settings,
                                      std::vector<std::string>& problems);

}  // namespace strata
