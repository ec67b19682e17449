#include "allocator/vmm_bump.h"

#include <algorithm>

namespace strata {

using Step = Decision::Step;
using Reason = Decision::Reason;

VmmBump::VmmBump(uint64_t rangeBytes, uint64_t granularity, Driver& device)
    : device_(device), granularity_(granularity), rangeBytes_(granted(rangeBytes)) {}

void VmmBump::reserve() { base_ = device_.reserveRange(rangeBytes_); }

std::optional<uint64_t> VmmBump::allocate(uint64_t bytes) {
  const uint64_t padded = granted(bytes);
  if (padded > rangeBytes_ - next_) {
    decide(Step::Grow, Reason::LimitReached, base_ + next_, padded);
    return std::nullopt;
  }
  if (!device_.createPhysical(padded)) {
    decide(Step::Grow, Reason::DeviceRefused, base_ + next_, padded);
    return std::nullopt;
  }
  const uint64_t address = base_ + next_;
  decide(Step::Grow, Reason::None, address, padded);
  ++device_.calls.map;
  ++device_.calls.setAccess;
  pieces_.push_back({address, padded});
  next_ += padded;
  mapped_ += padded;
  peakMapped_ = std::max(peakMapped_, mapped_);
  return address;
}

void VmmBump::free(uint64_t address, uint64_t bytes) {
  const auto isBelow = [](const Piece& piece, uint64_t value) { return piece.address < value; };
  const auto first = std::lower_bound(pieces_.begin(), pieces_.end(), address, isBelow);
  const auto last = std::lower_bound(first, pieces_.end(), address + bytes, isBelow);
  if (bytes >= kLeastLeak) {
    decide(Step::Flush, Reason::LimitReached, address, bytes);
    leaks_.push_back({address, bytes});
    return;
  }
  decide(Step::Flush, Reason::Released, address, bytes);
  for (auto piece = first; piece != last; ++piece) {
    ++device_.calls.unmap;
    device_.releasePhysical(piece->bytes);
  }
  if (last == pieces_.end()) next_ = address - base_;
  pieces_.erase(first, last);
  mapped_ -= bytes;
}

}  // namespace strata
