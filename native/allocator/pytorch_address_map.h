#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "trace/trace.h"

namespace strata::pytorch {

/// Addresses to row numbers: open addressing, removed by shifting back, so it never fills with tombstones.
/// The hash is seeded, because addresses come from files that may be made to collide.
class AddressMap {
 public:
  AddressMap() : seed_((uint64_t{std::random_device{}()} << 32) ^ std::random_device{}()), slots_(64) {}

  size_t size() const { return size_; }

  /// The row of an address, or kNone.
  uint32_t find(uint64_t address) const {
    for (size_t at = home(address);; at = (at + 1) & mask()) {
      if (slots_[at].row == kNone) return kNone;
      if (slots_[at].address == address) return slots_[at].row;
    }
  }

  /// Sets the row of an address, replacing an older one.
  void set(uint64_t address, uint32_t row) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    size_t at = home(address);
    while (slots_[at].row != kNone && slots_[at].address != address) at = (at + 1) & mask();
    if (slots_[at].row == kNone) ++size_;
    slots_[at] = {address, row};
  }

  /// Removes an address and answers its row, or kNone when it is not there.
  uint32_t take(uint64_t address) {
    size_t at = home(address);
    while (slots_[at].row != kNone && slots_[at].address != address) at = (at + 1) & mask();
    const uint32_t row = slots_[at].row;
    if (row == kNone) return kNone;
    --size_;
    closeGap(at);
    return row;
  }

  template <typename Visit>
  void forEach(Visit visit) const {
    for (const Slot& slot : slots_)
      if (slot.row != kNone) visit(slot.address, slot.row);
  }

 private:
  struct Slot {
    uint64_t address = 0;
    uint32_t row = kNone;
  };

  size_t mask() const { return slots_.size() - 1; }
  size_t home(uint64_t address) const {
    uint64_t hash = (address ^ seed_) * 0xff51afd7ed558ccdULL;  // the finaliser of MurmurHash3
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return (hash ^ (hash >> 33)) & mask();
  }

  void closeGap(size_t gap) {
    for (size_t at = (gap + 1) & mask(); slots_[at].row != kNone; at = (at + 1) & mask()) {
      const size_t distance = (at - home(slots_[at].address)) & mask();
      if (distance < ((at - gap) & mask())) continue;
      slots_[gap] = slots_[at];
      gap = at;
    }
    slots_[gap].row = kNone;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    size_ = 0;
    for (const Slot& slot : old)
      if (slot.row != kNone) set(slot.address, slot.row);
  }

  uint64_t seed_;
  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace strata::pytorch
