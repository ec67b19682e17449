#pragma once

#include <algorithm>

#include "analysis/series.h"

namespace strata {

/// The counters of all regions at one moment, and how an event's changes move them.
struct Series::State {
  /// Without known segments, what is active is what is known to be reserved.
  explicit State(const Device& device)
      : hasSegments(device.layout == DeviceLayout::Segments), isRegionBySize(device.isRegionBySize) {}

  Counters of[kGroups];
  const bool hasSegments;
  const bool isRegionBySize;  ///< Device::isRegionBySize

  /// Answers a bit for each region whose counters moved.
  uint32_t apply(Changes::Kind kind, const Changes::Amount& amount) {
    const int region = static_cast<int>(amount.region);
    const bool isLent = isRegionBySize && amount.region == Region::Immediate;
    if (isLent && kind == Changes::BlockBirth) lend(amount.bytes);
    if (isLent && kind == Changes::BlockDeath) lend(-amount.bytes);
    switch (kind) {
      case Changes::BlockBirth:
        add(region, Metric::Allocated, amount.bytes);
        add(region, Metric::Active, amount.bytes);
        add(region, Metric::Requested, amount.requested);
        if (!hasSegments) add(region, Metric::Reserved, amount.bytes);
        break;
      case Changes::BlockRelease:
        add(region, Metric::Allocated, -amount.bytes);
        break;
      case Changes::BlockDeath:
        add(region, Metric::Active, -amount.bytes);
        add(region, Metric::Requested, -amount.requested);
        if (!hasSegments) add(region, Metric::Reserved, -amount.bytes);
        break;
      case Changes::SegmentBirth:
        add(region, Metric::Reserved, amount.bytes);
        break;
      case Changes::SegmentDeath:
        add(region, Metric::Reserved, -amount.bytes);
        break;
    }
    return 1u << region | (isLent ? 1u << static_cast<int>(Region::Pooled) : 0u);
  }

  void setLargest(int region, uint64_t bytes) {
    constexpr auto largest = static_cast<int>(Metric::LargestFree);
    of[region].value[largest] = bytes;
    of[kAllRegions].value[largest] =
        std::max({of[0].value[largest], of[1].value[largest], of[2].value[largest]});
  }

 private:
  /// What an immediate block takes of a pooled segment is reserved in its own region.
  void lend(uint64_t bytes) {
    of[static_cast<int>(Region::Immediate)][Metric::Reserved] += bytes;
    of[static_cast<int>(Region::Pooled)][Metric::Reserved] -= bytes;
  }
  /// Takes away when given the negative of an unsigned number, which wraps.
  void add(int region, Metric metric, uint64_t bytes) {
    of[region][metric] += bytes;
    of[kAllRegions][metric] += bytes;
  }
};

}  // namespace strata
