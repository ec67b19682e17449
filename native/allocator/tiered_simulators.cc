#include "allocator/tiered_simulators.h"

#include <bit>

#include "allocator/replay_error.h"
#include "allocator/tiered.h"

namespace strata {
namespace {

AllocatorStack build(const Settings& settings, Driver& device, const RequestTrace&) {
  TieredOptions options;
  options.hasImmediate = settings.flag("immediate_tier");
  options.hasPooled = settings.flag("pooled_tier");
  options.hasVirtual = settings.flag("virtual_tier");
  options.immediateBelow = settings.bytes("immediate_below");
  options.virtualFrom = settings.isSet("virtual_from") ? settings.bytes("virtual_from") : 0;
  options.pageBytes = settings.bytes("page");
  options.rangeBytes = settings.bytes("range");
  if (!std::has_single_bit(options.pageBytes))
    throw ReplayError(
        "bad-setting",
        "The setting page cannot be " + std::to_string(options.pageBytes) + ": it must be a power of two.",
        "Give 2MiB, or another power of two.");
  AllocatorStack stack;
  stack.push_back(std::make_unique<TieredAllocator>(options, device));
  return stack;
}

}  // namespace

std::vector<Simulator> tieredSimulators() {
  using Kind = Knob::Kind;
  return {
      {.name = "tiered",
       .knobs = {{.name = "immediate_tier", .kind = Kind::Flag, .initial = "true"},
                 {.name = "pooled_tier", .kind = Kind::Flag, .initial = "true"},
                 {.name = "virtual_tier", .kind = Kind::Flag, .initial = "true"},
                 {.name = "immediate_below", .kind = Kind::Bytes, .initial = "2MiB", .most = 0x1p60},
                 {.name = "virtual_from", .kind = Kind::Bytes, .least = 1, .most = 0x1p60},
                 {.name = "page", .kind = Kind::Bytes, .initial = "2MiB", .least = 4096, .most = 0x1p30},
                 {.name = "range", .kind = Kind::Bytes, .initial = "32MiB", .least = 4096, .most = 0x1p40}},
       .isModel = true,
       .build = build}};
}

}  // namespace strata
