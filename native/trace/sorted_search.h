#pragma once

#include <cstddef>

namespace strata {

/// How many rows at the start of a sorted list lie before something: isBefore(row) is true for those and for
/// none behind them. O(log n), without a branch, because which way to go is a coin toss that no processor can
/// foresee.
template <typename T, typename IsBefore>
size_t countBefore(const T* rows, size_t count, IsBefore&& isBefore) {
  const T* at = rows;
  while (count > 0) {
    const size_t half = (count + 1) / 2;
    at += isBefore(at[half - 1]) ? half : 0;
    count -= half;
  }
  return static_cast<size_t>(at - rows);
}

}  // namespace strata
