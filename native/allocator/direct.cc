#include "allocator/direct.h"

#include <algorithm>

#include "allocator/layout.h"

namespace strata {

Placement DirectAllocator::allocate(uint64_t bytes, uint32_t) {
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  if (bytes > kLargestRequest) return {};
  const uint64_t rounded = (bytes + rounding_ - 1) & ~(rounding_ - 1);
  const std::optional<uint64_t> address = driver_.allocate(rounded);
  decide(Decision::Step::Round, Decision::Reason::None, 0, rounded);
  if (!address) {
    emit(AllocatorEvent::Kind::DeviceFail, 0, rounded);
    decide(Decision::Step::Refuse, Decision::Reason::DeviceRefused, 0, rounded);
    return {};
  }
  emit(AllocatorEvent::Kind::DeviceAlloc, *address, rounded);
  decide(Decision::Step::Grow, Decision::Reason::None, *address, rounded);
  used_ += rounded;
  peak_ = std::max(peak_, used_);
  const uint32_t block = blocks_.add({*address, rounded, bytes});
  rows_ = std::max(rows_, block + 1);
  return {*address, rounded, block, Outcome::Placed};
}

void DirectAllocator::free(BlockHandle block) {
  const Block& freed = blocks_[block];
  driver_.free(freed.address, freed.bytes);
  emit(AllocatorEvent::Kind::DeviceFree, freed.address, freed.bytes);
  decide(Decision::Step::Flush, Decision::Reason::Released, freed.address, freed.bytes);
  used_ -= freed.bytes;
  blocks_[block].requested = 0;
  blocks_.remove(block);
}

Usage DirectAllocator::usage() const {
  return {
      .allocated = used_, .active = used_, .reserved = used_, .peakAllocated = peak_, .peakReserved = peak_};
}

Layout DirectAllocator::layout() const {
  std::vector<LayoutBlock> live;
  for (uint32_t row = 0; row < rows_; ++row) {
    const Block& block = blocks_[row];
    if (block.requested > 0)
      live.push_back({.address = block.address,
                      .bytes = block.bytes,
                      .requested = block.requested,
                      .state = BlockState::Allocated});
  }
  return layoutOfSingles(std::move(live));
}

}  // namespace strata
