#include "capture/machine.h"

#include "capture/capture.h"
#include "capture/text.h"

namespace strata {

void Machine::pushText(std::string_view text) {
  constexpr size_t kLongestWord = 40;
  if (text.size() <= kLongestWord) {
    const Word word = findWord(text);
    if (word != Word::Count) return push(Value::of(Kind::Keyword, static_cast<uint64_t>(word)));
  }
  const uint32_t row = isPlain(text) ? entries.textRow(text) : entries.textRow(repairUtf8(text));
  push(Value::of(Kind::String, row));
}

void Machine::mark() {
  if (marks_.size() == kMaxMarks) {
    throw CaptureError("capture-too-deep", "This file nests its lists and dicts more than 64 deep.",
                       "A snapshot nests nine deep: this is no snapshot, or it is damaged.",
                       static_cast<int64_t>(entries.byte));
  }
  marks_.push_back(static_cast<uint32_t>(stack_.size()));
}

size_t Machine::takeMark() {
  if (marks_.empty()) throw Malformed("closes a group of values that was never opened");
  const size_t first = marks_.back();
  marks_.pop_back();
  return first;
}

/// A dict that was filled pair by pair becomes its row when it is put somewhere, for only then is it whole.
Value Machine::consume(Value value, uint32_t list) {
  if (!value.is(Kind::Dict)) return value;
  Node& node = heap.node(value);
  if (!node.row.is(Kind::Unset)) return node.row;
  if (node.items.empty() || node.isPlain) return value;
  const Value row = entries.close(node.items, list);
  node.isPlain = row.is(Kind::Unset);
  if (node.isPlain) return value;
  heap.replace(value.row(), row);
  return row;
}

Value& Machine::containerAt(size_t index, Kind kind) {
  if (index >= stack_.size() || !stack_[index].is(kind)) {
    throw Malformed(kind == Kind::List ? "adds items to a value that is no list"
                                       : "sets keys of a value that is no dict");
  }
  return stack_[index];
}

void Machine::appendAll(size_t container, size_t first) {
  const uint32_t list = containerAt(container, Kind::List).row();
  if (areAll(Kind::Frame, {stack_.data() + first, stack_.size() - first}) && heap.node(list).sink == kNone) {
    heap.store(heap.node(list), {stack_.data() + first, stack_.size() - first});
    return stack_.resize(first);
  }
  bool hasEvent = false;
  for (size_t i = first; i < stack_.size(); ++i) {
    if (stack_[i].bits == stack_[container].bits) refuseSelfReference();
    if (stack_[i].is(Kind::Dict)) stack_[i] = consume(stack_[i], list);
    hasEvent |= stack_[i].is(Kind::Event);
  }
  const std::span<const Value> items(stack_.data() + first, stack_.size() - first);
  Node& node = heap.node(list);
  if (node.sink != kNone || (hasEvent && node.items.empty())) {
    entries.appendEvents(list, items);
  } else {
    heap.store(node, items);
  }
  stack_.resize(first);
}

void Machine::append() {
  if (stack_.size() < floor() + 2) refuseEmptyStack();
  appendAll(stack_.size() - 2, stack_.size() - 1);
}

void Machine::appends() {
  const size_t first = takeMark();
  if (first <= floor()) refuseEmptyStack();
  appendAll(first - 1, first);
}

/// The list that a dict at this place of the stack will be put in: right below it, or below its mark.
uint32_t Machine::listAround(size_t index) const {
  if (index > floor() && stack_[index - 1].is(Kind::List)) return stack_[index - 1].row();
  if (marks_.empty() || marks_.back() == 0) return kNone;
  const Value below = stack_[marks_.back() - 1];
  return below.is(Kind::List) ? below.row() : kNone;
}

void Machine::setAll(size_t container, size_t first) {
  const uint32_t dict = containerAt(container, Kind::Dict).row();
  const std::span<Value> pairs(stack_.data() + first, stack_.size() - first);
  if (pairs.size() % 2 != 0) throw Malformed("sets a key without a value");
  for (size_t i = 1; i < pairs.size(); i += 2) {
    if (pairs[i].bits == stack_[container].bits) refuseSelfReference();
    if (pairs[i].is(Kind::Dict)) pairs[i] = consume(pairs[i], kNone);
  }
  Node& node = heap.node(dict);
  const bool isWhole = node.items.empty() && pairs.size() > 2;
  const Value row = isWhole ? entries.close(pairs, listAround(container)) : Value{};
  if (row.is(Kind::Unset)) {
    heap.store(heap.node(dict), pairs);
  } else {
    heap.dropWides(heap.node(dict).wideCount);
    heap.replace(dict, row);
    stack_[container] = row;
  }
  stack_.resize(first);
}

void Machine::setItem() {
  if (stack_.size() < floor() + 3) refuseEmptyStack();
  setAll(stack_.size() - 3, stack_.size() - 2);
}

void Machine::setItems() {
  const size_t first = takeMark();
  if (first <= floor()) refuseEmptyStack();
  setAll(first - 1, first);
}

void Machine::makeTuple(size_t count) {
  if (stack_.size() < floor() + count) refuseEmptyStack();
  const size_t first = stack_.size() - count;
  uint64_t numbers[2];
  if (count == 2 && heap.asBits(stack_[first], numbers[0]) && heap.asBits(stack_[first + 1], numbers[1])) {
    stack_.resize(first);
    push(
        Value::of(Kind::Pair, heap.pair(static_cast<int64_t>(numbers[0]), static_cast<int64_t>(numbers[1]))));
    return;
  }
  for (size_t i = first; i < stack_.size(); ++i) stack_[i] = consume(stack_[i], kNone);
  const uint32_t row = heap.open();
  heap.store(heap.node(row), {stack_.data() + first, count});
  stack_.resize(first);
  push(Value::of(Kind::Tuple, row));
}

void Machine::makeTupleFromMark() {
  const size_t first = takeMark();
  makeTuple(stack_.size() - first);
}

void Machine::makeListFromMark() {
  const size_t first = takeMark();
  stack_.insert(stack_.begin() + static_cast<ptrdiff_t>(first), Value::of(Kind::List, heap.open()));
  if (stack_.size() > first + 1) appendAll(first, first + 1);
}

void Machine::makeDictFromMark() {
  const size_t first = takeMark();
  stack_.insert(stack_.begin() + static_cast<ptrdiff_t>(first), Value::of(Kind::Dict, heap.open()));
  if (stack_.size() > first + 1) setAll(first, first + 1);
}

void Machine::pop() {
  if (stack_.size() > floor()) {
    stack_.pop_back();
  } else if (!marks_.empty()) {
    marks_.pop_back();
  } else {
    refuseEmptyStack();
  }
}

void Machine::popMark() { stack_.resize(takeMark()); }

void Machine::duplicate() {
  const Value value = top();
  if (value.isNode()) share(value);
  push(value);
}

/// A second reference to a node. One to a node that is being filled right now would make it contain itself.
void Machine::share(Value value) {
  for (const uint32_t mark : marks_) {
    if (mark > 0 && stack_[mark - 1].bits == value.bits) refuseSelfReference();
  }
  heap.node(value).isShared = true;
}

void Machine::refuseSelfReference() const {
  throw CaptureError("capture-self-reference", "A list or dict of this file contains itself.",
                     "No snapshot does that: the file is damaged, or made to cause harm.",
                     static_cast<int64_t>(entries.byte));
}

void Machine::refuseEmptyStack() { throw Malformed("needs more values than were given"); }

}  // namespace strata
