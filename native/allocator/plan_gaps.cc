#include "allocator/plan_gaps.h"

#include <algorithm>

namespace strata {

PlanGaps::PlanGaps(uint32_t operations, uint32_t spanLength)
    : spanLength_(spanLength), spans_(operations / spanLength + 1) {}

uint64_t PlanGaps::lowest(const Lifetime& wanted) {
  const uint32_t first = wanted.birth / spanLength_;
  const size_t count = (wanted.death - 1) / spanLength_ - first + 1;
  next_.assign(count, 0);
  uint64_t offset = 0;
  size_t agreed = 0;  // how many spans in a row have nothing against the offset
  for (size_t at = 0; agreed < count; at = at + 1 == count ? 0 : at + 1)
    agreed = climb(spans_[first + at], next_[at], wanted, offset) ? 1 : agreed + 1;
  return offset;
}

/// Raises the offset above every obstacle that would overlap; true when there was one.
bool PlanGaps::climb(const Span& span, size_t& next, const Lifetime& wanted, uint64_t& offset) {
  bool isHigher = false;
  for (; next < span.size() && span[next].begin < offset + wanted.bytes; ++next) {
    const Obstacle& obstacle = span[next];
    if (obstacle.end <= offset || obstacle.birth >= wanted.death || obstacle.death <= wanted.birth) continue;
    offset = obstacle.end;
    isHigher = true;
  }
  return isHigher;
}

void PlanGaps::place(const Lifetime& item, uint64_t offset) {
  const Obstacle obstacle{offset, offset + item.bytes, item.birth, item.death};
  const uint32_t last = (item.death - 1) / spanLength_;
  for (uint32_t at = item.birth / spanLength_; at <= last; ++at) {
    Span& span = spans_[at];
    const auto isBelow = [](uint64_t begin, const Obstacle& other) { return begin < other.begin; };
    span.insert(std::upper_bound(span.begin(), span.end(), offset, isBelow), obstacle);
  }
}

}  // namespace strata
