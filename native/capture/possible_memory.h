#pragma once

#include <cstdint>

namespace strata {

/// What a reader believes of memory. A size or an address beyond these is damage or a lie: its row is left
/// out with a warning, and sums of what is left cannot wrap.

/// Addresses end here: GPUs since NVIDIA's Hopper and CPUs with five levels of page tables have 57 bits, all
/// others fewer. Blocks that are live at once do not overlap, so together they are no more than this.
inline constexpr uint64_t kAddressSpace = uint64_t{1} << 57;

/// One block or segment: a pebibyte, some four thousand times the largest GPU of 2026.
inline constexpr uint64_t kMostBytes = uint64_t{1} << 50;

constexpr bool isPossibleExtent(uint64_t address, uint64_t bytes) {
  return bytes <= kMostBytes && address <= kAddressSpace - bytes;
}

}  // namespace strata
