#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "capture/address_order.h"

namespace strata {

/// The blocks that are live, by address; no two overlap.
///
///   places:   a hash table of [address, end, row], among them places whose block was given back
///   order:    the addresses of all places, sorted (address_order.h)
///
/// Readers look up, add and take away a block for every row of a log, and allocators hand out the same places
/// again and again. So a place stays when its block is given back, until another block overlaps it or too
/// many are empty; no two places overlap either. A block that comes where one of its size was costs one look
/// into the table, and so does a free. Any other block is O(log n), and a move within a chunk of the order.
class LiveBlocks {
 public:
  struct Block {
    uint64_t address, end;  ///< at least a byte
    uint32_t row;           ///< any but kEmpty
  };

  bool isLive(uint64_t address) const {
    const Block* place = find(address);
    return place != nullptr && place->row != kEmpty;
  }

  /// Gives the row of the block that starts at an address; false when there is none.
  bool find(uint64_t address, uint32_t& row) const {
    const Block* place = find(address);
    if (place == nullptr || place->row == kEmpty) return false;
    row = place->row;
    return true;
  }

  /// Takes away the block that starts at an address and gives its row; false when there is none.
  bool remove(uint64_t address, uint32_t& row) {
    Block* place = find(address);
    if (place == nullptr || place->row == kEmpty) return false;
    row = place->row;
    place->row = kEmpty;
    ++empty_;
    return true;
  }

  /// Takes away every block that overlaps a range, after calling with each, lowest address first.
  template <typename OnBlock>
  void removeOverlapping(uint64_t from, uint64_t to, OnBlock&& onBlock) {
    uint64_t address = 0;
    if (order_.before(from, address) && find(address)->end > from) drop(address, onBlock);
    while (order_.atOrAfter(from, address) && address < to) drop(address, onBlock);
  }

  /// Adds a block; those that it overlaps are taken away before. Answers whether one of its size was there
  /// before.
  template <typename OnBlock>
  bool insert(const Block& block, OnBlock&& onOverlapping) {
    Block* place = find(block.address);
    if (place != nullptr && place->end == block.end) {
      const Block before = *place;
      place->row = block.row;
      before.row == kEmpty ? void(--empty_) : onOverlapping(before);
      return true;
    }
    removeOverlapping(block.address, block.end, onOverlapping);
    if (empty_ > kMostEmpty + (count_ - empty_)) dropEmpty();
    add(block);
    return false;
  }

  void clear() { *this = LiveBlocks(); }

 private:
  /// The row of a place without a block.
  static constexpr uint32_t kEmpty = std::numeric_limits<uint32_t>::max();
  /// So many more places than blocks may be kept.
  static constexpr size_t kMostEmpty = 1 << 14;
  static constexpr size_t kSmallestTable = 64;

  /// Where the search for an address starts: the upper bits of a product that all bits have gone into.
  size_t slotOf(uint64_t address) const {
    return static_cast<size_t>(address * 0x9e3779b97f4a7c15u >> shift_);
  }
  static bool isUsed(const Block& slot) { return slot.end != 0; }
  size_t after(size_t slot) const { return (slot + 1) & (table_.size() - 1); }

  const Block* find(uint64_t address) const {
    if (table_.empty()) return nullptr;
    size_t slot = slotOf(address);
    while (isUsed(table_[slot])) {
      if (table_[slot].address == address) return &table_[slot];
      slot = after(slot);
    }
    return nullptr;
  }
  Block* find(uint64_t address) {
    return const_cast<Block*>(static_cast<const LiveBlocks*>(this)->find(address));
  }

  void add(const Block& block) {
    if (2 * (count_ + 1) > table_.size()) grow();
    put(block);
    ++count_;
    order_.insert(block.address);
  }

  void put(const Block& block) {
    size_t slot = slotOf(block.address);
    while (isUsed(table_[slot])) slot = after(slot);
    table_[slot] = block;
  }

  void grow() {
    const std::vector<Block> before = std::move(table_);
    table_.assign(std::max(kSmallestTable, 2 * before.size()), {0, 0, kEmpty});
    shift_ = 64 - std::countr_zero(table_.size());
    for (const Block& slot : before) {
      if (isUsed(slot)) put(slot);
    }
  }

  /// Takes a slot out of the table and closes the gap, so that no search ends before what it looks for.
  void vacate(size_t slot) {
    for (size_t next = after(slot); isUsed(table_[next]); next = after(next)) {
      const size_t mask = table_.size() - 1;
      const size_t wanted = slotOf(table_[next].address);
      if (((next - wanted) & mask) < ((next - slot) & mask)) continue;  // it would come before its start
      table_[slot] = table_[next];
      slot = next;
    }
    table_[slot] = {0, 0, kEmpty};
    --count_;
  }

  template <typename OnBlock>
  void drop(uint64_t address, OnBlock&& onBlock) {
    const Block* place = find(address);
    const Block block = *place;
    vacate(static_cast<size_t>(place - table_.data()));
    order_.remove(address);
    block.row == kEmpty ? void(--empty_) : onBlock(block);
  }

  void dropEmpty() {
    std::vector<Block> live;
    for (const Block& slot : table_) {
      if (isUsed(slot) && slot.row != kEmpty) live.push_back(slot);
    }
    clear();
    for (const Block& block : live) add(block);
  }

  std::vector<Block> table_;  ///< a power of two, at most half of it used
  int shift_ = 64;
  size_t count_ = 0;  ///< places
  size_t empty_ = 0;  ///< and those without a block
  AddressOrder order_;
};

}  // namespace strata
