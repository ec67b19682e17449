#pragma once

#include <bit>

#include "allocator/block_tree.h"

namespace strata {

/// Free blocks by size, then address: the smallest that is large enough, lowest address on a tie.
///
///   size classes:   256  272  288 ... 496 | 512  544 ... 992 | 1024 ...     sixteen for each power of two
///   occupied:        1    0    0       1  |  0    1       0  |  1           one bit each, and one a word
///
/// A class is a tree of its own, most of the time of a few entries; the bits lead to the next class that has
/// any. Exact, not segregated fit: within and across classes the order is that of (size, address). O(log n)
/// when all blocks are alike, a handful of steps when they are not.
class BestFitIndex {
 private:
  struct BySize {
    struct Key {
      uint64_t bytes;
      uint64_t address;
    };
    static constexpr bool kHasWeight = false;
    static bool less(const Key& a, const Key& b) {
      return a.bytes < b.bytes || (a.bytes == b.bytes && a.address < b.address);
    }
  };
  using Forest = BlockForest<BySize>;

 public:
  struct Cursor {
    uint32_t sizeClass;
    Forest::Cursor place;
  };

  size_t size() const { return size_; }
  bool isEmpty() const { return size_ == 0; }
  uint32_t blockAt(const Cursor& cursor) const { return forest_.blockAt(cursor.place); }
  uint64_t bytesAt(const Cursor& cursor) const { return forest_.keyAt(cursor.place).bytes; }

  /// The best fit for this many bytes; false when nothing fits.
  bool bestFit(uint64_t bytes, Cursor& cursor) const {
    cursor.sizeClass = classOf(bytes);
    if (forest_.lowerBound(trees_[cursor.sizeClass], {bytes, 0}, cursor.place)) return true;
    return firstOfNextClass(cursor);
  }
  /// The next better-than-nothing fit; false at the end.
  bool advance(Cursor& cursor) const {
    return forest_.advance(trees_[cursor.sizeClass], cursor.place) || firstOfNextClass(cursor);
  }
  void insert(uint64_t bytes, uint64_t address, uint32_t block) {
    const uint32_t sizeClass = classOf(bytes);
    forest_.insert(trees_[sizeClass], {bytes, address}, 0, block);
    ++size_;
    words_[sizeClass / 64] |= uint64_t{1} << (sizeClass % 64);
    summary_ |= 1u << (sizeClass / 64);
  }
  void eraseAt(Cursor& cursor) {
    forest_.eraseAt(trees_[cursor.sizeClass], cursor.place);
    afterErase(cursor.sizeClass);
  }
  void erase(uint64_t bytes, uint64_t address) {
    const uint32_t sizeClass = classOf(bytes);
    forest_.erase(trees_[sizeClass], {bytes, address});
    afterErase(sizeClass);
  }
  /// Bytes of the largest block, 0 when there is none.
  uint64_t largest() const {
    if (size_ == 0) return 0;
    const auto word = static_cast<uint32_t>(std::bit_width(summary_)) - 1;
    const auto bit = static_cast<uint32_t>(std::bit_width(words_[word])) - 1;
    return forest_.lastKey(trees_[word * 64 + bit]).bytes;
  }
  /// Calls visit(block) in order.
  template <typename Visit>
  void forEach(Visit&& visit) const {
    for (const Forest::Tree& tree : trees_)
      forest_.forEach(tree, [&](const BySize::Key&, uint64_t, uint32_t block) { visit(block); });
  }
  void clear() {
    forest_.clear();
    trees_.fill({});
    words_.fill(0);
    summary_ = 0;
    size_ = 0;
  }

 private:
  static constexpr uint32_t kClasses = 64 * 16;

  /// Never falls as the size grows: the power of two and the four bits below it.
  static uint32_t classOf(uint64_t bytes) {
    if (bytes < 16) return static_cast<uint32_t>(bytes);
    const auto power = static_cast<uint32_t>(std::bit_width(bytes)) - 1;
    return power * 16 + static_cast<uint32_t>(bytes >> (power - 4) & 15);
  }
  bool firstOfNextClass(Cursor& cursor) const {
    const uint32_t next = cursor.sizeClass + 1;
    if (next == kClasses) return false;
    uint32_t word = next / 64;
    uint64_t bits = words_[word] & (~uint64_t{0} << (next % 64));
    if (bits == 0) {
      const uint32_t later = summary_ & static_cast<uint32_t>(~uint64_t{0} << (word + 1));
      if (later == 0) return false;
      word = static_cast<uint32_t>(std::countr_zero(later));
      bits = words_[word];
    }
    cursor.sizeClass = word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
    return forest_.lowerBound(trees_[cursor.sizeClass], {0, 0}, cursor.place);
  }
  void afterErase(uint32_t sizeClass) {
    --size_;
    if (trees_[sizeClass].size > 0) return;
    words_[sizeClass / 64] &= ~(uint64_t{1} << (sizeClass % 64));
    if (words_[sizeClass / 64] == 0) summary_ &= ~(1u << (sizeClass / 64));
  }

  Forest forest_;
  std::array<Forest::Tree, kClasses> trees_;
  std::array<uint64_t, kClasses / 64> words_{};
  uint32_t summary_ = 0;
  size_t size_ = 0;
};

}  // namespace strata
