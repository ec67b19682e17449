#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/sorted_search.h"

namespace strata {

/// What many ranges cover together, joined where they overlap or touch. Ranges are sorted in batches and
/// joined batch by batch, so that millions of blocks that use the same few addresses again and again cost
/// little more than to look at them, and in the worst case all is sorted once. O(n log n), memory for the
/// result and a batch of that size.
class JoinedRanges {
 public:
  using Range = std::pair<uint64_t, uint64_t>;  ///< from, to

  void add(uint64_t from, uint64_t bytes) {
    if (bytes == 0 || isCovered(from, from + bytes)) return;
    if (batch_.size() >= std::max(kSmallestBatch, joined_.size())) join();
    batch_.emplace_back(from, from + bytes);
  }

  /// The ranges, lowest first. Nothing may be added afterwards.
  std::vector<Range> take() {
    join();
    return std::move(joined_);
  }

 private:
  static constexpr size_t kSmallestBatch = 1 << 14;

  /// By what was joined so far; the range that covered the last one is tried first.
  bool isCovered(uint64_t from, uint64_t to) {
    if (joined_.empty()) return false;
    if (from < joined_[last_].first || to > joined_[last_].second) {
      const size_t upTo = countBefore(joined_.data(), joined_.size(),
                                      [&](const Range& range) { return range.first <= from; });
      if (upTo == 0) return false;
      last_ = upTo - 1;
    }
    return from >= joined_[last_].first && to <= joined_[last_].second;
  }

  void join() {
    std::sort(batch_.begin(), batch_.end());
    std::vector<Range> all;
    const auto put = [&](const Range& range) {
      if (all.empty() || range.first > all.back().second) {
        all.push_back(range);
      } else {
        all.back().second = std::max(all.back().second, range.second);
      }
    };
    auto next = batch_.begin();
    for (const Range& range : joined_) {
      for (; next != batch_.end() && *next < range; ++next) put(*next);
      put(range);
    }
    for (; next != batch_.end(); ++next) put(*next);
    joined_ = std::move(all);
    last_ = 0;
    batch_.clear();
  }

  std::vector<Range> joined_, batch_;
  size_t last_ = 0;
};

}  // namespace strata
