#include "device/sample_ring.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata::device {
namespace {

constexpr size_t kLeast = 600;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

SampleRing::SampleRing(size_t gpus, size_t bytes)
    : gpus_(gpus),
      capacity_(
          std::max(kLeast, bytes / (2 * sizeof(int64_t) + 1 +
                                    gpus * (kGpuMetricCount * sizeof(int64_t) + 1 + sizeof(ProcessList))))),
      times_(capacity_),
      periods_(capacity_),
      isGap_(capacity_),
      state_(capacity_ * gpus),
      values_(capacity_ * gpus * kGpuMetricCount, kAbsent),
      processes_(capacity_ * gpus) {}

void SampleRing::push(const Sample& sample, int64_t periodNs) {
  const size_t row = at(end_);
  times_[row] = sample.time;
  periods_[row] = periodNs;
  isGap_[row] = sample.isGapBefore;
  for (size_t gpu = 0; gpu < gpus_; ++gpu) {
    const GpuReadings& readings = sample.gpus[gpu];
    const size_t place = row * gpus_ + gpu;
    for (size_t i = 0; i < kGpuMetricCount; ++i) {
      values_[place * kGpuMetricCount + i] = readings.values[i].value_or(kAbsent);
    }
    state_[place] =
        static_cast<uint8_t>(static_cast<uint8_t>(readings.accounting) + (readings.isLost ? kLost : 0));
    processes_[place] = sample.processes[gpu];
  }
  ++end_;
  count_ = std::min(count_ + 1, capacity_);
}

Reading SampleRing::value(uint64_t sample, size_t gpu, GpuMetric metric) const {
  const int64_t value = values_[(at(sample) * gpus_ + gpu) * kGpuMetricCount + static_cast<size_t>(metric)];
  return value == kAbsent ? Reading() : value;
}

MemoryAccounting SampleRing::accounting(uint64_t sample, size_t gpu) const {
  return static_cast<MemoryAccounting>(state_[at(sample) * gpus_ + gpu] % kLost);
}

/// Where a sample stops to be in force.
int64_t SampleRing::endOf(uint64_t sample) const {
  const bool isFollowed = sample + 1 < end_;
  if (isFollowed && !isGapBefore(sample + 1)) return time(sample + 1);
  const int64_t held = time(sample) + 2 * periods_[at(sample)];
  return isFollowed ? std::min(held, time(sample + 1)) : held;
}

/// The first sample after a time.
uint64_t SampleRing::firstAfter(int64_t wanted) const {
  uint64_t low = first(), high = end_;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (time(middle) <= wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

RingColumns SampleRing::window(size_t gpu, GpuMetric metric, int64_t from, int64_t to,
                               uint32_t columns) const {
  RingColumns result;
  result.min.assign(columns, kUnknown);
  result.max.assign(columns, kUnknown);
  result.last.assign(columns, kUnknown);
  const double width = static_cast<double>(to - from) / columns;
  uint64_t sample = firstAfter(from);
  if (sample > first()) --sample;
  for (; sample < end_ && time(sample) < to; ++sample) {
    const Reading reading = value(sample, gpu, metric);
    const int64_t end = std::min(endOf(sample), to);
    if (!reading || end <= from) continue;
    const double left = static_cast<double>(std::max(time(sample), from) - from) / width;
    const double right = std::ceil(static_cast<double>(end - from) / width);
    const auto lastColumn = static_cast<uint32_t>(std::min<double>(columns, std::max(right, left + 1)));
    const auto readingValue = static_cast<double>(*reading);
    for (auto column = static_cast<uint32_t>(left); column < lastColumn; ++column) {
      result.min[column] = std::fmin(result.min[column], readingValue);
      result.max[column] = std::fmax(result.max[column], readingValue);
      result.last[column] = readingValue;
    }
  }
  return result;
}

}  // namespace strata::device
