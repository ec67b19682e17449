#include "allocator/offline_allocator.h"

#include <algorithm>

namespace strata {

using Step = Decision::Step;
using Reason = Decision::Reason;

bool OfflineAllocator::start() {
  whereLive_.resize(plan_.bytes.size());
  requested_.resize(plan_.bytes.size());
  for (uint64_t bytes : {plan_.poolBytes, driver_.freeBytes() & ~(alignment_ - 1)}) {
    if (bytes == 0) break;
    const std::optional<uint64_t> address = driver_.allocate(bytes);
    decide(Step::Grow, address ? Reason::Planned : Reason::DeviceRefused, address.value_or(0), bytes);
    emit(address ? AllocatorEvent::Kind::DeviceAlloc : AllocatorEvent::Kind::DeviceFail, address.value_or(0),
         bytes);
    if (!address) continue;
    address_ = *address;
    held_ = bytes;
    break;
  }
  space_ = OffsetSpace(held_);
  notePeaks();
  return true;
}

Placement OfflineAllocator::allocate(uint64_t bytes, uint32_t stream) {
  const uint32_t request = next_++;
  if (bytes == 0) return {.outcome = Outcome::Nothing};
  if (bytes > kLargestRequest) return {};
  const uint64_t rounded = (bytes + alignment_ - 1) & ~(alignment_ - 1);
  decide(Step::Round, Reason::None, 0, rounded);
  const Placement placement = takePlanned(request, rounded) ? place(request, bytes) : askRest(bytes, stream);
  notePeaks();
  return placement;
}

bool OfflineAllocator::takePlanned(uint32_t request, uint64_t rounded) {
  const bool isPlanned =
      request < plan_.bytes.size() && plan_.bytes[request] == rounded && plan_.offsets[request] != kNoPlace;
  if (!isPlanned) {
    decide(Step::Consider, Reason::NothingFree, 0, rounded);
    return false;
  }
  const uint64_t offset = plan_.offsets[request];
  const bool isHeld = offset + rounded <= held_;
  if (isHeld && space_.takeAt(offset, rounded)) return true;
  decide(Step::Consider, isHeld ? Reason::NotYetSafe : Reason::LimitReached, address_ + offset, rounded);
  return false;
}

Placement OfflineAllocator::place(uint32_t request, uint64_t bytes) {
  const uint64_t address = address_ + plan_.offsets[request];
  const uint64_t rounded = plan_.bytes[request];
  decide(Step::Take, Reason::Planned, address, rounded);
  used_ += rounded;
  requested_[request] = bytes;
  whereLive_[request] = static_cast<uint32_t>(live_.size());
  live_.push_back(request);
  return {address, rounded, 2 * request, Outcome::Placed};
}

Placement OfflineAllocator::askRest(uint64_t bytes, uint32_t stream) {
  if (!rest_) {
    decide(Step::Refuse, Reason::None, 0, bytes);
    return {};
  }
  Placement placement = rest_->allocate(bytes, stream);
  hearOfRest();
  if (placement.outcome == Outcome::Placed) placement.block = 2 * placement.block + kOfRest;
  return placement;
}

void OfflineAllocator::free(BlockHandle block) {
  if (block & kOfRest) {
    rest_->free(block / 2);
    hearOfRest();
    return;
  }
  const uint32_t request = block / 2;
  space_.give(plan_.offsets[request], plan_.bytes[request]);
  used_ -= plan_.bytes[request];
  const uint32_t moved = live_.back();
  live_[whereLive_[request]] = moved;
  whereLive_[moved] = whereLive_[request];
  live_.pop_back();
}

void OfflineAllocator::recordStream(BlockHandle block, uint32_t stream) {
  if (block & kOfRest) rest_->recordStream(block / 2, stream);
}

ControlResult OfflineAllocator::control(const Control& control) {
  if (!rest_) return {};
  const ControlResult result = rest_->control(control);
  hearOfRest();
  return result;
}

void OfflineAllocator::hearOfRest() { restUsage_ = rest_->usage(); }

void OfflineAllocator::notePeaks() {
  peakAllocated_ = std::max(peakAllocated_, used_ + restUsage_.allocated);
  peakReserved_ = std::max(peakReserved_, held_ + restUsage_.reserved);
}

Usage OfflineAllocator::usage() const {
  return {.allocated = used_ + restUsage_.allocated,
          .active = used_ + restUsage_.active,
          .reserved = held_ + restUsage_.reserved,
          .peakAllocated = peakAllocated_,
          .peakReserved = peakReserved_,
          .largestFree = std::max(space_.largestHole(), restUsage_.largestFree)};
}

void OfflineAllocator::appendPlanned(Layout& layout) const {
  const auto first = static_cast<uint32_t>(layout.blocks.size());
  space_.forEachHole([&](uint64_t offset, uint64_t bytes) {
    layout.blocks.push_back({.address = address_ + offset, .bytes = bytes});
  });
  for (const uint32_t request : live_)
    layout.blocks.push_back({.address = address_ + plan_.offsets[request],
                             .bytes = plan_.bytes[request],
                             .requested = requested_[request],
                             .state = BlockState::Allocated});
  std::sort(layout.blocks.begin() + first, layout.blocks.end(),
            [](const LayoutBlock& a, const LayoutBlock& b) { return a.address < b.address; });
  layout.segments.push_back({.address = address_,
                             .bytes = held_,
                             .firstBlock = first,
                             .blockCount = static_cast<uint32_t>(layout.blocks.size()) - first});
}

Layout OfflineAllocator::layout() const {
  Layout layout;
  if (rest_) layout = rest_->layout();
  if (held_ > 0) appendPlanned(layout);
  std::sort(layout.segments.begin(), layout.segments.end(),
            [](const LayoutSegment& a, const LayoutSegment& b) { return a.address < b.address; });
  return layout;
}

}  // namespace strata
