#pragma once

#include "allocator/block_tree.h"

namespace strata {

/// Free blocks by address, each weighing its size: the first one large enough is found in O(log n).
class FirstFitIndex {
 private:
  struct ByAddress {
    using Key = uint64_t;
    static constexpr bool kHasWeight = true;
    static bool less(Key a, Key b) { return a < b; }
  };
  using Forest = BlockForest<ByAddress>;

 public:
  using Cursor = Forest::Cursor;
  struct Entry {
    uint64_t address;
    uint64_t bytes;
    uint32_t block;
  };

  Entry at(const Cursor& cursor) const {
    return {forest_.keyAt(cursor), forest_.weightAt(cursor), forest_.blockAt(cursor)};
  }
  /// The lowest block of at least this many bytes; false when there is none.
  bool firstFit(uint64_t bytes, Cursor& cursor) const { return forest_.firstWeighing(tree_, bytes, cursor); }
  bool find(uint64_t address, Cursor& cursor) const { return forest_.find(tree_, address, cursor); }
  /// The last block at or below an address; false when there is none.
  bool floor(uint64_t address, Cursor& cursor) const { return forest_.floor(tree_, address, cursor); }
  void insert(const Entry& entry) { forest_.insert(tree_, entry.address, entry.bytes, entry.block); }
  void eraseAt(Cursor& cursor) { forest_.eraseAt(tree_, cursor); }
  void erase(uint64_t address) { forest_.erase(tree_, address); }
  /// Puts another block in this one's place in the order.
  void replaceAt(const Cursor& cursor, const Entry& entry) {
    forest_.replaceAt(tree_, cursor, entry.address, entry.bytes, entry.block);
  }
  /// Puts one block in the place of `count` that follow each other, the first of them at this address.
  void replaceRun(uint64_t address, uint32_t count, const Entry& entry) {
    Cursor cursor;
    if (!forest_.find(tree_, address, cursor)) return;
    uint32_t left = count - 1 - forest_.eraseFollowing(tree_, cursor, count - 1);
    replaceAt(cursor, entry);
    for (; left > 0 && forest_.advance(tree_, cursor); --left) {
      eraseAt(cursor);
      forest_.find(tree_, entry.address, cursor);
    }
  }
  uint64_t largest() const { return forest_.largestWeight(tree_); }
  template <typename Visit>
  void forEach(Visit&& visit) const {
    forest_.forEach(tree_, [&](uint64_t address, uint64_t bytes, uint32_t block) {
      visit(Entry{address, bytes, block});
    });
  }
  void clear() {
    forest_.clear();
    tree_ = {};
  }

 private:
  Forest forest_;
  Forest::Tree tree_;
};

}  // namespace strata
