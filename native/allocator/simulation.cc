#include "allocator/simulation.h"

#include <string_view>

#include "allocator/direct.h"
#include "allocator/golden_bfc.h"
#include "allocator/golden_rmm.h"
#include "allocator/pytorch_allocator.h"
#include "allocator/pytorch_golden.h"
#include "allocator/replay_error.h"
#include "allocator/rmm_arena.h"
#include "allocator/rmm_binning.h"
#include "allocator/rmm_fixed.h"
#include "allocator/rmm_pool.h"

namespace strata {
namespace {

/// RMM's device resource rounds what it asks of the device up to this.
constexpr uint64_t kRmmDeviceRounding = 16;

void addBfc(Simulation& simulation, const GoldenConfig& config) {
  auto allocator = std::make_unique<BfcAllocator>(config.bfc, *simulation.device);
  simulation.format = std::make_unique<GoldenBfc>(*allocator, config.bfc.hasTimingCounter);
  simulation.layers.push_back(std::move(allocator));
}

std::unique_ptr<Allocator> makeRmmPool(const GoldenConfig& config, Allocator& upstream) {
  return std::make_unique<RmmPool>(RmmPoolOptions{config.rmm.initialPoolBytes, config.rmm.maximumPoolBytes},
                                   upstream);
}

std::unique_ptr<Allocator> makeRmmArena(const GoldenConfig& config, Allocator& upstream) {
  const uint64_t bytes = config.rmm.arenaBytes.value_or(config.device.capacity / 2);
  if (bytes < RmmArena::kMinimumSuperblock)
    throw ReplayError(
        "replay-bad-setting",
        "Half of the device, " + std::to_string(bytes) + " bytes, is less than an arena's least, 1 MiB.",
        "Raise \"total\", or give \"arena_size\".");
  return std::make_unique<RmmArena>(bytes, upstream);
}

std::unique_ptr<Allocator> makeRmm(const GoldenConfig& config, Allocator& upstream) {
  if (config.allocator == "rmm-pool") return makeRmmPool(config, upstream);
  if (config.allocator == "rmm-arena") return makeRmmArena(config, upstream);
  if (config.allocator == "rmm-fixed") return std::make_unique<RmmFixed>(config.rmm.fixed, upstream);
  return std::make_unique<RmmBinning>(config.rmm.bins, upstream);
}

void addRmm(Simulation& simulation, const GoldenConfig& config) {
  simulation.layers.push_back(std::make_unique<DirectAllocator>(*simulation.device, kRmmDeviceRounding));
  if (config.rmm.isOverPool) simulation.layers.push_back(makeRmmPool(config, simulation.allocator()));
  simulation.layers.push_back(makeRmm(config, simulation.allocator()));
  simulation.format = std::make_unique<GoldenRmm>(simulation.allocator());
}

void addPytorch(Simulation& simulation, const GoldenConfig& config) {
  PytorchConfig settings;
  try {
    settings = parsePytorchConfig(config.pytorch.conf);
  } catch (const ConfigError& error) {
    throw ReplayError("replay-bad-setting", error.what(), "Correct the value in \"conf\".");
  }
  auto allocator = std::make_unique<PytorchAllocator>(settings, *simulation.device, config.pytorch.fraction);
  simulation.format = std::make_unique<GoldenPytorch>(*allocator, config.pytorch.hasPools);
  simulation.layers.push_back(std::move(allocator));
}

using Builder = void (*)(Simulation&, const GoldenConfig&);
struct Known {
  std::string_view prefix;  ///< of the allocator's name
  Builder build;
};
constexpr Known kKnown[] = {{"bfc", addBfc}, {"rmm-", addRmm}, {"pytorch", addPytorch}};

}  // namespace

void Simulation::start() const {
  for (const auto& layer : layers) {
    if (layer->start()) continue;
    throw ReplayError("replay-start-refused",
                      "The device is too small for what the allocator takes before the first request.",
                      "Lower its initial size or batch, or give the device more bytes.");
  }
}

Simulation makeSimulation(const GoldenConfig& config) {
  Simulation simulation;
  simulation.device = std::make_unique<DeviceModel>(config.device);
  for (const Known& known : kKnown) {
    if (!config.allocator.starts_with(known.prefix)) continue;
    known.build(simulation, config);
    return simulation;
  }
  throw ReplayError("replay-unknown-allocator", "The allocator " + config.allocator + " cannot be simulated.",
                    "Choose one of the others.");
}

}  // namespace strata
