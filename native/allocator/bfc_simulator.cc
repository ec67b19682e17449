#include "allocator/bfc_simulator.h"

#include "allocator/bfc.h"
#include "allocator/replay_error.h"

namespace strata {
namespace {

AllocatorStack build(const Settings& settings, Driver& device, const RequestTrace&) {
  BfcOptions options;
  options.limit = settings.isSet("memory_limit") ? settings.bytes("memory_limit") : device.capacity();
  options.allowGrowth = settings.flag("allow_growth");
  options.collectGarbage = settings.flag("garbage_collection");
  options.coalesceRegions = settings.flag("coalesce_regions");
  options.fragmentationFraction = settings.fraction("fragmentation_fraction");
  if (!options.allowGrowth && options.limit >= kUnlimitedCapacity)
    throw ReplayError("missing-setting",
                      "Without growth BFC takes its whole limit at the first request, and there is none.",
                      "Give memory_limit, or the device a capacity.");
  AllocatorStack stack;
  stack.push_back(std::make_unique<BfcAllocator>(options, device));
  return stack;
}

}  // namespace

std::vector<Simulator> bfcSimulators() {
  using Kind = Knob::Kind;
  return {{.name = "bfc",
           .knobs = {{.name = "memory_limit", .kind = Kind::Bytes, .least = 256, .most = 0x1p60},
                     {.name = "allow_growth", .kind = Kind::Flag, .initial = "true"},
                     {.name = "garbage_collection", .kind = Kind::Flag, .initial = "false"},
                     {.name = "coalesce_regions", .kind = Kind::Flag, .initial = "false"},
                     {.name = "fragmentation_fraction", .kind = Kind::Fraction, .initial = "0", .most = 1}},
           .build = build}};
}

}  // namespace strata
