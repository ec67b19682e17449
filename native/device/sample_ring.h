#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/sample.h"

namespace strata::device {

/// What is in force in each column of a window; NaN where nothing is known.
struct RingColumns {
  std::vector<double> min, max, last;
};

/// The newest samples, in a fixed room: the oldest go when it is full. Samples are numbered from 0 on.
class SampleRing {
 public:
  /// As many samples as fit in `bytes`, at least 600.
  SampleRing(size_t gpus, size_t bytes);

  void push(const Sample& sample, int64_t periodNs);
  uint64_t first() const { return end_ - count_; }
  uint64_t end() const { return end_; }
  size_t gpuCount() const { return gpus_; }

  int64_t time(uint64_t sample) const { return times_[at(sample)]; }
  bool isGapBefore(uint64_t sample) const { return isGap_[at(sample)] != 0; }
  Reading value(uint64_t sample, size_t gpu, GpuMetric metric) const;
  bool isLost(uint64_t sample, size_t gpu) const { return state_[at(sample) * gpus_ + gpu] >= kLost; }
  MemoryAccounting accounting(uint64_t sample, size_t gpu) const;
  const ProcessList& processes(uint64_t sample, size_t gpu) const {
    return processes_[at(sample) * gpus_ + gpu];
  }

  /// One metric of one GPU over [from, to) in ns, in equal columns. A value holds until the next sample;
  /// before a gap, and at the newest sample, for two periods. O(samples in the window).
  RingColumns window(size_t gpu, GpuMetric metric, int64_t from, int64_t to, uint32_t columns) const;

 private:
  static constexpr int64_t kAbsent = INT64_MIN;
  static constexpr uint8_t kLost = 16;

  size_t at(uint64_t sample) const { return static_cast<size_t>(sample % capacity_); }
  int64_t endOf(uint64_t sample) const;
  uint64_t firstAfter(int64_t time) const;

  size_t gpus_;
  size_t capacity_;
  uint64_t end_ = 0;
  size_t count_ = 0;
  std::vector<int64_t> times_, periods_;
  std::vector<uint8_t> isGap_, state_;
  std::vector<int64_t> values_;  ///< [sample][GPU][metric]
  std::vector<ProcessList> processes_;
};

}  // namespace strata::device
