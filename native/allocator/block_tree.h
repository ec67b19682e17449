#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace strata {

/// Ordered sets of free blocks: B+ trees over one arena, small sets being one or two arrays.
///
///   inner:  | key child weight | key child weight | ...      key = the smallest key under the child, exactly
///   leaf:   | keys | weights | blocks |                      weight = the largest weight under the child
///
/// All operations are O(log n) in cache lines, not in pointers: an allocator's fifty free blocks live in two
/// leaves, a million in four levels. A leaf or inner node that runs nearly empty is merged with a neighbour.
///
/// Order says what is kept and how it is sorted:
///   Key, static bool less(const Key&, const Key&), and static constexpr bool kHasWeight: whether entries
///   have a weight (otherwise it is 0) and the first of some weight can be found.
template <typename Order>
class BlockForest {
 public:
  using Key = typename Order::Key;

  /// One set. All sets of a forest share its arena.
  struct Tree {
    uint32_t root = kNoNode;
    int32_t height = 0;
    size_t size = 0;
  };

  /// Where an entry is. Any change of the tree but the one made through it invalidates it.
  class Cursor {
    friend class BlockForest;
    static constexpr int kMaximumHeight = 12;
    std::array<uint32_t, kMaximumHeight> nodes_;
    std::array<uint32_t, kMaximumHeight> slots_;
    uint32_t leaf_;
    uint32_t position_;
  };

  const Key& keyAt(const Cursor& cursor) const { return leaves_[cursor.leaf_].keys[cursor.position_]; }
  uint64_t weightAt(const Cursor& cursor) const { return leaves_[cursor.leaf_].weightAt(cursor.position_); }
  uint32_t blockAt(const Cursor& cursor) const { return leaves_[cursor.leaf_].blocks[cursor.position_]; }
  /// The first key of a tree that is not empty.
  const Key& firstKey(const Tree& tree) const {
    uint32_t node = tree.root;
    for (int level = 0; level < tree.height; ++level) node = inners_[node].children[0];
    return leaves_[node].keys[0];
  }
  /// The last key of a tree that is not empty.
  const Key& lastKey(const Tree& tree) const {
    uint32_t node = tree.root;
    for (int level = 0; level < tree.height; ++level) node = inners_[node].children[inners_[node].count - 1];
    return leaves_[node].keys[leaves_[node].count - 1];
  }

