#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace strata {

/// An ordered set of free blocks: a B+ tree over one arena, small sets being one or two arrays.
///
///   inner:  | key child weight | key child weight | ...      key = the smallest key under the child, exactly
///   leaf:   | entry entry entry ... |                        weight = the largest weight under the child
///
/// All operations are O(log n) in cache lines, not in pointers: an allocator's fifty free blocks live in two
/// leaves, a million in four levels. A leaf or inner node that runs nearly empty is merged with a neighbour.
///
/// Order says what is kept and how it is sorted:
///   Entry, Key, static Key key(const Entry&), static bool less(const Key&, const Key&),
///   static constexpr bool kHasWeight, and then static uint64_t weight(const Entry&).
template <typename Order>
class BlockTree {
 public:
  using Entry = typename Order::Entry;
  using Key = typename Order::Key;

  /// Where an entry is. Any change of the tree but the one made through it invalidates it.
  class Cursor {
    friend class BlockTree;
    static constexpr int kMaximumHeight = 12;
    std::array<uint32_t, kMaximumHeight> nodes_;
    std::array<uint32_t, kMaximumHeight> slots_;
    uint32_t leaf_;
    uint32_t position_;
  };

  BlockTree() { root_ = newLeaf(); }

  size_t size() const { return size_; }
  bool isEmpty() const { return size_ == 0; }
  const Entry& at(const Cursor& cursor) const { return leaves_[cursor.leaf_].entries[cursor.position_]; }
  /// The greatest entry; the tree is not empty.
  const Entry& last() const {
    uint32_t node = root_;
    for (int level = 0; level < height_; ++level) node = inners_[node].children[inners_[node].count - 1];
    return leaves_[node].entries[leaves_[node].count - 1];
  }

  /// The first entry whose key is not less; false when there is none.
  bool lowerBound(const Key& key, Cursor& cursor) const {
    descend(key, cursor);
    cursor.position_ = positionIn(leaves_[cursor.leaf_], key);
    return cursor.position_ < leaves_[cursor.leaf_].count || nextLeaf(cursor);
  }
  /// The entry with exactly this key; false when there is none.
  bool find(const Key& key, Cursor& cursor) const {
    return lowerBound(key, cursor) && !Order::less(key, Order::key(at(cursor)));
  }
  /// The last entry whose key is not greater; false when there is none.
  bool floor(const Key& key, Cursor& cursor) const {
    descend(key, cursor);
    const Leaf& leaf = leaves_[cursor.leaf_];
    uint32_t position = positionIn(leaf, key);
    if (position < leaf.count && !Order::less(key, Order::key(leaf.entries[position]))) ++position;
    if (position == 0) return false;  // keys of inner nodes are exact: nothing smaller lies to the left
    cursor.position_ = position - 1;
    return true;
  }
  /// The next entry in order; false at the end.
  bool advance(Cursor& cursor) const {
    return ++cursor.position_ < leaves_[cursor.leaf_].count || nextLeaf(cursor);
  }
  /// The first entry in order that weighs at least this much; false when there is none.
  bool firstWeighing(uint64_t weight, Cursor& cursor) const
    requires Order::kHasWeight
  {
    uint32_t node = root_;
    for (int level = 0; level < height_; ++level) {
      const Inner& inner = inners_[node];
      uint32_t slot = 0;
      while (slot < inner.count && inner.weights[slot] < weight) ++slot;
      if (slot == inner.count) return false;  // only at the root
      cursor.nodes_[level] = node;
      cursor.slots_[level] = slot;
      node = inner.children[slot];
    }
    const Leaf& leaf = leaves_[node];
    uint32_t position = 0;
    while (position < leaf.count && Order::weight(leaf.entries[position]) < weight) ++position;
    cursor.leaf_ = node;
    cursor.position_ = position;
    return position < leaf.count;
  }
  /// The largest weight, 0 when empty.
  uint64_t largestWeight() const
    requires Order::kHasWeight
  {
    return weightOf(root_, 0);
  }

  /// Adds an entry whose key is not there yet.
  void insert(const Entry& entry) {
    Cursor cursor;
    descend(Order::key(entry), cursor);
    ++size_;
    if (leaves_[cursor.leaf_].count == kLeafEntries) {
      insertIntoFullLeaf(entry, cursor);
      return;
    }
    cursor.position_ = positionIn(leaves_[cursor.leaf_], Order::key(entry));
    insertAt(leaves_[cursor.leaf_], cursor.position_, entry);
    afterChange(cursor);
  }

