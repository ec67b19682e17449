#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// Interns the strings, frames and stacks of one trace into another, and says where each row went.
class TableMap {
 public:
  /// O(size of the tables of `from`).
  TableMap(const Trace& from, Trace& to);

  uint32_t string(uint32_t row) const { return row == kNone ? kNone : strings_[row]; }
  uint32_t stack(uint32_t row) const { return row == kNone ? kNone : stacks_[row]; }
  void moveStrings(std::vector<uint32_t>& rows) const;
  void moveStacks(std::vector<uint32_t>& rows) const;

 private:
  std::vector<uint32_t> strings_, stacks_;
};

}  // namespace strata
