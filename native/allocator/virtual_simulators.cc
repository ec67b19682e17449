#include "allocator/virtual_simulators.h"

#include <bit>

#include "allocator/async_pool.h"
#include "allocator/gmlake.h"
#include "allocator/pytorch_allocator.h"
#include "allocator/replay_error.h"
#include "allocator/tensorflow_vmm.h"

namespace strata {
namespace {

using Kind = Knob::Kind;

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

AllocatorStack buildAsyncPool(const Settings& settings, Driver& device, const RequestTrace&) {
  AsyncPoolOptions options;
  options.releaseThreshold = settings.bytes("cudaMemPoolAttrReleaseThreshold");
  options.followEventDependencies = settings.flag("cudaMemPoolReuseFollowEventDependencies");
  options.allowOpportunistic = settings.flag("cudaMemPoolReuseAllowOpportunistic");
  options.allowInternalDependencies = settings.flag("cudaMemPoolReuseAllowInternalDependencies");
  options.maxSize = settings.bytes("maxSize");
  options.minBytesToKeep = settings.bytes("minBytesToKeep");
  options.nonBlockingStreams = settings.flag("cudaStreamNonBlocking");
  options.pieceBytes = settings.bytes("piece");
  options.completionLag = settings.count("completion_lag");
  if (options.pieceBytes % kPage != 0)
    throw ReplayError("bad-setting",
                      "A piece of " + std::to_string(options.pieceBytes) +
                          " bytes cannot be mapped: it is not a multiple of 2 MiB.",
                      "Drivers have been seen to use 32 MiB.");
  AllocatorStack stack;
  stack.push_back(std::make_unique<AsyncPool>(options, device));
  return stack;
}

Simulator asyncPool() {
  const auto flag = [](const char* name) {
    return Knob{.name = name, .kind = Kind::Flag, .initial = "true"};
  };
  return {.name = "cuda-async",
          .knobs = {{.name = "cudaMemPoolAttrReleaseThreshold", .kind = Kind::Bytes, .initial = "0"},
                    flag("cudaMemPoolReuseFollowEventDependencies"),
                    flag("cudaMemPoolReuseAllowOpportunistic"),
                    flag("cudaMemPoolReuseAllowInternalDependencies"),
                    {.name = "maxSize", .kind = Kind::Bytes, .initial = "0"},
                    {.name = "minBytesToKeep", .kind = Kind::Bytes, .initial = "0"},
                    flag("cudaStreamNonBlocking"),
                    {.name = "piece",
                     .kind = Kind::Bytes,
                     .initial = "32MiB",
                     .least = static_cast<double>(kPage),
                     .most = 0x1p40},
                    {.name = "completion_lag", .kind = Kind::Count, .initial = "64"}},
          .isModel = true,
          .build = buildAsyncPool};
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
  if (!options.bfc.allowGrowth && options.bfc.limit >= kUnlimitedCapacity)
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

AllocatorStack buildGmlake(const Settings& settings, Driver& device, const RequestTrace&) {
  GmlakeOptions options;
  options.vmmDefragment = settings.flag("vmmDefragment");
  options.fragLimit = settings.bytes("fragLimit");
  options.reuseLimit = settings.count("reuseLimit");
  options.defragLevel = settings.count("defragLevel");
  options.autoGC = settings.count("autoGC") << 30;
  AllocatorStack stack;
  stack.push_back(std::make_unique<PytorchAllocator>(PytorchConfig{}, device));
  stack.push_back(std::make_unique<Gmlake>(options, *stack.back(), device));
  return stack;
}

Simulator gmlake() {
  return {.name = "gmlake",
          .knobs = {{.name = "vmmDefragment", .kind = Kind::Flag, .initial = "true"},
                    {.name = "fragLimit", .kind = Kind::Bytes, .initial = "512MiB"},
                    {.name = "reuseLimit", .kind = Kind::Count, .initial = "10", .least = 1, .most = 1e6},
                    {.name = "defragLevel", .kind = Kind::Count, .initial = "0", .least = 0, .most = 1},
                    {.name = "autoGC", .kind = Kind::Count, .initial = "1000", .least = 0, .most = 1e9}},
          .isModel = true,
          .build = buildGmlake};
}

}  // namespace

std::vector<Simulator> virtualSimulators() { return {asyncPool(), tensorflowVmm(), gmlake()}; }

}  // namespace strata
