#pragma once

#include <optional>

#include "allocator/first_fit_index.h"

namespace strata {

/// Offsets from 0 up to a size, and which of them are free. All operations are O(log n).
class OffsetSpace {
 public:
  explicit OffsetSpace(uint64_t bytes);

  /// The lowest place of this many bytes; nothing when no hole has as many.
  std::optional<uint64_t> takeLowest(uint64_t bytes);
  /// Takes [offset, offset + bytes); false, and nothing is taken, unless all of it is free.
  bool takeAt(uint64_t offset, uint64_t bytes);
  /// Gives back what was taken; free neighbours become one hole.
  void give(uint64_t offset, uint64_t bytes);
  uint64_t largestHole() const { return holes_.largest(); }
  /// Calls visit(offset, bytes) for every hole, lowest first.
  template <typename Visit>
  void forEachHole(Visit&& visit) const {
    holes_.forEach([&](const FirstFitIndex::Entry& hole) { visit(hole.address, hole.bytes); });
  }

 private:
  FirstFitIndex holes_;
};

}  // namespace strata
