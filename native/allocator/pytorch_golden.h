#pragma once

#include "allocator/golden_format.h"
#include "allocator/pytorch_allocator.h"

namespace strata {

/// What the golden vectors say about the state of PyTorch's allocator.
class GoldenPytorch final : public GoldenFormat {
 public:
  GoldenPytorch(const PytorchAllocator& allocator, bool hasPools)
      : allocator_(allocator), hasPools_(hasPools) {}
  void writeTotals(JsonLine& line, const Layout& layout, bool isEnd) const override;
  uint64_t hash(const Layout& layout) const override;
  void writeState(JsonLine& line, const Layout& layout) const override;

 private:
  const PytorchAllocator& allocator_;
  bool hasPools_;
};

}  // namespace strata