  void eraseAt(Cursor& cursor) {
    Leaf& leaf = leaves_[cursor.leaf_];
    --size_;
    std::copy(leaf.entries + cursor.position_ + 1, leaf.entries + leaf.count,
              leaf.entries + cursor.position_);
    --leaf.count;
    if (height_ == 0) return;
    if (leaf.count == 0) {
      freeLeaves_.push_back(cursor.leaf_);
      removeChild(cursor, height_ - 1);
      return;
    }
    afterChange(cursor);
    if (leaf.count < kLeafEntries / 4) mergeLeaf(cursor);
  }
  void erase(const Key& key) {
    Cursor cursor;
    if (find(key, cursor)) eraseAt(cursor);
  }
  /// Puts another entry in this one's place; its key must lie between the neighbours' keys.
  void replaceAt(const Cursor& cursor, const Entry& entry) {
    leaves_[cursor.leaf_].entries[cursor.position_] = entry;
    afterChange(cursor);
  }
  void clear() {
    leaves_.clear();
    inners_.clear();
    freeLeaves_.clear();
    freeInners_.clear();
    height_ = 0;
    size_ = 0;
    root_ = newLeaf();
  }
  /// Calls visit(entry) for every entry in order.
  template <typename Visit>
  void forEach(Visit&& visit) const {
    forEachUnder(root_, 0, visit);
  }

 private:
  static constexpr uint32_t kLeafEntries = 32;
  static constexpr uint32_t kFanout = 32;
  struct Leaf {
    uint32_t count = 0;
    Entry entries[kLeafEntries];
  };
  struct Inner {
    uint32_t count = 0;
    Key keys[kFanout];
    uint32_t children[kFanout];
    uint64_t weights[Order::kHasWeight ? kFanout : 1];
  };

  uint32_t newLeaf() {
    if (freeLeaves_.empty()) {
      leaves_.emplace_back();
      return static_cast<uint32_t>(leaves_.size() - 1);
    }
    const uint32_t index = freeLeaves_.back();
    freeLeaves_.pop_back();
    leaves_[index].count = 0;
    return index;
  }
  uint32_t newInner() {
    if (freeInners_.empty()) {
      inners_.emplace_back();
      return static_cast<uint32_t>(inners_.size() - 1);
    }
    const uint32_t index = freeInners_.back();
    freeInners_.pop_back();
    inners_[index].count = 0;
    return index;
  }

  /// The position of the first entry that is not less than the key.
  static uint32_t positionIn(const Leaf& leaf, const Key& key) {
    uint32_t low = 0;
    for (uint32_t length = leaf.count; length > 0;) {
      const uint32_t half = length / 2;
      const bool isRight = Order::less(Order::key(leaf.entries[low + half]), key);
      low = isRight ? low + half + 1 : low;
      length = isRight ? length - half - 1 : half;
    }
    return low;
  }
  /// The last child whose smallest key is not greater than the key, or the first child.
  static uint32_t slotIn(const Inner& inner, const Key& key) {
    uint32_t low = 1;
    for (uint32_t length = inner.count - 1; length > 0;) {
      const uint32_t half = length / 2;
      const bool isRight = !Order::less(key, inner.keys[low + half]);
      low = isRight ? low + half + 1 : low;
      length = isRight ? length - half - 1 : half;
    }
    return low - 1;
  }
  void descend(const Key& key, Cursor& cursor) const {
    uint32_t node = root_;
    for (int level = 0; level < height_; ++level) {
      const uint32_t slot = slotIn(inners_[node], key);
      cursor.nodes_[level] = node;
      cursor.slots_[level] = slot;
      node = inners_[node].children[slot];
    }
    cursor.leaf_ = node;
  }
  bool nextLeaf(Cursor& cursor) const {
    int level = height_ - 1;
    while (level >= 0 && cursor.slots_[level] + 1 >= inners_[cursor.nodes_[level]].count) --level;
    if (level < 0) return false;
    uint32_t node = inners_[cursor.nodes_[level]].children[++cursor.slots_[level]];
    for (++level; level < height_; ++level) {
      cursor.nodes_[level] = node;
      cursor.slots_[level] = 0;
      node = inners_[node].children[0];
    }
    cursor.leaf_ = node;
    cursor.position_ = 0;
    return true;
  }

