#include "allocator/offline_simulators.h"

#include <bit>

#include "allocator/offline_allocator.h"
#include "allocator/pytorch_allocator.h"
#include "allocator/replay_error.h"

namespace strata {
namespace {

OfflinePlanOptions alignedOptions(const Settings& settings) {
  OfflinePlanOptions options;
  options.alignment = settings.bytes("alignment");
  if (!std::has_single_bit(options.alignment))
    throw ReplayError("bad-setting",
                      "The setting alignment cannot be " + std::to_string(options.alignment) +
                          ": it must be a power of two.",
                      "Give 512, or another power of two.");
  return options;
}

AllocatorStack buildGreedy(const Settings& settings, Driver& device, const RequestTrace& requests) {
  const OfflinePlanOptions options = alignedOptions(settings);
  AllocatorStack stack;
  stack.push_back(std::make_unique<OfflineAllocator>(planGreedyBySize(requests, options), options.alignment,
                                                     device, nullptr));
  return stack;
}

AllocatorStack buildSpatioTemporal(const Settings& settings, Driver& device, const RequestTrace& requests) {
  OfflinePlanOptions options = alignedOptions(settings);
  options.turn = settings.fraction("phase_turn");
  AllocatorStack stack;
  stack.push_back(std::make_unique<PytorchAllocator>(PytorchConfig{}, device));
  stack.push_back(std::make_unique<OfflineAllocator>(planSpatioTemporal(requests, options), options.alignment,
                                                     device, stack.front().get()));
  return stack;
}

}  // namespace

std::vector<Simulator> offlineSimulators() {
  using Kind = Knob::Kind;
  const Knob alignment{
      .name = "alignment", .kind = Kind::Bytes, .initial = "512", .least = 1, .most = 0x1p30};
  return {{.name = "offline-greedy", .knobs = {alignment}, .isModel = true, .build = buildGreedy},
          {.name = "offline-stalloc",
           .knobs = {alignment,
                     {.name = "phase_turn", .kind = Kind::Fraction, .initial = "0.1", .least = 0, .most = 1}},
           .isModel = true,
           .build = buildSpatioTemporal}};
}

}  // namespace strata
