#pragma once

#include "allocator/bfc.h"
#include "allocator/golden_format.h"

namespace strata {

class GoldenBfc final : public GoldenFormat {
 public:
  GoldenBfc(const BfcAllocator& allocator, bool hasTiming) : allocator_(allocator), hasTiming_(hasTiming) {}
  bool hasStreams() const override { return false; }
  void writeTotals(JsonLine& line, const Layout& layout, bool isEnd) const override;
  uint64_t hash(const Layout& layout) const override;
  void writeState(JsonLine& line, const Layout& layout) const override;

 private:
  const BfcAllocator& allocator_;
  bool hasTiming_;
};

}  // namespace strata