  /// The first entry whose key is not less; false when there is none.
  bool lowerBound(const Tree& tree, const Key& key, Cursor& cursor) const {
    if (tree.size == 0) return false;
    descend(tree, key, cursor);
    cursor.position_ = positionIn(leaves_[cursor.leaf_], key);
    return cursor.position_ < leaves_[cursor.leaf_].count || nextLeaf(tree, cursor);
  }
  /// The entry with exactly this key; false when there is none.
  bool find(const Tree& tree, const Key& key, Cursor& cursor) const {
    return lowerBound(tree, key, cursor) && !Order::less(key, keyAt(cursor));
  }
  /// The last entry whose key is not greater; false when there is none.
  bool floor(const Tree& tree, const Key& key, Cursor& cursor) const {
    if (tree.size == 0) return false;
    descend(tree, key, cursor);
    const Leaf& leaf = leaves_[cursor.leaf_];
    uint32_t position = positionIn(leaf, key);
    if (position < leaf.count && !Order::less(key, leaf.keys[position])) ++position;
    if (position == 0) return false;  // keys of inner nodes are exact: nothing smaller lies to the left
    cursor.position_ = position - 1;
    return true;
  }
  /// The next entry in order; false at the end.
  bool advance(const Tree& tree, Cursor& cursor) const {
    return ++cursor.position_ < leaves_[cursor.leaf_].count || nextLeaf(tree, cursor);
  }
  /// The first entry in order that weighs at least this much; false when there is none.
  bool firstWeighing(const Tree& tree, uint64_t weight, Cursor& cursor) const
    requires Order::kHasWeight
  {
    if (tree.size == 0) return false;
    uint32_t node = tree.root;
    for (int level = 0; level < tree.height; ++level) {
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
    while (position < leaf.count && leaf.weights[position] < weight) ++position;
    cursor.leaf_ = node;
    cursor.position_ = position;
    return position < leaf.count;
  }
  /// The largest weight, 0 when empty.
  uint64_t largestWeight(const Tree& tree) const
    requires Order::kHasWeight
  {
    return tree.size == 0 ? 0 : weightOf(tree, tree.root, 0);
  }

  /// Adds an entry whose key is not there yet.
  void insert(Tree& tree, const Key& key, uint64_t weight, uint32_t block) {
    if (tree.root == kNoNode) tree.root = newLeaf();
    Cursor cursor;
    descend(tree, key, cursor);
    ++tree.size;
    Leaf& leaf = leaves_[cursor.leaf_];
    if (leaf.count == kLeafEntries) {
      insertIntoFullLeaf(tree, key, weight, block, cursor);
      return;
    }
    cursor.position_ = positionIn(leaf, key);
    insertAt(leaf, cursor.position_, key, weight, block);
    afterChange(tree, cursor, 0);
  }

  void eraseAt(Tree& tree, Cursor& cursor) {
    Leaf& leaf = leaves_[cursor.leaf_];
    --tree.size;
    const uint64_t weight = leaf.weightAt(cursor.position_);
    closeGap(leaf, cursor.position_, 1);
    if (leaf.count == 0) {
      freeLeaves_.push_back(cursor.leaf_);
      if (tree.height == 0)
        tree.root = kNoNode;
      else
        removeChild(tree, cursor, tree.height - 1);
      return;
    }
    if (tree.height == 0) return;
    afterErase(tree, cursor, weight);
    if (leaf.count < kLeafEntries / 4) mergeLeaf(tree, cursor);
  }
  void erase(Tree& tree, const Key& key) {
    Cursor cursor;
    if (find(tree, key, cursor)) eraseAt(tree, cursor);
  }
  /// Puts another entry in this one's place; its key must lie between the neighbours' keys.
  void replaceAt(const Tree& tree, const Cursor& cursor, const Key& key, uint64_t weight, uint32_t block) {
    Leaf& leaf = leaves_[cursor.leaf_];
    const uint64_t oldWeight = leaf.weightAt(cursor.position_);
    leaf.set(cursor.position_, key, weight, block);
    afterChange(tree, cursor, oldWeight);
  }
  /// Erases the entries that follow the cursor's one, `count` of them if they are in its leaf; answers how
  /// many it erased. The cursor stays good.
  uint32_t eraseFollowing(Tree& tree, const Cursor& cursor, uint32_t count) {
    Leaf& leaf = leaves_[cursor.leaf_];
    count = std::min(count, leaf.count - cursor.position_ - 1);
    if (count == 0) return 0;
    uint64_t weight = 0;
    for (uint32_t i = 1; i <= count; ++i) weight = std::max(weight, leaf.weightAt(cursor.position_ + i));
    closeGap(leaf, cursor.position_ + 1, count);
    tree.size -= count;
    if (tree.height > 0) afterErase(tree, cursor, weight);
    return count;
  }
  /// Calls visit(key, weight, block) for every entry in order.
  template <typename Visit>
  void forEach(const Tree& tree, Visit&& visit) const {
    if (tree.size > 0) forEachUnder(tree, tree.root, 0, visit);
  }
  /// Empties the forest; every tree of it must be made anew.
  void clear() {
    leaves_.clear();
    inners_.clear();
    freeLeaves_.clear();
    freeInners_.clear();
  }

 private:
  static constexpr uint32_t kNoNode = UINT32_MAX;
  static constexpr uint32_t kLeafEntries = 32;
  static constexpr uint32_t kFanout = 32;
  struct Leaf {
    uint32_t count = 0;
    Key keys[kLeafEntries];
    uint64_t weights[Order::kHasWeight ? kLeafEntries : 1];
    uint32_t blocks[kLeafEntries];

    uint64_t weightAt(uint32_t position) const { return Order::kHasWeight ? weights[position] : 0; }
    void set(uint32_t position, const Key& key, uint64_t weight, uint32_t block) {
      keys[position] = key;
      blocks[position] = block;
      if constexpr (Order::kHasWeight) weights[position] = weight;
    }
    void copy(uint32_t from, const Leaf& other, uint32_t at) {
      keys[at] = other.keys[from];
      blocks[at] = other.blocks[from];
      if constexpr (Order::kHasWeight) weights[at] = other.weights[from];
    }
  };
  struct Inner {
    uint32_t count = 0;
    Key keys[kFanout];
    uint32_t children[kFanout];
    uint64_t weights[Order::kHasWeight ? kFanout : 1];

    void copy(uint32_t from, const Inner& other, uint32_t at) {
      keys[at] = other.keys[from];
      children[at] = other.children[from];
      if constexpr (Order::kHasWeight) weights[at] = other.weights[from];
    }
  };

  template <typename Node>
  static uint32_t newNode(std::vector<Node>& nodes, std::vector<uint32_t>& unused) {
    if (unused.empty()) {
      nodes.emplace_back();
      return static_cast<uint32_t>(nodes.size() - 1);
    }
    const uint32_t index = unused.back();
    unused.pop_back();
    nodes[index].count = 0;
    return index;
  }
  uint32_t newLeaf() { return newNode(leaves_, freeLeaves_); }
  uint32_t newInner() { return newNode(inners_, freeInners_); }

  /// How many of `count` positions come before the key; `isBefore` is true first, then false. Without
  /// branches where the key is one number: which half to go to is a coin toss that the processor loses.
  template <typename IsBefore>
  static uint32_t countBefore(uint32_t count, IsBefore&& isBefore) {
    uint32_t low = 0;
    if constexpr (std::is_integral_v<Key>) {
      while (count > 1) {
        const uint32_t half = count / 2;
        low += half & (0u - static_cast<uint32_t>(isBefore(low + half - 1)));
        count -= half;
      }
      return low + static_cast<uint32_t>(count == 1 && isBefore(low));
    }
    while (count > 0) {
      const uint32_t half = count / 2;
      const bool isRight = isBefore(low + half);
      low = isRight ? low + half + 1 : low;
      count = isRight ? count - half - 1 : half;
    }
    return low;
  }
  /// The position of the first entry that is not less than the key.
  static uint32_t positionIn(const Leaf& leaf, const Key& key) {
    return countBefore(leaf.count, [&](uint32_t i) { return Order::less(leaf.keys[i], key); });
  }
  /// The last child whose smallest key is not greater than the key, or the first child.
  static uint32_t slotIn(const Inner& inner, const Key& key) {
    return countBefore(inner.count - 1, [&](uint32_t i) { return !Order::less(key, inner.keys[i + 1]); });
  }
  void descend(const Tree& tree, const Key& key, Cursor& cursor) const {
    uint32_t node = tree.root;
    for (int level = 0; level < tree.height; ++level) {
      const uint32_t slot = slotIn(inners_[node], key);
      cursor.nodes_[level] = node;
      cursor.slots_[level] = slot;
      node = inners_[node].children[slot];
    }
    cursor.leaf_ = node;
  }
  bool nextLeaf(const Tree& tree, Cursor& cursor) const {
    int level = tree.height - 1;
    while (level >= 0 && cursor.slots_[level] + 1 >= inners_[cursor.nodes_[level]].count) --level;
    if (level < 0) return false;
    uint32_t node = inners_[cursor.nodes_[level]].children[++cursor.slots_[level]];
    for (++level; level < tree.height; ++level) {
      cursor.nodes_[level] = node;
      cursor.slots_[level] = 0;
      node = inners_[node].children[0];
    }
    cursor.leaf_ = node;
    cursor.position_ = 0;
    return true;
  }

  /// Key and weight of a node; level counts from the root, the tree's height being the leaves.
  const Key& keyOf(const Tree& tree, uint32_t node, int level) const {
    return level == tree.height ? leaves_[node].keys[0] : inners_[node].keys[0];
  }
  uint64_t weightOf(const Tree& tree, uint32_t node, int level) const {
    uint64_t weight = 0;
    if constexpr (Order::kHasWeight) {
      const uint64_t* weights = level == tree.height ? leaves_[node].weights : inners_[node].weights;
      const uint32_t count = level == tree.height ? leaves_[node].count : inners_[node].count;
      for (uint32_t i = 0; i < count; ++i) weight = std::max(weight, weights[i]);
    }
    return weight;
  }
  void describeChild(const Tree& tree, uint32_t parent, uint32_t slot, int childLevel) {
    Inner& inner = inners_[parent];
    inner.keys[slot] = keyOf(tree, inner.children[slot], childLevel);
    if constexpr (Order::kHasWeight) inner.weights[slot] = weightOf(tree, inner.children[slot], childLevel);
  }

  /// Makes keys and weights above the cursor's leaf exact again, after the entry there was added or changed.
  void afterChange(const Tree& tree, const Cursor& cursor, uint64_t oldWeight) {
    if (tree.height == 0) return;
    const Leaf& leaf = leaves_[cursor.leaf_];
    if (cursor.position_ == 0) describeKeys(tree, cursor);
    if constexpr (Order::kHasWeight) {
      const uint64_t weight = leaf.weights[cursor.position_];
      for (int level = tree.height - 1; level >= 0; --level) {
        uint64_t& largest = inners_[cursor.nodes_[level]].weights[cursor.slots_[level]];
        if (weight < largest) {
          if (oldWeight == largest) describeWeights(tree, cursor, level);
          return;
        }
        largest = weight;
      }
    }
  }
  void afterErase(const Tree& tree, const Cursor& cursor, uint64_t oldWeight) {
    if (cursor.position_ == 0) describeKeys(tree, cursor);
    if constexpr (Order::kHasWeight) {
      const int level = tree.height - 1;
      if (oldWeight == inners_[cursor.nodes_[level]].weights[cursor.slots_[level]])
        describeWeights(tree, cursor, level);
    }
  }
  void describeKeys(const Tree& tree, const Cursor& cursor) {
    const Key& key = leaves_[cursor.leaf_].keys[0];
    for (int level = tree.height - 1; level >= 0; --level) {
      inners_[cursor.nodes_[level]].keys[cursor.slots_[level]] = key;
      if (cursor.slots_[level] > 0) return;
    }
  }
  void describeWeights(const Tree& tree, const Cursor& cursor, int level) {
    for (; level >= 0; --level) {
      Inner& inner = inners_[cursor.nodes_[level]];
      const uint32_t slot = cursor.slots_[level];
      const uint64_t weight = weightOf(tree, inner.children[slot], level + 1);
      if (weight == inner.weights[slot]) return;
      inner.weights[slot] = weight;
    }
  }
  /// The same from an inner level up, after its children changed.
  void describePath(const Tree& tree, const Cursor& cursor, int level) {
    for (; level >= 0; --level) describeChild(tree, cursor.nodes_[level], cursor.slots_[level], level + 1);
  }

  static void insertAt(Leaf& leaf, uint32_t position, const Key& key, uint64_t weight, uint32_t block) {
    std::copy_backward(leaf.keys + position, leaf.keys + leaf.count, leaf.keys + leaf.count + 1);
    std::copy_backward(leaf.blocks + position, leaf.blocks + leaf.count, leaf.blocks + leaf.count + 1);
    if constexpr (Order::kHasWeight)
      std::copy_backward(leaf.weights + position, leaf.weights + leaf.count, leaf.weights + leaf.count + 1);
    leaf.set(position, key, weight, block);
    ++leaf.count;
  }
  static void closeGap(Leaf& leaf, uint32_t position, uint32_t width) {
    const uint32_t from = position + width;
    std::copy(leaf.keys + from, leaf.keys + leaf.count, leaf.keys + position);
    std::copy(leaf.blocks + from, leaf.blocks + leaf.count, leaf.blocks + position);
    if constexpr (Order::kHasWeight)
      std::copy(leaf.weights + from, leaf.weights + leaf.count, leaf.weights + position);
    leaf.count -= width;
  }
  void insertIntoFullLeaf(Tree& tree, const Key& key, uint64_t weight, uint32_t block, Cursor& cursor);
  static void insertChild(Inner& inner, uint32_t slot, uint32_t child) {
    for (uint32_t i = inner.count; i > slot; --i) inner.copy(i - 1, inner, i);
    inner.children[slot] = child;
    ++inner.count;
  }
  void addChild(Tree& tree, Cursor& cursor, int level, uint32_t child);
  void addToInner(const Tree& tree, uint32_t node, uint32_t slot, uint32_t child, int level);

  void removeChild(Tree& tree, Cursor& cursor, int level);
  void dropThinRoot(Tree& tree);
  void mergeLeaf(Tree& tree, Cursor& cursor);
  void mergeInner(Tree& tree, Cursor& cursor, int level);
  template <typename Visit>
  void forEachUnder(const Tree& tree, uint32_t node, int level, Visit& visit) const {
    if (level == tree.height) {
      const Leaf& leaf = leaves_[node];
      for (uint32_t i = 0; i < leaf.count; ++i) visit(leaf.keys[i], leaf.weightAt(i), leaf.blocks[i]);
      return;
    }
    const Inner& inner = inners_[node];
    for (uint32_t i = 0; i < inner.count; ++i) forEachUnder(tree, inner.children[i], level + 1, visit);
  }

  std::vector<Leaf> leaves_;
  std::vector<Inner> inners_;
  std::vector<uint32_t> freeLeaves_, freeInners_;
};

}  // namespace strata

#include "allocator/block_tree_balance.h"
