#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "allocator/pytorch_config.h"

/// The arithmetic of PyTorch's caching allocator: how a request becomes a block, which pool serves it, how
/// large a new segment is and when a free block is split. Everything here is a pure function of the settings.
/// Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6 (round_size, get_allocation_size, should_split).
namespace strata::pytorch {

inline constexpr uint64_t kUnit = 512;                       ///< every block is a multiple
inline constexpr uint64_t kSmallRequest = kMebibyte;         ///< up to here a request is small
inline constexpr uint64_t kSmallSegment = 2 * kMebibyte;     ///< also the granule of small expandable ranges
inline constexpr uint64_t kLargeRequest = 10 * kMebibyte;    ///< from here a request gets its own segment
inline constexpr uint64_t kSegmentRounding = 2 * kMebibyte;  ///< of such segments
inline constexpr uint64_t kLargestSize = uint64_t{1} << 47;  ///< sizes above are refused as impossible

constexpr uint64_t roundUp(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Divisions of the power-of-two interval a request falls in.
inline uint64_t divisionsFor(uint64_t bytes, const PytorchConfig& config) {
  const int interval = std::bit_width(bytes) - 1 - std::bit_width(kMebibyte) + 1;
  return config.roundupDivisions[static_cast<size_t>(std::clamp(interval, 0, 15))];
}

/// Bytes a request takes before any leftover of a block is added.
inline uint64_t roundRequest(uint64_t requested, const PytorchConfig& config) {
  const uint64_t bytes = requested + config.requestPadding;
  if (bytes <= kUnit) return kUnit;
  const uint64_t divisions = divisionsFor(bytes, config);
  if (divisions > 1 && bytes > kUnit * divisions) {
    if (std::has_single_bit(bytes)) return bytes;
    return roundUp(bytes, std::bit_floor(bytes) / divisions);
  }
  return roundUp(bytes, kUnit);
}

inline bool isLargeRequest(uint64_t rounded) { return rounded > kSmallRequest; }

/// Size of the segment asked of the driver for a rounded request that no free block can serve.
inline uint64_t segmentSizeFor(uint64_t rounded, const PytorchConfig& config) {
  if (!isLargeRequest(rounded)) return kSmallSegment;
  if (rounded < kLargeRequest) return config.largeSegmentSize;
  return roundUp(rounded, kSegmentRounding);
}

/// Pages an expandable range grows and shrinks by.
inline uint64_t granuleOf(bool isLarge, const PytorchConfig& config) {
  return isLarge ? config.largeSegmentSize : kSmallSegment;
}

/// Whether a free block of `available` bytes is cut when `rounded` bytes are taken from it.
inline bool shouldSplit(uint64_t available, uint64_t rounded, bool isLarge, const PytorchConfig& config) {
  if (config.isNeverSplit) return false;
  const uint64_t rest = available - rounded;
  if (!isLarge || config.isExpandable) return rest >= kUnit;
  return rounded < config.maxSplitSize && rest > kSmallRequest;
}

/// The max_split_size rule: whether the best fitting free block may serve the request at all.
inline bool mayServe(uint64_t available, uint64_t rounded, const PytorchConfig& config) {
  if (rounded < config.maxSplitSize) return available < config.maxSplitSize;
  return available < rounded + config.maxNonSplitRounding;
}

}  // namespace strata::pytorch
