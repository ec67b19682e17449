#include "allocator/slab_tier.h"

#include <algorithm>
#include <bit>

namespace strata {
namespace {

constexpr uint64_t kUnit = 512;
constexpr uint64_t kEvenUpTo = 2048;
constexpr int kEvenClasses = 4;
constexpr int kEvenPower = 11;  ///< 2^11 = kEvenUpTo

}  // namespace

int SlabTier::classOf(uint64_t bytes) {
  if (bytes <= kEvenUpTo) return static_cast<int>((bytes + kUnit - 1) / kUnit) - 1;
  const int power = std::bit_width(bytes - 1) - 1;
  const uint64_t step = uint64_t{1} << (power - 2);
  const uint64_t quarters = (bytes - (uint64_t{1} << power) + step - 1) / step;
  return kEvenClasses + 4 * (power - kEvenPower) + static_cast<int>(quarters) - 1;
}

uint64_t SlabTier::classBytes(int sizeClass) {
  if (sizeClass < kEvenClasses) return kUnit * static_cast<uint64_t>(sizeClass + 1);
  const int power = kEvenPower + (sizeClass - kEvenClasses) / 4;
  const auto quarters = static_cast<uint64_t>((sizeClass - kEvenClasses) % 4 + 1);
  return (uint64_t{1} << power) + quarters * (uint64_t{1} << (power - 2));
}

SlabTier::List& SlabTier::listOf(int sizeClass, uint32_t stream) {
  const size_t row = size_t{streams_.positionOf(stream)} * kClasses;
  if (row == lists_.size()) lists_.resize(row + kClasses);
  return lists_[row + static_cast<size_t>(sizeClass)];
}

uint64_t SlabTier::slotBytes(const Slab& slab, uint32_t index) const {
  const uint64_t bytes = classBytes(slab.sizeClass);
  return index + 1 < slab.slotCount ? bytes : slabBytes_ - bytes * index;
}

bool SlabTier::isLast(const Slot& slot) const {
  return slot.offset + slot.bytes == slabs_[slot.slab].offset + slabBytes_;
}

uint32_t SlabTier::take(int sizeClass, uint32_t stream, uint64_t requested) {
  List& list = listOf(sizeClass, stream);
  uint32_t found = list.top;
  if (found != kNoBlock) {
    unlink(found);
  } else if (list.open != kNoBlock) {
    Slab& slab = slabs_[list.open];
    const auto index = static_cast<uint32_t>(slab.slots.size());
    found = slots_.add({.offset = slab.offset + classBytes(sizeClass) * index,
                        .bytes = slotBytes(slab, index),
                        .slab = list.open});
    slab.slots.push_back(found);
    if (index + 1 == slab.slotCount) list.open = kNoBlock;
  } else {
    return kNoBlock;
  }
  Slot& slot = slots_[found];
  slot.state = State::InUse;
  slot.requested = requested;
  ++slabs_[slot.slab].used;
  --(isLast(slot) ? freeLast_ : freeSlots_)[static_cast<size_t>(sizeClass)];
  return found;
}

void SlabTier::addSlab(int sizeClass, uint32_t stream, uint64_t offset) {
  List& list = listOf(sizeClass, stream);
  const auto count = static_cast<uint32_t>(slabBytes_ / classBytes(sizeClass));
  const auto row = static_cast<uint32_t>(&list - lists_.data());
  list.open = slabs_.add({.offset = offset,
                          .stream = stream,
                          .list = row,
                          .sizeClass = sizeClass,
                          .slotCount = count,
                          .isLive = true});
  rows_ = std::max(rows_, list.open + 1);
  freeSlots_[static_cast<size_t>(sizeClass)] += count - 1;
  ++freeLast_[static_cast<size_t>(sizeClass)];
}

void SlabTier::give(uint32_t slot) {
  Slot& freed = slots_[slot];
  Slab& slab = slabs_[freed.slab];
  List& list = lists_[slab.list];
  freed.state = State::Free;
  freed.requested = 0;
  freed.previous = kNoBlock;
  freed.next = list.top;
  if (list.top != kNoBlock) slots_[list.top].previous = slot;
  list.top = slot;
  ++(isLast(freed) ? freeLast_ : freeSlots_)[static_cast<size_t>(slab.sizeClass)];
  if (--slab.used > 0 || slab.isListed) return;
  slab.isListed = true;
  emptied_.push_back(freed.slab);
}

void SlabTier::unlink(uint32_t slot) {
  const Slot& taken = slots_[slot];
  if (taken.previous == kNoBlock)
    lists_[slabs_[taken.slab].list].top = taken.next;
  else
    slots_[taken.previous].next = taken.next;
  if (taken.next != kNoBlock) slots_[taken.next].previous = taken.previous;
}

std::vector<uint64_t> SlabTier::removeEmpty(std::optional<uint32_t> stream) {
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> others;
  for (const uint32_t row : emptied_) {
    Slab& slab = slabs_[row];
    if (stream && slab.stream != *stream) {
      others.push_back(row);
      continue;
    }
    slab.isListed = false;
    if (slab.used > 0) continue;
    for (const uint32_t slot : slab.slots) {
      unlink(slot);
      slots_.remove(slot);
    }
    if (lists_[slab.list].open == row) lists_[slab.list].open = kNoBlock;
    freeSlots_[static_cast<size_t>(slab.sizeClass)] -= slab.slotCount - 1;
    --freeLast_[static_cast<size_t>(slab.sizeClass)];
    offsets.push_back(slab.offset);
    slab = {};
    slabs_.remove(row);
  }
  emptied_ = std::move(others);
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

uint64_t SlabTier::largestFree() const {
  uint64_t largest = 0;
  for (int sizeClass = 0; sizeClass < kClasses && classBytes(sizeClass) <= slabBytes_; ++sizeClass) {
    const uint64_t bytes = classBytes(sizeClass);
    const uint64_t lastBytes = slabBytes_ - bytes * (slabBytes_ / bytes - 1);
    if (freeSlots_[static_cast<size_t>(sizeClass)] > 0) largest = std::max(largest, bytes);
    if (freeLast_[static_cast<size_t>(sizeClass)] > 0) largest = std::max(largest, lastBytes);
  }
  return largest;
}

std::vector<LayoutBlock> SlabTier::blocksOf(const Slab& slab) const {
  std::vector<LayoutBlock> blocks;
  for (uint32_t index = 0; index < slab.slotCount; ++index) {
    LayoutBlock block{.address = slab.offset + classBytes(slab.sizeClass) * index,
                      .bytes = slotBytes(slab, index)};
    if (index < slab.slots.size()) {
      const Slot& slot = slots_[slab.slots[index]];
      block.requested = slot.state == State::InUse ? slot.requested : 0;
      if (slot.state == State::InUse) block.state = BlockState::Allocated;
      if (slot.state == State::Waiting) block.state = BlockState::PendingFree;
    }
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace strata