  /// Key and weight of a node; level counts from the root, height_ being the leaves.
  Key keyOf(uint32_t node, int level) const {
    return level == height_ ? Order::key(leaves_[node].entries[0]) : inners_[node].keys[0];
  }
  uint64_t weightOf(uint32_t node, int level) const {
    if constexpr (!Order::kHasWeight) return 0;
    uint64_t weight = 0;
    if constexpr (Order::kHasWeight) {
      if (level == height_) {
        const Leaf& leaf = leaves_[node];
        for (uint32_t i = 0; i < leaf.count; ++i) weight = std::max(weight, Order::weight(leaf.entries[i]));
      } else {
        const Inner& inner = inners_[node];
        for (uint32_t i = 0; i < inner.count; ++i) weight = std::max(weight, inner.weights[i]);
      }
    }
    return weight;
  }
  void describeChild(uint32_t parent, uint32_t slot, int childLevel) {
    Inner& inner = inners_[parent];
    inner.keys[slot] = keyOf(inner.children[slot], childLevel);
    if constexpr (Order::kHasWeight) inner.weights[slot] = weightOf(inner.children[slot], childLevel);
  }
  /// Makes keys and weights above the cursor's leaf exact again.
  void afterChange(const Cursor& cursor) {
    if (Order::kHasWeight || cursor.position_ == 0) describePath(cursor, height_ - 1);
  }
  void describePath(const Cursor& cursor, int level) {
    for (; level >= 0; --level) {
      Inner& inner = inners_[cursor.nodes_[level]];
      const uint32_t slot = cursor.slots_[level];
      const Key key = keyOf(inner.children[slot], level + 1);
      bool isSame = !Order::less(key, inner.keys[slot]) && !Order::less(inner.keys[slot], key);
      inner.keys[slot] = key;
      if constexpr (Order::kHasWeight) {
        const uint64_t weight = weightOf(inner.children[slot], level + 1);
        isSame = isSame && weight == inner.weights[slot];
        inner.weights[slot] = weight;
      }
      if (isSame) return;
    }
  }

  static void insertAt(Leaf& leaf, uint32_t position, const Entry& entry) {
    std::copy_backward(leaf.entries + position, leaf.entries + leaf.count, leaf.entries + leaf.count + 1);
    leaf.entries[position] = entry;
    ++leaf.count;
  }
  void insertIntoFullLeaf(const Entry& entry, Cursor& cursor) {
    const uint32_t right = newLeaf();  // may move the leaves
    Leaf& left = leaves_[cursor.leaf_];
    Leaf& added = leaves_[right];
    constexpr uint32_t kHalf = kLeafEntries / 2;
    std::copy(left.entries + kHalf, left.entries + kLeafEntries, added.entries);
    added.count = kLeafEntries - kHalf;
    left.count = kHalf;
    const bool isRight = !Order::less(Order::key(entry), Order::key(added.entries[0]));
    Leaf& target = isRight ? added : left;
    insertAt(target, positionIn(target, Order::key(entry)), entry);
    addChild(cursor, height_ - 1, right);
  }
  static void insertChild(Inner& inner, uint32_t slot, uint32_t child) {
    for (uint32_t i = inner.count; i > slot; --i) copySlot(inner, i - 1, inner, i);
    inner.children[slot] = child;
    ++inner.count;
  }
  static void copySlot(const Inner& from, uint32_t fromSlot, Inner& to, uint32_t toSlot) {
    to.keys[toSlot] = from.keys[fromSlot];
    to.children[toSlot] = from.children[fromSlot];
    if constexpr (Order::kHasWeight) to.weights[toSlot] = from.weights[fromSlot];
  }
  /// Hangs a new node behind the cursor's child of this level, splitting upwards as needed.
  void addChild(Cursor& cursor, int level, uint32_t child) {
    if (level < 0) {
      const uint32_t top = newInner();
      inners_[top].count = 2;
      inners_[top].children[0] = root_;
      inners_[top].children[1] = child;
      ++height_;
      root_ = top;
      describeChild(top, 0, 1);
      describeChild(top, 1, 1);
      return;
    }
    const uint32_t node = cursor.nodes_[level];
    const uint32_t slot = cursor.slots_[level];
    if (inners_[node].count < kFanout) {
      insertChild(inners_[node], slot + 1, child);
      describeChild(node, slot + 1, level + 1);
      describeChild(node, slot, level + 1);
      describePath(cursor, level - 1);
      return;
    }
    const uint32_t right = newInner();  // may move the inner nodes
    constexpr uint32_t kHalf = kFanout / 2;
    for (uint32_t i = kHalf; i < kFanout; ++i) copySlot(inners_[node], i, inners_[right], i - kHalf);
    inners_[right].count = kFanout - kHalf;
    inners_[node].count = kHalf;
    const bool isRight = slot >= kHalf;
    const uint32_t target = isRight ? right : node;
    const uint32_t targetSlot = isRight ? slot - kHalf : slot;
    insertChild(inners_[target], targetSlot + 1, child);
    describeChild(target, targetSlot + 1, level + 1);
    describeChild(target, targetSlot, level + 1);
    addChild(cursor, level - 1, right);
  }

