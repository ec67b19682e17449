#pragma once

#include <memory>
#include <vector>

#include "allocator/rmm_fixed.h"

namespace strata {

/// RMM's binning resource: fixed-size resources for some sizes, another allocator for what is larger.
///
/// Allocate: from the smallest bin that is not below the request (bin sizes are rounded up to 256, the
/// request
///           is compared as it is); above the largest bin, from upstream. A bin that cannot grow fails:
///           larger bins and the upstream are not tried.
/// Free:     to where the block came from.
/// Start:    every bin takes its first batch, in the order the bins are given; a size given twice counts
/// once. Source:   rmm/mr/device/binning_memory_resource.hpp (RMM v25.08.00); proved by the golden vectors.
class RmmBinning final : public Allocator {
 public:
  RmmBinning(const std::vector<RmmFixedOptions>& bins, Allocator& upstream);

  bool start() override;
  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  Usage usage() const override;
  Layout layout() const override;
  /// Bins are asked by this one, so they report to the same sink.
  void setDecisionSink(DecisionSink* sink) override;

 private:
  struct Bin {
    uint64_t bytes = 0;
    std::unique_ptr<RmmFixed> blocks;
  };
  struct Block {
    Allocator* source = nullptr;
    BlockHandle block = kNoBlock;
    uint64_t bytes = 0;
  };

  std::vector<Bin> bins_;              ///< by size
  std::vector<RmmFixed*> startOrder_;  ///< as given
  Allocator& upstream_;
  SlotTable<Block> blocks_;
  uint64_t used_ = 0;
  uint64_t peak_ = 0;
};

}  // namespace strata
