#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace strata {

/// Address ranges that were ever used, joined where they touch. O(log ranges); a pool that reuses its
/// addresses has few.
class TouchedRanges {
 public:
  void add(uint64_t from, uint64_t to) {
    if (from >= to) return;
    auto next = ranges_.upper_bound(from);
    if (next != ranges_.begin()) {
      const auto before = std::prev(next);
      if (before->second >= to) return;
      if (before->second >= from) {
        from = before->first;
        next = before;
      }
    }
    while (next != ranges_.end() && next->first <= to) {
      to = std::max(to, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace_hint(next, from, to);
  }

  bool touches(uint64_t from, uint64_t to) const {
    const auto next = ranges_.upper_bound(from);
    if (next != ranges_.begin() && std::prev(next)->second > from) return true;
    return next != ranges_.end() && next->first < to;
  }

 private:
  std::map<uint64_t, uint64_t> ranges_;  ///< start -> end
};

}  // namespace strata
