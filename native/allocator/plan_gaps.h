#pragma once

#include <vector>

#include "allocator/plan_packing.h"

namespace strata {

/// Placed items by time and offset, to find what is free during a lifetime.
///
///   operations:  |   span 0   |   span 1   |   span 2   |     each span lists the items that live in it,
///   lowest
///                 [---- a ----------]  [-- b --]              first: a is in 0 and 1, b in 1 and 2
///
/// A search reads the lists of the spans it lives in side by side, each at most once, and stops at the first
/// gap. Spans are as long as an average life, so that an item is in two or three lists.
class PlanGaps {
 public:
  PlanGaps(uint32_t operations, uint32_t spanLength);

  /// The lowest offset at which so many bytes are free for so long.
  uint64_t lowest(const Lifetime& wanted);
  void place(const Lifetime& item, uint64_t offset);

 private:
  struct Obstacle {
    uint64_t begin = 0, end = 0;
    uint32_t birth = 0, death = 0;
  };
  using Span = std::vector<Obstacle>;  ///< by begin
  static bool climb(const Span& span, size_t& next, const Lifetime& wanted, uint64_t& offset);

  uint32_t spanLength_;
  std::vector<Span> spans_;
  std::vector<size_t> next_;  ///< of each span that a search reads: its first obstacle not yet looked at
};

}  // namespace strata
