#include "allocator/virtual_simulators.h"

#include <bit>

#include "allocator/replay_error.h"
#include "allocator/tensorflow_vmm.h"

namespace strata {
namespace {

using Kind = Knob::Kind;

constexpr uint64_t kUnlimited = std::numeric_limits<int64_t>::max();
constexpr uint64_t kPage = uint64_t{2} << 20;

/// A granularity in bytes. Errors: ReplayError when it is not a power of two.
uint64_t granularityOf(const Settings& settings) {
  const uint64_t bytes = settings.bytes("granularity");
  if (std::has_single_bit(bytes)) return bytes;
  throw ReplayError("bad-setting",
                    "The granularity, " + std::to_string(bytes) + " bytes, is not a power of two.",
                    "Current GPUs have 2 MiB.");
}

Knob granularityKnob() {
  return {.name = "granularity", .kind = Kind::Bytes, .initial = "2MiB", .least = 4096, .most = 0x1p30};
}

AllocatorStack buildTensorflowVmm(const Settings& settings, Driver& device, const RequestTrace&) {
  TensorflowVmmOptions options;
  options.bfc.limit = settings.isSet("memory_limit") ? settings.bytes("memory_limit") : device.capacity();
  options.bfc.allowGrowth = settings.flag("allow_growth");
  options.bfc.collectGarbage = settings.flag("garbage_collection");
  options.bfc.fragmentationFraction = settings.fraction("fragmentation_fraction");
  options.rangeBytes = settings.isSet("virtual_address_space_size")
                           ? settings.bytes("virtual_address_space_size")
                           : options.bfc.limit;
  options.granularity = granularityOf(settings);
  if (!options.bfc.allowGrowth && options.bfc.limit >= kUnlimited)
    throw ReplayError("missing-setting",
                      "Without growth BFC takes its whole limit at the first request, and there is none.",
                      "Give memory_limit, or the device a capacity.");
  AllocatorStack stack;
  stack.push_back(std::make_unique<TensorflowVmm>(options, device));
  return stack;
}

Simulator tensorflowVmm() {
  return {.name = "tf-vmm",
          .knobs = {{.name = "memory_limit", .kind = Kind::Bytes, .least = 256, .most = 0x1p60},
                    {.name = "allow_growth", .kind = Kind::Flag, .initial = "true"},
                    {.name = "garbage_collection", .kind = Kind::Flag, .initial = "true"},
                    {.name = "fragmentation_fraction", .kind = Kind::Fraction, .initial = "0", .most = 1},
                    {.name = "virtual_address_space_size",
                     .kind = Kind::Bytes,
                     .least = static_cast<double>(kPage),
                     .most = 0x1p60},
                    granularityKnob()},
          .build = buildTensorflowVmm};
}

}  // namespace

std::vector<Simulator> virtualSimulators() { return {tensorflowVmm()}; }

}  // namespace strata
