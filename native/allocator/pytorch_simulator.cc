#include "allocator/pytorch_simulator.h"

#include "allocator/pytorch_allocator.h"
#include "allocator/pytorch_rules.h"
#include "allocator/replay_error.h"

namespace strata {
namespace {

constexpr double kMostMebibytes = static_cast<double>(pytorch::kLargestSize / kMebibyte);
/// The keys of PYTORCH_CUDA_ALLOC_CONF that change where blocks go, one knob each.
constexpr const char* kKeys[] = {
    "max_split_size_mb",        "max_non_split_rounding_mb",    "large_segment_size_mb",
    "roundup_power2_divisions", "garbage_collection_threshold", "per_process_memory_fraction",
    "expandable_segments"};

AllocatorStack build(const Settings& settings, Driver& device, const RequestTrace&) {
  AllocatorStack stack;
  stack.push_back(std::make_unique<PytorchAllocator>(pytorchConfigOf(settings), device));
  return stack;
}

std::vector<Knob> knobs() {
  using Kind = Knob::Kind;
  return {{.name = "PYTORCH_CUDA_ALLOC_CONF", .kind = Kind::Text},
          {.name = "expandable_segments", .kind = Kind::Flag},
          {.name = "max_split_size_mb", .kind = Kind::Count, .least = 20, .most = kMostMebibytes},
          {.name = "roundup_power2_divisions", .kind = Kind::Text},
          {.name = "garbage_collection_threshold", .kind = Kind::Fraction},
          {.name = "per_process_memory_fraction", .kind = Kind::Fraction},
          {.name = "max_non_split_rounding_mb", .kind = Kind::Count, .least = 21, .most = kMostMebibytes},
          {.name = "large_segment_size_mb", .kind = Kind::Count, .least = 12, .most = kMostMebibytes}};
}

}  // namespace

PytorchConfig pytorchConfigOf(const Settings& settings) {
  std::string text = settings.text("PYTORCH_CUDA_ALLOC_CONF");
  for (const char* key : kKeys) {
    if (!settings.isSet(key)) continue;
    text.append(text.empty() ? "" : ",").append(key).append(":").append(settings.text(key));
  }
  try {
    return parsePytorchConfig(text);
  } catch (const ConfigError& error) {
    throw ReplayError("bad-setting", error.what(), "Correct the value, or leave the setting out.");
  }
}

std::vector<Simulator> pytorchSimulators() {
  return {{.name = "pytorch", .knobs = knobs(), .knowsPools = true, .build = build}};
}

}  // namespace strata
