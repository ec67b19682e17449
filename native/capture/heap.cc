#include "capture/heap.h"

#include <algorithm>
#include <bit>

#include "capture/text.h"

namespace strata {

uint32_t Heap::open() {
  uint32_t row;
  if (freeNodes_.empty()) {
    row = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    row = freeNodes_.back();
    freeNodes_.pop_back();
  }
  nodes_[row].isFree = false;
  nodes_[row].wideCount = wideCount();
  return row;
}

void Heap::store(Node& node, std::span<const Value> items) {
  const size_t before = node.items.capacity();
  node.items.insert(node.items.end(), items.begin(), items.end());
  node.isPlain = false;
  itemBytes_ += (node.items.capacity() - before) * sizeof(Value);
  if (!wides_.empty()) pinWides();
}

void Heap::replace(uint32_t row, Value replacement) {
  Node& node = nodes_[row];
  if (node.memo != kNone) memo_[node.memo >> kPageBits][node.memo & kPageMask] = replacement;
  node.row = replacement;
  if (node.isShared || node.isFree) return;
  node.isFree = true;
  node.row = {};
  node.items.clear();
  node.memo = node.sink = kNone;
  node.eventCount = 0;
  node.isMixed = node.isPlain = node.isTaken = false;
  freeNodes_.push_back(row);
}

void Heap::discard(Value value) {
  if (!value.isNode()) return;
  const Node& node = nodes_[value.row()];
  if (node.isFree || node.memo != kNone || node.isShared || node.sink != kNone) return;
  replace(value.row(), {});
}

Value Heap::wideValue(Kind kind, uint64_t bits) {
  wides_.push_back(bits);
  return Value::of(kind, wides_.size() - 1);
}

Value Heap::integer(int64_t number) {
  const Value value = Value::of(Kind::Integer, static_cast<uint64_t>(number));
  if (value.integer() == number) return value;
  return wideValue(number < 0 ? Kind::WideNegative : Kind::Wide, static_cast<uint64_t>(number));
}

Value Heap::unsignedInteger(uint64_t number) {
  constexpr uint64_t kLargestInline = Value::kPayloadMask >> 1;
  return number <= kLargestInline ? Value::of(Kind::Integer, number) : wideValue(Kind::Wide, number);
}

Value Heap::real(double number) { return wideValue(Kind::Real, std::bit_cast<uint64_t>(number)); }

bool Heap::asBits(Value value, uint64_t& number) const {
  switch (value.kind()) {
    case Kind::Boolean:
    case Kind::Integer:
      number = static_cast<uint64_t>(value.integer());
      return true;
    case Kind::Wide:
    case Kind::WideNegative:
      number = wides_[value.row()];
      return true;
    default:
      return false;
  }
}

bool Heap::asReal(Value value, double& number) const {
  if (!value.is(Kind::Real)) return false;
  number = std::bit_cast<double>(wides_[value.row()]);
  return true;
}

void Heap::dropWides(uint32_t count) {
  const uint32_t keep = std::max(count, wideFloor_);
  if (keep < wides_.size()) wides_.resize(keep);
}

uint32_t Heap::pair(int64_t first, int64_t second) {
  const std::pair<int64_t, int64_t> wanted{first, second};
  if (lastPair_ != kNone && pairs_[lastPair_] == wanted) return lastPair_;
  const auto [place, isNew] = pairRows_.try_emplace(wanted, static_cast<uint32_t>(pairs_.size()));
  if (isNew) pairs_.push_back(wanted);
  return lastPair_ = place->second;
}

uint32_t Heap::asPair(Value value) {
  if (value.is(Kind::Pair)) return value.row();
  if (!value.is(Kind::List) && !value.is(Kind::Tuple)) return kNone;
  const Node& node = nodes_[value.row()];
  uint64_t first, second;
  if (node.items.size() != 2 || !asBits(node.items[0], first) || !asBits(node.items[1], second)) return kNone;
  return pair(static_cast<int64_t>(first), static_cast<int64_t>(second));
}

void Heap::put(uint64_t index, Value value) {
  const uint64_t page = index >> kPageBits;
  if (page >= memo_.size()) memo_.resize(page + 1);
  if (!memo_[page]) {
    memo_[page] = std::make_unique<Value[]>(kPageMask + 1);
    ++memoPages_;
  }
  Value& entry = memo_[page][index & kPageMask];
  if (entry.is(Kind::Unset)) ++memoCount_;
  entry = value;
  if (value.isNode()) {
    Node& node = nodes_[value.row()];
    if (node.memo != kNone) node.isShared = true;
    node.memo = static_cast<uint32_t>(index);
  } else if (value.is(Kind::Wide) || value.is(Kind::WideNegative) || value.is(Kind::Real)) {
    pinWides();
  }
}

void Heap::refuseUnset(uint64_t index) {
  throw Malformed("refers to entry " + grouped(index) + " of its memo, which was never stored");
}

size_t Heap::bytes() const {
  constexpr size_t kPairBytes = 96;  // the pair, its map node and its list of rows
  return nodes_.capacity() * sizeof(Node) + freeNodes_.capacity() * 4 + itemBytes_ + wides_.capacity() * 8 +
         pairs_.size() * kPairBytes + memo_.capacity() * 8 + memoPages_ * (kPageMask + 1) * sizeof(Value);
}

}  // namespace strata
