#include "allocator/tensorflow_vmm.h"

#include <algorithm>

namespace strata {
namespace {

BfcOptions coalescing(BfcOptions options) {
  options.coalesceRegions = true;
  return options;
}

}  // namespace

TensorflowVmm::TensorflowVmm(const TensorflowVmmOptions& options, Driver& device)
    : vmm_(options.rangeBytes, options.granularity, device), bfc_(coalescing(options.bfc), vmm_) {}

bool TensorflowVmm::start() {
  vmm_.reserve();
  return true;
}

Usage TensorflowVmm::usage() const {
  Usage usage = bfc_.usage();
  usage.reserved = vmm_.mapped();
  usage.peakReserved = vmm_.peakMapped();
  return usage;
}

Layout TensorflowVmm::layout() const {
  Layout layout = bfc_.layout();
  for (const VmmBump::Piece& leak : vmm_.leaks()) {
    layout.segments.push_back({.address = leak.address,
                               .bytes = leak.bytes,
                               .firstBlock = static_cast<uint32_t>(layout.blocks.size()),
                               .blockCount = 1});
    layout.blocks.push_back({.address = leak.address, .bytes = leak.bytes, .state = BlockState::PendingFree});
  }
  for (LayoutSegment& segment : layout.segments) segment.region = Region::Virtual;
  std::sort(layout.segments.begin(), layout.segments.end(),
            [](const LayoutSegment& a, const LayoutSegment& b) { return a.address < b.address; });
  return layout;
}

void TensorflowVmm::setEventSink(EventSink* sink) {
  Allocator::setEventSink(sink);
  bfc_.setEventSink(sink ? this : nullptr);
}

void TensorflowVmm::setDecisionSink(DecisionSink* sink) {
  Allocator::setDecisionSink(sink);
  bfc_.setDecisionSink(sink);
  vmm_.setDecisionSink(sink);
}

void TensorflowVmm::onEvent(const AllocatorEvent& event) {
  using Kind = AllocatorEvent::Kind;
  switch (event.kind) {
    case Kind::DeviceAlloc:
      return emit(Kind::SegmentMap, event.address, event.bytes, Region::Virtual);
    case Kind::DeviceFree:
      if (event.bytes < VmmBump::kLeastLeak)
        emit(Kind::SegmentUnmap, event.address, event.bytes, Region::Virtual);
      return;
    default:
      return emit(event.kind, event.address, event.bytes, Region::Virtual);
  }
}

}  // namespace strata
