#pragma once

#include "allocator/golden_format.h"

namespace strata {

/// `allocator` is the resource that was asked, whatever it stands on.
class GoldenRmm final : public GoldenFormat {
 public:
  explicit GoldenRmm(const Allocator& allocator) : allocator_(allocator) {}
  void writeTotals(JsonLine& line, const Layout& layout, bool isEnd) const override;
  uint64_t hash(const Layout& layout) const override;
  void writeState(JsonLine& line, const Layout& layout) const override;

 private:
  const Allocator& allocator_;
};

}  // namespace strata
