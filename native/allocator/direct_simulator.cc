#include "allocator/direct_simulator.h"

#include <bit>

#include "allocator/direct.h"
#include "allocator/replay_error.h"

namespace strata {
namespace {

AllocatorStack build(const Settings& settings, Driver& device, const RequestTrace&) {
  const uint64_t rounding = settings.bytes("alignment");
  if (!std::has_single_bit(rounding))
    throw ReplayError(
        "bad-setting",
        "The setting alignment cannot be " + std::to_string(rounding) + ": it must be a power of two.",
        "Give 512, or another power of two.");
  AllocatorStack stack;
  stack.push_back(std::make_unique<DirectAllocator>(device, rounding));
  return stack;
}

}  // namespace

std::vector<Simulator> directSimulators() {
  return {
      {.name = "direct",
       .knobs =
           {{.name = "alignment", .kind = Knob::Kind::Bytes, .initial = "512", .least = 1, .most = 0x1p30}},
       .build = build}};
}

}  // namespace strata
