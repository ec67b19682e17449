#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/bfc.h"
#include "allocator/device_model.h"
#include "allocator/rmm_fixed.h"

namespace strata {

/// What RMM resources are made of; which of it counts depends on the allocator's name.
struct RmmOptions {
  uint64_t initialPoolBytes = 0;
  std::optional<uint64_t> maximumPoolBytes;
  std::optional<uint64_t> arenaBytes;  ///< none: half of the device
  bool isOverPool = false;             ///< fixed and binning: over a pool instead of the device
  RmmFixedOptions fixed;
  std::vector<RmmFixedOptions> bins;  ///< in the order they are added
};

/// PyTorch's settings as the golden vectors give them.
struct PytorchOptions {
  std::string conf;                ///< as in PYTORCH_CUDA_ALLOC_CONF
  std::optional<double> fraction;  ///< memory fraction set before the trace
  bool hasPools = false;           ///< whether private pools are reported
};

/// The first line of a golden file: an allocator, all its parameters, the device, the form of the output.
///
///   every allocator   k, allocator, trace, trace_sha256, light, policy, gap, align
///   bfc               limit, allow_growth, garbage_collection, coalesce_regions, fragmentation_fraction,
///                     devcap, timing
///   rmm-pool          initial_pool_size, maximum_pool_size, total     rmm-arena   arena_size, total
///   rmm-fixed         block_size, blocks_to_preallocate, over         rmm-binning bins, over
///   pytorch           conf, total, fraction, pools
///
/// `ev0`, what construction asked of the device, is an output: it is not read but written. `checkpoint_every`
/// is ours; without it the vectors' own rule holds (see checkpointInterval).
struct GoldenConfig {
  std::string allocator;
  std::string trace;
  bool isLight = false;
  std::optional<uint64_t> checkpointEvery;
  DeviceOptions device;
  BfcOptions bfc;
  RmmOptions rmm;
  PytorchOptions pytorch;
  /// Members in the order they were written, values as they were written: what line 1 of the output repeats.
  std::vector<std::pair<std::string, std::string>> members;
};

/// Errors: ReplayError that names the setting, for one that is unknown to the allocator, missing, given twice
/// or out of range.
GoldenConfig parseGoldenConfig(std::string_view line);

}  // namespace strata
