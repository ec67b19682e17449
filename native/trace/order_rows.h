#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// The rows in order of birth; those born at once stay as they are.
inline std::vector<uint32_t> orderOfBirth(const std::vector<EventIndex>& birth) {
  std::vector<uint32_t> order(birth.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return birth[a] < birth[b]; });
  return order;
}

/// Where each of `count` rows goes; kNone for those that the order leaves out.
inline std::vector<uint32_t> placesOf(const std::vector<uint32_t>& order, size_t count) {
  std::vector<uint32_t> places(count, kNone);
  for (uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

template <typename T>
void reorder(std::vector<T>& rows, const std::vector<uint32_t>& order) {
  std::vector<T> ordered;
  ordered.reserve(order.size());
  for (const uint32_t row : order) ordered.push_back(rows[row]);
  rows = std::move(ordered);
}

inline void reorder(BlockColumns& blocks, const std::vector<uint32_t>& order) {
  reorder(blocks.address, order);
  reorder(blocks.bytes, order);
  reorder(blocks.requested, order);
  reorder(blocks.birth, order);
  reorder(blocks.freeRequested, order);
  reorder(blocks.death, order);
  reorder(blocks.stack, order);
  reorder(blocks.segment, order);
  reorder(blocks.region, order);
  reorder(blocks.stream, order);
  reorder(blocks.pool, order);
}

/// `range` still holds the old rows.
inline void reorder(SegmentColumns& segments, const std::vector<uint32_t>& order) {
  reorder(segments.address, order);
  reorder(segments.bytes, order);
  reorder(segments.birth, order);
  reorder(segments.death, order);
  reorder(segments.stack, order);
  reorder(segments.range, order);
  reorder(segments.region, order);
  reorder(segments.stream, order);
  reorder(segments.pool, order);
  reorder(segments.isLarge, order);
  reorder(segments.isExpandable, order);
}

}  // namespace strata
