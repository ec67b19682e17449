#pragma once

#include <vector>

#include "allocator/decision.h"
#include "allocator/device_model.h"

namespace strata {

/// TensorFlow's virtual-memory sub-allocator: physical pieces mapped one behind the other into one range of
/// addresses that is reserved beforehand.
///
///   range: | piece | piece |  hole  | piece |            never used yet            |
///          ^ base                           ^ next: only ever moves back over pieces freed at the end
///
/// Reserve:  one range for life, rounded up to the granularity: the largest minimum granularity of this GPU
///           and the peers that may use the memory. It must be a power of two.
/// Allocate: padded to the granularity; refused when the range ends before it would, without a call to the
///           device; else one physical piece is created, mapped at `next`, and made accessible. O(1).
/// Free:     whole pieces, one or several neighbours: each is unmapped and released. `next` moves back to
///           the start of what was freed if that was the last piece; a hole in the middle is never used
///           again.
/// Leak:     the real code adds up the bytes of a free in a 32-bit int. From 2 GiB on the sum never
///           matches, the free is refused with a line in the log, and the memory stays mapped although
///           nobody has it: so it does here.
/// Source:   tensorflow/core/common_runtime/gpu/gpu_virtual_mem_allocator.cc (TensorFlow 2.12).
class VmmBump final : public Driver {
 public:
  struct Piece {
    uint64_t address = 0;
    uint64_t bytes = 0;
  };
  /// Frees of this many bytes and more leak.
  static constexpr uint64_t kLeastLeak = uint64_t{1} << 31;

  VmmBump(uint64_t rangeBytes, uint64_t granularity, Driver& device);

  /// Reserves the range; once, before anything else.
  void reserve();
  std::optional<uint64_t> allocate(uint64_t bytes) override;
  uint64_t granted(uint64_t bytes) const override { return (bytes + granularity_ - 1) & ~(granularity_ - 1); }
  void free(uint64_t address, uint64_t bytes) override;

  uint64_t reserveRange(uint64_t bytes) override { return device_.reserveRange(bytes); }
  void releaseRange(uint64_t address, uint64_t bytes) override { device_.releaseRange(address, bytes); }
  bool createPhysical(uint64_t bytes) override { return device_.createPhysical(bytes); }
  void releasePhysical(uint64_t bytes) override { device_.releasePhysical(bytes); }
  uint64_t capacity() const override { return device_.capacity(); }
  uint64_t used() const override { return device_.used(); }

  uint64_t mapped() const { return mapped_; }
  uint64_t peakMapped() const { return peakMapped_; }
  const std::vector<Piece>& leaks() const { return leaks_; }
  void setDecisionSink(DecisionSink* sink) { decisions_ = sink; }

 private:
  void decide(Decision::Step step, Decision::Reason reason, uint64_t address, uint64_t bytes) const {
    if (decisions_) decisions_->onDecision({step, reason, address, bytes});
  }

  Driver& device_;
  DecisionSink* decisions_ = nullptr;
  uint64_t granularity_;
  uint64_t rangeBytes_;
  uint64_t base_ = 0;
  uint64_t next_ = 0;          ///< offset of the next piece
  std::vector<Piece> pieces_;  ///< by address
  std::vector<Piece> leaks_;
  uint64_t mapped_ = 0;
  uint64_t peakMapped_ = 0;
};

}  // namespace strata
