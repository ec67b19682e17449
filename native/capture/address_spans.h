#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace strata {

/// A set of addresses as runs that do not touch. Each operation is O(log n), amortised.
class AddressSpans {
 public:
  void add(uint64_t from, uint64_t to) {
    if (from >= to) return;
    auto next = spans_.lower_bound(from);
    if (next != spans_.begin() && std::prev(next)->second >= from) {
      --next;
      from = next->first;
    }
    while (next != spans_.end() && next->first <= to) {
      to = std::max(to, next->second);
      next = spans_.erase(next);
    }
    spans_[from] = to;
  }
  bool overlaps(uint64_t from, uint64_t to) const {
    const auto next = spans_.lower_bound(to);
    return next != spans_.begin() && std::prev(next)->second > from;
  }
  const std::map<uint64_t, uint64_t>& spans() const { return spans_; }

 private:
  std::map<uint64_t, uint64_t> spans_;  ///< start to end
};

}  // namespace strata
