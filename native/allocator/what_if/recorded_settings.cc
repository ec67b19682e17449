#include "allocator/what_if/recorded_settings.h"

#include <algorithm>
#include <cstdio>

#include "allocator/pytorch_simulator.h"
#include "allocator/rebuild.h"
#include "allocator/replay_error.h"

namespace strata::what_if {
namespace {

/// [1:4,2:8,…]: an entry for each power of two of MiB, or one number when all are the same.
std::string divisionsText(const std::array<uint64_t, 16>& divisions) {
  const bool isUniform =
      std::all_of(divisions.begin(), divisions.end(), [&](uint64_t one) { return one == divisions.front(); });
  if (isUniform) return std::to_string(divisions.front());
  std::string text = "[";
  for (size_t i = 0; i < divisions.size(); ++i) {
    if (i > 0) text += ",";
    text.append(std::to_string(uint64_t{1} << i)).append(":").append(std::to_string(divisions[i]));
  }
  return text + "]";
}

std::string fractionText(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  return digits;
}

WrittenSettings written(const PytorchConfig& config) {
  const PytorchConfig usual;
  WrittenSettings settings;
  if (config.isExpandable) settings["expandable_segments"] = "true";
  if (config.maxSplitSize != usual.maxSplitSize)
    settings["max_split_size_mb"] = std::to_string(config.maxSplitSize / kMebibyte);
  if (config.roundupDivisions != usual.roundupDivisions)
    settings["roundup_power2_divisions"] = divisionsText(config.roundupDivisions);
  if (config.garbageCollectionThreshold > 0)
    settings["garbage_collection_threshold"] = fractionText(config.garbageCollectionThreshold);
  if (config.memoryFraction > 0)
    settings["per_process_memory_fraction"] = fractionText(config.memoryFraction);
  if (config.largeSegmentSize != usual.largeSegmentSize)
    settings["large_segment_size_mb"] = std::to_string(config.largeSegmentSize / kMebibyte);
  if (config.maxNonSplitRounding != config.largeSegmentSize)
    settings["max_non_split_rounding_mb"] = std::to_string(config.maxNonSplitRounding / kMebibyte);
  return settings;
}

}  // namespace

std::optional<WrittenSettings> recordedSettings(const Trace& trace, const Device& device) {
  const bool isItsAllocator = device.kind != DeviceKind::Npu && device.kind != DeviceKind::Host;
  if (formatOf(trace, device) != "pytorch-snapshot" || !isItsAllocator) return std::nullopt;
  const PytorchConfig config = recordedConfig(trace, device);
  const WrittenSettings settings = written(config);
  try {
    const Settings read(simulatorNamed("pytorch").knobs, settings);
    if (pytorchConfigOf(read) == config) return settings;
  } catch (const ReplayError&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace strata::what_if
