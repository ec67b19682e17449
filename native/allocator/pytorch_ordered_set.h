#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace strata::pytorch {

/// A set of small records in the order of a 128-bit key, built for the free lists of an allocator.
///
///   fences:  | 0 | k1 | k2 | ...     every key in leaf i is >= fence i and < fence i + 1
///   leaves:  [ .. ][ .. ][ .. ]      up to 64 sorted records side by side, so a search touches a few lines
///
/// Search O(log n), insert and erase O(log n + leaf). Nothing is allocated but when a leaf is split.
class OrderedSet {
 public:
  struct Key {
    uint64_t high = 0;
    uint64_t low = 0;
    friend bool operator<(const Key& a, const Key& b) {
      // Single bars on purpose: a search whose steps are predicted wrongly half the time is slower.
      return (a.high < b.high) | ((a.high == b.high) & (a.low < b.low));
    }
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Record {
    Key key;
    uint32_t id;
  };
  /// A place in the set, good until the set changes.
  struct Position {
    uint32_t leaf = 0;
    uint32_t slot = 0;
  };

  size_t size() const { return size_; }
  bool isEmpty() const { return size_ == 0; }
  bool isEnd(Position at) const { return at.leaf >= order_.size(); }
  const Record& at(Position at) const { return leaves_[order_[at.leaf]].records[at.slot]; }

  Position first() const { return settled({0, 0}); }

  /// The first record whose key is not below `key`.
  Position lowerBound(const Key& key) const {
    if (order_.empty()) return {0, 0};
    const uint32_t leaf = leafFor(key);
    return settled({leaf, slotFor(leaves_[order_[leaf]], key)});
  }

  Position next(Position at) const { return settled({at.leaf, at.slot + 1}); }

  /// The last record whose key is not above `key`, or null.
  const Record* lastAtOrBelow(const Key& key) const {
    if (order_.empty()) return nullptr;
    uint32_t leaf = leafFor(key);
    uint32_t slot = slotFor(leaves_[order_[leaf]], key);
    if (slot < leaves_[order_[leaf]].count && leaves_[order_[leaf]].records[slot].key == key)
      return &leaves_[order_[leaf]].records[slot];
    while (slot == 0) {
      if (leaf == 0) return nullptr;
      slot = leaves_[order_[--leaf]].count;
    }
    return &leaves_[order_[leaf]].records[slot - 1];
  }

  void insert(const Key& key, uint32_t id) {
    if (order_.empty()) addLeaf(0, Key{});
    uint32_t position = leafFor(key);
    if (leaves_[order_[position]].count == kLeafSize) {
      split(position);
      if (!(key < fences_[position + 1])) ++position;
    }
    Leaf& leaf = leaves_[order_[position]];
    const uint32_t slot = slotFor(leaf, key);
    std::memmove(leaf.records + slot + 1, leaf.records + slot, (leaf.count - slot) * sizeof(Record));
    leaf.records[slot] = {key, id};
    ++leaf.count;
    ++size_;
  }

  bool erase(const Key& key) { return erase(key, Position()); }

  /// `hint`: where the key was found last, or anywhere.
  bool erase(const Key& key, Position hint) {
    const bool isThere =
        hint.leaf < order_.size() && hint.slot < leaves_[order_[hint.leaf]].count && at(hint).key == key;
    const Position position = isThere ? hint : lowerBound(key);
    if (isEnd(position) || !(at(position).key == key)) return false;
    eraseAt(position);
    return true;
  }

  void eraseAt(Position position) {
    Leaf& leaf = leaves_[order_[position.leaf]];
    --leaf.count;
    --size_;
    std::memmove(leaf.records + position.slot, leaf.records + position.slot + 1,
                 (leaf.count - position.slot) * sizeof(Record));
    if (leaf.count < kLeafSize / 4) tidy(position.leaf);
  }

 private:
  static constexpr uint32_t kLeafSize = 64;
  struct Leaf {
    uint32_t count = 0;
    Record records[kLeafSize];
  };

  /// Moves a position past the end of its leaf on to the next record.
  Position settled(Position at) const {
    while (at.leaf < order_.size() && at.slot >= leaves_[order_[at.leaf]].count) at = {at.leaf + 1, 0};
    return at;
  }

  /// The last leaf whose fence is not above the key. The steps have no branches that depend on data.
  uint32_t leafFor(const Key& key) const {
    const Key* base = fences_.data();
    size_t count = fences_.size();
    while (count > 1) {
      const size_t half = count / 2;
      base = key < base[half] ? base : base + half;
      count -= half;
    }
    return static_cast<uint32_t>(base - fences_.data());
  }

  static uint32_t slotFor(const Leaf& leaf, const Key& key) {
    const Record* base = leaf.records;
    size_t count = leaf.count;
    while (count > 1) {
      const size_t half = count / 2;
      base = base[half - 1].key < key ? base + half : base;
      count -= half;
    }
    return static_cast<uint32_t>(base - leaf.records) + (count == 1 && base->key < key ? 1 : 0);
  }

  void addLeaf(uint32_t position, Key fence) {
    uint32_t index = static_cast<uint32_t>(leaves_.size());
    if (spare_.empty()) {
      leaves_.emplace_back();
    } else {
      index = spare_.back();
      spare_.pop_back();
      leaves_[index].count = 0;
    }
    order_.insert(order_.begin() + position, index);
    fences_.insert(fences_.begin() + position, fence);
  }

  void dropLeaf(uint32_t position) {
    spare_.push_back(order_[position]);
    order_.erase(order_.begin() + position);
    fences_.erase(fences_.begin() + position);
    if (position == 0 && !fences_.empty()) fences_[0] = Key{};
  }

  void split(uint32_t position) {
    constexpr uint32_t kHalf = kLeafSize / 2;
    addLeaf(position + 1, leaves_[order_[position]].records[kHalf].key);
    Leaf& low = leaves_[order_[position]];
    Leaf& high = leaves_[order_[position + 1]];
    std::memcpy(high.records, low.records + kHalf, (kLeafSize - kHalf) * sizeof(Record));
    high.count = kLeafSize - kHalf;
    low.count = kHalf;
  }

  /// Keeps leaves from staying nearly empty: joins a small one with the next when half a leaf holds both.
  void tidy(uint32_t position) {
    Leaf& leaf = leaves_[order_[position]];
    if (leaf.count == 0) return dropLeaf(position);
    if (position + 1 >= order_.size()) return;
    Leaf& next = leaves_[order_[position + 1]];
    if (leaf.count + next.count > kLeafSize / 2) return;
    std::memcpy(leaf.records + leaf.count, next.records, next.count * sizeof(Record));
    leaf.count += next.count;
    dropLeaf(position + 1);
  }

  std::vector<Key> fences_;
  std::vector<uint32_t> order_;  ///< leaf numbers in key order
  std::vector<Leaf> leaves_;
  std::vector<uint32_t> spare_;
  size_t size_ = 0;
};

}  // namespace strata::pytorch