  /// Takes the cursor's child of this level out of its parent; the child itself is already freed.
  void removeChild(const Cursor& cursor, int level) {
    const uint32_t node = cursor.nodes_[level];
    Inner& inner = inners_[node];
    for (uint32_t i = cursor.slots_[level] + 1; i < inner.count; ++i) copySlot(inner, i, inner, i - 1);
    --inner.count;
    if (inner.count == 0) {
      freeInners_.push_back(node);
      if (level == 0) {
        height_ = 0;
        root_ = newLeaf();
      } else {
        removeChild(cursor, level - 1);
      }
      return;
    }
    if (level == 0) {
      dropThinRoot();
      return;
    }
    describePath(cursor, level - 1);
    if (inner.count < kFanout / 4) mergeInner(cursor, level);
  }
  void dropThinRoot() {
    while (height_ > 0 && inners_[root_].count == 1) {
      freeInners_.push_back(root_);
      root_ = inners_[root_].children[0];
      --height_;
    }
  }
  /// Moves a nearly empty leaf's neighbour on the right (or itself, when it is the last) to the left.
  void mergeLeaf(Cursor& cursor) {
    const int level = height_ - 1;
    Inner& parent = inners_[cursor.nodes_[level]];
    if (parent.count < 2) return;
    const uint32_t leftSlot = std::min(cursor.slots_[level], parent.count - 2);
    Leaf& left = leaves_[parent.children[leftSlot]];
    Leaf& right = leaves_[parent.children[leftSlot + 1]];
    if (left.count + right.count > kLeafEntries * 3 / 4) return;
    std::copy(right.entries, right.entries + right.count, left.entries + left.count);
    left.count += right.count;
    freeLeaves_.push_back(parent.children[leftSlot + 1]);
    describeChild(cursor.nodes_[level], leftSlot, level + 1);
    cursor.slots_[level] = leftSlot + 1;
    removeChild(cursor, level);
  }
  void mergeInner(Cursor cursor, int level) {
    Inner& parent = inners_[cursor.nodes_[level - 1]];
    if (parent.count < 2) return;
    const uint32_t leftSlot = std::min(cursor.slots_[level - 1], parent.count - 2);
    Inner& left = inners_[parent.children[leftSlot]];
    Inner& right = inners_[parent.children[leftSlot + 1]];
    if (left.count + right.count > kFanout * 3 / 4) return;
    for (uint32_t i = 0; i < right.count; ++i) copySlot(right, i, left, left.count + i);
    left.count += right.count;
    freeInners_.push_back(parent.children[leftSlot + 1]);
    describeChild(cursor.nodes_[level - 1], leftSlot, level);
    cursor.slots_[level - 1] = leftSlot + 1;
    removeChild(cursor, level - 1);
  }
  template <typename Visit>
  void forEachUnder(uint32_t node, int level, Visit& visit) const {
    if (level == height_) {
      for (uint32_t i = 0; i < leaves_[node].count; ++i) visit(leaves_[node].entries[i]);
      return;
    }
    for (uint32_t i = 0; i < inners_[node].count; ++i)
      forEachUnder(inners_[node].children[i], level + 1, visit);
  }

  std::vector<Leaf> leaves_;
  std::vector<Inner> inners_;
  std::vector<uint32_t> freeLeaves_, freeInners_;
  uint32_t root_ = 0;
  int height_ = 0;
  size_t size_ = 0;
};

/// Free blocks by size, then address: the first that is not less than (bytes, 0) is the best fit.
struct BySize {
  struct Key {
    uint64_t bytes;
    uint64_t address;
  };
  struct Entry {
    uint64_t bytes;
    uint64_t address;
    uint32_t block;
  };
  static constexpr bool kHasWeight = false;
  static Key key(const Entry& entry) { return {entry.bytes, entry.address}; }
  static bool less(const Key& a, const Key& b) {
    return (a.bytes < b.bytes) | ((a.bytes == b.bytes) & (a.address < b.address));
  }
};

/// Free blocks by address, each weighing its size: the first that weighs enough is the first fit.
struct ByAddress {
  using Key = uint64_t;
  struct Entry {
    uint64_t address;
    uint64_t bytes;
    uint32_t block;
  };
  static constexpr bool kHasWeight = true;
  static Key key(const Entry& entry) { return entry.address; }
  static bool less(Key a, Key b) { return a < b; }
  static uint64_t weight(const Entry& entry) { return entry.bytes; }
};

using BestFitTree = BlockTree<BySize>;
using FirstFitTree = BlockTree<ByAddress>;

}  // namespace strata
