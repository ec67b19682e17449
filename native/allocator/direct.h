#pragma once

#include "allocator/allocator.h"
#include "allocator/slot_table.h"

namespace strata {

/// Plain driver allocation: every request is a call to the driver, every free too. Requests are rounded up
/// to `rounding` bytes, a power of two. It is one end of every comparison, and what RMM's resources stand on
/// (its reference layer rounds to 16 bytes).
class DirectAllocator final : public Allocator {
 public:
  DirectAllocator(Driver& driver, uint64_t rounding) : driver_(driver), rounding_(rounding) {}

  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  Usage usage() const override;
  Layout layout() const override;

 private:
  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t requested = 0;  ///< 0 when the row is unused
  };
  Driver& driver_;
  uint64_t rounding_;
  SlotTable<Block> blocks_;
  uint32_t rows_ = 0;
  uint64_t used_ = 0;
  uint64_t peak_ = 0;
};

}  // namespace strata
