#pragma once

#include "allocator/block_tree.h"

/// How the trees of block_tree.h stay shallow: full nodes split, nearly empty ones merge with a neighbour.
namespace strata {

template <typename Order>
void BlockForest<Order>::insertIntoFullLeaf(Tree& tree, const Key& key, uint64_t weight, uint32_t block,
                                            Cursor& cursor) {
  const uint32_t right = newLeaf();  // may move the leaves
  Leaf& left = leaves_[cursor.leaf_];
  Leaf& added = leaves_[right];
  constexpr uint32_t kHalf = kLeafEntries / 2;
  for (uint32_t i = kHalf; i < kLeafEntries; ++i) added.copy(i, left, i - kHalf);
  added.count = kLeafEntries - kHalf;
  left.count = kHalf;
  Leaf& target = Order::less(key, added.keys[0]) ? left : added;
  insertAt(target, positionIn(target, key), key, weight, block);
  addChild(tree, cursor, tree.height - 1, right);
}

/// Hangs a new node behind the cursor's child of this level, splitting upwards as needed.
template <typename Order>
void BlockForest<Order>::addChild(Tree& tree, Cursor& cursor, int level, uint32_t child) {
  if (level < 0) {
    const uint32_t top = newInner();
    inners_[top].count = 2;
    inners_[top].children[0] = tree.root;
    inners_[top].children[1] = child;
    ++tree.height;
    tree.root = top;
    describeChild(tree, top, 0, 1);
    describeChild(tree, top, 1, 1);
    return;
  }
  const uint32_t node = cursor.nodes_[level];
  const uint32_t slot = cursor.slots_[level];
  if (inners_[node].count < kFanout) {
    addToInner(tree, node, slot, child, level);
    describePath(tree, cursor, level - 1);
    return;
  }
  const uint32_t right = newInner();  // may move the inner nodes
  constexpr uint32_t kHalf = kFanout / 2;
  for (uint32_t i = kHalf; i < kFanout; ++i) inners_[right].copy(i, inners_[node], i - kHalf);
  inners_[right].count = kFanout - kHalf;
  inners_[node].count = kHalf;
  if (slot < kHalf)
    addToInner(tree, node, slot, child, level);
  else
    addToInner(tree, right, slot - kHalf, child, level);
  addChild(tree, cursor, level - 1, right);
}

template <typename Order>
void BlockForest<Order>::addToInner(const Tree& tree, uint32_t node, uint32_t slot, uint32_t child,
                                    int level) {
  insertChild(inners_[node], slot + 1, child);
  describeChild(tree, node, slot, level + 1);
  describeChild(tree, node, slot + 1, level + 1);
}

/// Takes the cursor's child of this level out of its parent; the child itself is already freed.
template <typename Order>
void BlockForest<Order>::removeChild(Tree& tree, Cursor& cursor, int level) {
  const uint32_t node = cursor.nodes_[level];
  Inner& inner = inners_[node];
  for (uint32_t i = cursor.slots_[level] + 1; i < inner.count; ++i) inner.copy(i, inner, i - 1);
  --inner.count;
  if (level == 0) {
    dropThinRoot(tree);
  } else if (inner.count == 0) {
    freeInners_.push_back(node);
    removeChild(tree, cursor, level - 1);
  } else {
    describePath(tree, cursor, level - 1);
    if (inner.count < kFanout / 4) mergeInner(tree, cursor, level);
  }
}

template <typename Order>
void BlockForest<Order>::dropThinRoot(Tree& tree) {
  while (tree.height > 0 && inners_[tree.root].count <= 1) {
    freeInners_.push_back(tree.root);
    tree.root = inners_[tree.root].count == 0 ? kNoNode : inners_[tree.root].children[0];
    tree.height = tree.root == kNoNode ? 0 : tree.height - 1;
  }
}

/// Moves a nearly empty leaf's neighbour on the right (or itself, when it is the last) to the left.
template <typename Order>
void BlockForest<Order>::mergeLeaf(Tree& tree, Cursor& cursor) {
  const int level = tree.height - 1;
  const uint32_t node = cursor.nodes_[level];
  if (inners_[node].count < 2) return;
  const uint32_t leftSlot = std::min(cursor.slots_[level], inners_[node].count - 2);
  Leaf& left = leaves_[inners_[node].children[leftSlot]];
  const Leaf& right = leaves_[inners_[node].children[leftSlot + 1]];
  if (left.count + right.count > kLeafEntries * 3 / 4) return;
  for (uint32_t i = 0; i < right.count; ++i) left.copy(i, right, left.count + i);
  left.count += right.count;
  freeLeaves_.push_back(inners_[node].children[leftSlot + 1]);
  describeChild(tree, node, leftSlot, level + 1);
  cursor.slots_[level] = leftSlot + 1;
  removeChild(tree, cursor, level);
}

template <typename Order>
void BlockForest<Order>::mergeInner(Tree& tree, Cursor& cursor, int level) {
  const uint32_t node = cursor.nodes_[level - 1];
  if (inners_[node].count < 2) return;
  const uint32_t leftSlot = std::min(cursor.slots_[level - 1], inners_[node].count - 2);
  Inner& left = inners_[inners_[node].children[leftSlot]];
  const Inner& right = inners_[inners_[node].children[leftSlot + 1]];
  if (left.count + right.count > kFanout * 3 / 4) return;
  for (uint32_t i = 0; i < right.count; ++i) left.copy(i, right, left.count + i);
  left.count += right.count;
  freeInners_.push_back(inners_[node].children[leftSlot + 1]);
  describeChild(tree, node, leftSlot, level);
  cursor.slots_[level - 1] = leftSlot + 1;
  removeChild(tree, cursor, level - 1);
}

}  // namespace strata
