#pragma once

#include "allocator/bfc.h"
#include "allocator/vmm_bump.h"

namespace strata {

struct TensorflowVmmOptions {
  BfcOptions bfc;            ///< regions that touch always become one: the sub-allocator supports coalescing
  uint64_t rangeBytes = 0;   ///< virtual_address_space_size; TensorFlow gives the memory limit
  uint64_t granularity = 0;  ///< a power of two
};

/// BFC over the virtual-memory sub-allocator, as TensorFlow stacks the two: see bfc.h and vmm_bump.h for
/// what each of them does.
///
///   request -> BFC: one growing region -> VmmBump: neighbouring pieces -> device
///
/// Because every piece starts where the one before it ends, BFC's regions are one region (until garbage
/// collection returns one from the middle), and a chunk may span memory of different ages.
///
/// Events: SegmentMap and SegmentUnmap for what is mapped and unmapped, DeviceFail for a refusal. A region
/// that leaks is not unmapped: it stays in `reserved`, and in the layout as a block whose free never ends.
class TensorflowVmm final : public Allocator, private EventSink {
 public:
  TensorflowVmm(const TensorflowVmmOptions& options, Driver& device);

  bool start() override;
  Placement allocate(uint64_t bytes, uint32_t stream) override { return bfc_.allocate(bytes, stream); }
  void free(BlockHandle block) override { bfc_.free(block); }
  ControlResult control(const Control& control) override { return bfc_.control(control); }
  Usage usage() const override;
  Layout layout() const override;
  void setEventSink(EventSink* sink) override;
  void setDecisionSink(DecisionSink* sink) override;

  const VmmBump& subAllocator() const { return vmm_; }

 private:
  void onEvent(const AllocatorEvent& event) override;

  VmmBump vmm_;
  BfcAllocator bfc_;
};

}  // namespace strata
