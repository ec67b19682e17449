#pragma once

#include <vector>

#include "allocator/allocator.h"

namespace strata {

/// Bytes that live from operation `birth` up to, not including, operation `death`.
struct Lifetime {
  uint64_t bytes = 0;
  uint32_t birth = 0, death = 0;
};

/// What is placed at once: a range of PackingInput::members, stacked in that order, lowest first.
struct PackingUnit {
  uint32_t first = 0, count = 1;
};

struct PackingInput {
  std::vector<Lifetime> items;     ///< at most one is born or dies at an operation
  std::vector<uint32_t> members;   ///< rows of items, each at most once
  std::vector<PackingUnit> units;  ///< in the order in which they are placed
  std::vector<uint32_t> fillers;  ///< rows of items that may only use what the units leave; see packLifetimes
  uint32_t operations = 0;        ///< no item dies later
};

inline constexpr uint64_t kNoPlace = std::numeric_limits<uint64_t>::max();

struct Packing {
  std::vector<uint64_t> offsets;  ///< of each item; kNoPlace: it has none
  uint64_t bytes = 0;             ///< the end of the highest item
  size_t searched = 0;            ///< items of units that were placed by search; the others were swept
};

/// Gives items offsets in one stretch of memory, so that no two that live at the same time overlap.
///
///   offset                                        search: each unit in turn goes to the lowest offset that
///   is
///     ^   +-------+   +--------------+            free during its whole hull (first birth to last death);
///     |   | small |   |    small     |            afterwards only its members themselves are in the way
///     |   +-------+---+------+-------+
///     |   |     large        |                    sweep: what is left, above all that, in order of birth,
///     each
///     +---+------------------+--------> time      item at the lowest offset that is free at its birth
///
/// Fillers come after the searched units, in their order: the lowest offset that is free for as long as they
/// live, if they end below the highest searched member; otherwise they get no place.
/// Nothing is placed beyond kLargestRequest.
///
/// The search is exact, and its cost grows with the pairs of items that live at the same time, so it has a
/// bound: the longest run of first units whose items, with the fillers, make at most `mostPairs` such pairs
/// is searched. If the fillers alone make more, none of them gets a place. The rest costs O(log n) an item.
/// As the units that come first are the ones that matter, what is swept is small: it adds at most its own
/// height.
Packing packLifetimes(const PackingInput& input, uint64_t mostPairs);

/// About two seconds of search.
inline constexpr uint64_t kMostPairs = uint64_t{1} << 29;

}  // namespace strata
