#pragma once

#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture/value.h"
#include "trace/trace.h"

namespace strata {

/// The data is not what its format allows; the reader adds the position and what can still be shown.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A list, dict or tuple that is not (yet) a row of a table. A list of events keeps no items, only the sink
/// its events went to and how many of its rows were appended. A node that became a row while other values
/// still refer to it keeps that row.
struct Node {
  std::vector<Value> items;  ///< of a dict: keys and values in turn
  Value row;                 ///< what it became; unset when it did not
  uint32_t memo = kNone;     ///< where the memo refers to it
  uint32_t sink = kNone;     ///< of a list of events
  uint32_t eventCount = 0;
  uint32_t wideCount = 0;  ///< how many 64-bit values there were when it was opened
  bool isFree = false;
  bool isShared = false;  ///< more than one value refers to it, so that it must stay
  bool isMixed = false;   ///< events of other lists were put in, so that new ones are copied
  bool isPlain = false;   ///< a dict that was looked at as it is now and is no entry
  bool isTaken = false;   ///< already part of the result; a second use would multiply it
};

/// What operands refer to: nodes, 64-bit numbers, pairs, and the memo of a pickle. Everything is reused as
/// soon as it became a row, so that a file of millions of events needs a few dozen nodes.
class Heap {
 public:
  // Nodes
  uint32_t open();
  Node& node(uint32_t row) { return nodes_[row]; }
  const Node& node(uint32_t row) const { return nodes_[row]; }
  const Node& node(Value value) const { return nodes_[value.row()]; }
  Node& node(Value value) { return nodes_[value.row()]; }
  void store(Node& node, std::span<const Value> items);
  /// The value of a node becomes `replacement`, in the memo too; the node is free again unless shared.
  void replace(uint32_t row, Value replacement);
  /// Nothing will ask for this value again, unless the memo refers to it.
  void discard(Value value);

  // Numbers
  Value integer(int64_t number);
  Value unsignedInteger(uint64_t number);
  Value real(double number);
  /// Signed and unsigned 64-bit numbers alike, in two's complement. False when it is no number.
  bool asBits(Value value, uint64_t& number) const;
  bool asReal(Value value, double& number) const;
  uint64_t wide(Value value) const { return wides_[value.row()]; }
  /// Drops the 64-bit numbers made since, unless something that stays refers to one.
  void dropWides(uint32_t count);
  uint32_t wideCount() const { return static_cast<uint32_t>(wides_.size()); }

  // Pairs
  uint32_t pair(int64_t first, int64_t second);
  const std::pair<int64_t, int64_t>& pairAt(uint32_t row) const { return pairs_[row]; }
  /// A pair, or a list or tuple of two integers, as a pair row; kNone when it is something else.
  uint32_t asPair(Value value);

  // Memo
  void memoize(Value value) { put(memoCount_, value); }
  void put(uint64_t index, Value value);
  Value get(uint64_t index) const {
    const uint64_t page = index >> kPageBits;
    const Value value = page < memo_.size() && memo_[page] ? memo_[page][index & kPageMask] : Value{};
    if (value.is(Kind::Unset)) refuseUnset(index);
    return value;
  }

  size_t bytes() const;

 private:
  static constexpr uint32_t kPageBits = 12;
  static constexpr uint64_t kPageMask = (uint64_t{1} << kPageBits) - 1;

  [[noreturn]] static void refuseUnset(uint64_t index);
  Value wideValue(Kind kind, uint64_t bits);
  /// Keeps the 64-bit numbers made so far: something that stays refers to one of them.
  void pinWides() { wideFloor_ = wideCount(); }

  std::vector<Node> nodes_;
  std::vector<uint32_t> freeNodes_;
  size_t itemBytes_ = 0;
  std::vector<uint64_t> wides_;
  uint32_t wideFloor_ = 0;
  std::vector<std::pair<int64_t, int64_t>> pairs_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> pairRows_;
  uint32_t lastPair_ = kNone;
  std::vector<std::unique_ptr<Value[]>> memo_;
  uint64_t memoCount_ = 0;
  size_t memoPages_ = 0;
};

}  // namespace strata
