#include "allocator/rmm_simulators.h"

#include "allocator/direct.h"
#include "allocator/replay_error.h"
#include "allocator/rmm_arena.h"
#include "allocator/rmm_binning.h"
#include "allocator/rmm_fixed.h"
#include "allocator/rmm_pool.h"

namespace strata {
namespace {

using Kind = Knob::Kind;

/// RMM's device resource rounds what it asks of the device up to this.
constexpr uint64_t kDeviceRounding = 16;
/// Blocks of one batch; more would fill this machine's memory.
constexpr double kMostBlocks = 1 << 24;

const std::vector<Knob> kPoolKnobs = {
    {.name = "initial_pool_size", .kind = Kind::Bytes, .most = 0x1p60},
    {.name = "maximum_pool_size", .kind = Kind::Bytes, .most = 0x1p60},
};

uint64_t multipleOfUnit(const Settings& settings, const char* name) {
  const uint64_t bytes = settings.bytes(name);
  if (bytes % kRmmUnit == 0) return bytes;
  throw ReplayError("bad-setting",
                    "The setting " + std::string(name) + " cannot be " + std::to_string(bytes) +
                        ": RMM wants a multiple of 256 bytes.",
                    "Give a multiple of 256.");
}

AllocatorStack overDevice(Driver& device) {
  AllocatorStack stack;
  stack.push_back(std::make_unique<DirectAllocator>(device, kDeviceRounding));
  return stack;
}

/// Half of the device without an initial size, as RMM documents; nothing where the device has no end.
void addPool(AllocatorStack& stack, const Settings& settings, const Driver& device) {
  RmmPoolOptions options;
  if (settings.isSet("maximum_pool_size"))
    options.maximumBytes = multipleOfUnit(settings, "maximum_pool_size");
  if (settings.isSet("initial_pool_size")) {
    options.initialBytes = multipleOfUnit(settings, "initial_pool_size");
  } else if (!device.isUnlimited()) {
    options.initialBytes = device.capacity() / 2 / kRmmUnit * kRmmUnit;
  }
  if (options.maximumBytes && options.initialBytes > *options.maximumBytes)
    throw ReplayError("bad-setting",
                      "The initial pool (" + std::to_string(options.initialBytes) +
                          " bytes) would be larger than maximum_pool_size (" +
                          std::to_string(*options.maximumBytes) + ").",
                      "Lower initial_pool_size or raise maximum_pool_size.");
  stack.push_back(std::make_unique<RmmPool>(options, *stack.back()));
}

AllocatorStack buildPool(const Settings& settings, Driver& device, const RequestTrace&) {
  AllocatorStack stack = overDevice(device);
  addPool(stack, settings, device);
  return stack;
}

AllocatorStack buildArena(const Settings& settings, Driver& device, const RequestTrace&) {
  if (!settings.isSet("arena_size") && device.isUnlimited())
    throw ReplayError("missing-setting",
                      "RMM's arena takes half of the device at the start, and this device has no end.",
                      "Give arena_size, or the device a capacity.");
  const uint64_t bytes = settings.isSet("arena_size") ? settings.bytes("arena_size") : device.capacity() / 2;
  if (bytes < RmmArena::kMinimumSuperblock)
    throw ReplayError("bad-setting",
                      "An arena of " + std::to_string(bytes) + " bytes is less than its least, 1 MiB.",
                      "Raise arena_size or the capacity.");
  AllocatorStack stack = overDevice(device);
  stack.push_back(std::make_unique<RmmArena>(bytes, *stack.back()));
  return stack;
}

AllocatorStack upstreamOf(const Settings& settings, Driver& device) {
  AllocatorStack stack = overDevice(device);
  if (settings.text("upstream") == "pool") addPool(stack, settings, device);
  return stack;
}

AllocatorStack buildFixed(const Settings& settings, Driver& device, const RequestTrace&) {
  AllocatorStack stack = upstreamOf(settings, device);
  const RmmFixedOptions options{settings.bytes("block_size"), settings.count("blocks_to_preallocate")};
  stack.push_back(std::make_unique<RmmFixed>(options, *stack.back()));
  return stack;
}

AllocatorStack buildBinning(const Settings& settings, Driver& device, const RequestTrace&) {
  const uint64_t least = settings.count("min_size_exponent");
  const uint64_t most = settings.count("max_size_exponent");
  if (least > most)
    throw ReplayError("bad-setting",
                      "The setting min_size_exponent (" + std::to_string(least) +
                          ") is larger than max_size_exponent (" + std::to_string(most) + ").",
                      "Lower one or raise the other.");
  std::vector<RmmFixedOptions> bins;
  for (uint64_t exponent = least; exponent <= most; ++exponent)
    bins.push_back({uint64_t{1} << exponent, settings.count("blocks_to_preallocate")});
  AllocatorStack stack = upstreamOf(settings, device);
  stack.push_back(std::make_unique<RmmBinning>(bins, *stack.back()));
  return stack;
}

std::vector<Knob> overUpstream(std::vector<Knob> own, const char* upstream) {
  own.push_back({.name = "blocks_to_preallocate",
                 .kind = Kind::Count,
                 .initial = "128",
                 .least = 1,
                 .most = kMostBlocks});
  own.push_back(
      {.name = "upstream", .kind = Kind::Choice, .initial = upstream, .choices = {"device", "pool"}});
  own.insert(own.end(), kPoolKnobs.begin(), kPoolKnobs.end());
  return own;
}

}  // namespace

std::vector<Simulator> rmmSimulators() {
  return {
      {.name = "rmm-pool", .knobs = kPoolKnobs, .build = buildPool},
      {.name = "rmm-arena",
       .knobs = {{.name = "arena_size", .kind = Kind::Bytes, .least = 0x1p20, .most = 0x1p60}},
       .build = buildArena},
      {.name = "rmm-binning",
       .knobs = overUpstream(
           {{.name = "min_size_exponent", .kind = Kind::Count, .initial = "18", .least = 8, .most = 38},
            {.name = "max_size_exponent", .kind = Kind::Count, .initial = "22", .least = 8, .most = 38}},
           "pool"),
       .build = buildBinning},
      {.name = "rmm-fixed",
       .knobs = overUpstream(
           {{.name = "block_size", .kind = Kind::Bytes, .initial = "1MiB", .least = 1, .most = 0x1p38}},
           "device"),
       .build = buildFixed},
  };
}

}  // namespace strata
