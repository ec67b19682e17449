#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capture/bfc_dump.h"

namespace strata::bfc {

/// What TensorFlow's allocator over the driver's stream-ordered pool (TF_GPU_ALLOCATOR=cuda_malloc_async)
/// prints when a request fails: statistics, a histogram of the blocks by size, and four pool attributes. It
/// is a census: how many blocks of each size, and of no block the address. Source:
/// gpu_cudamallocasync_allocator.cc.
class AsyncFailureReport {
 public:
  AsyncFailureReport(const AsyncFailure& failure, const Place& place)
      : allocator_(failure.allocator), bytes_(failure.bytes), place_(place) {}

  /// Whether the line is part of it.
  bool take(const Message& message);
  const std::string& allocator() const { return allocator_; }
  /// The blocks laid end to end, smallest first, and behind them what the pool holds in reserve.
  Dump asDump(LogWarnings& warnings) const;
  /// Names and values for the settings.
  std::map<std::string, uint64_t> facts() const;

 private:
  std::string allocator_;
  uint64_t bytes_;
  Place place_;
  bool isInHistogram_ = false, isInStats_ = false;
  uint64_t driverFree_ = 0, driverTotal_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> rows_;  ///< size, count
  std::map<std::string, uint64_t> stats_, attributes_;
};

}  // namespace strata::bfc
