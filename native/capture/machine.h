#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "capture/entries.h"
#include "capture/heap.h"

namespace strata {

/// The stack machine that a snapshot is built with. A pickle is its program as it stands; the reader of JSON
/// gives it the same operations.
///
///   stack:  snapshot ( "device_traces" list ( event event dict ( "action" "alloc" "addr" 139...
///                    ^ mark                 ^ mark             ^ mark
///
/// When a dict's pairs are set and its keys say what it is, it becomes a row at once and only the row's
/// number stays on the stack; a list of frames becomes a row when it is put in its event. Nothing is ever
/// walked recursively, and a value refers to another by number only, so neither self-references nor shared
/// lists can make the machine follow them.
class Machine {
 public:
  Machine(Trace& trace, uint64_t fileBytes) : entries(heap, trace, fileBytes), trace_(trace) {}

  void push(Value value) { stack_.push_back(value); }
  void pushInteger(int64_t number) { push(heap.integer(number)); }
  void pushUnsigned(uint64_t number) { push(heap.unsignedInteger(number)); }
  void pushReal(double number) { push(heap.real(number)); }
  void pushText(std::string_view text);
  void pushNothing() { push(Value::of(Kind::Nothing, 0)); }
  void pushBoolean(bool value) { push(Value::of(Kind::Boolean, value)); }
  void pushOpaque() { push(Value::of(Kind::Opaque, 0)); }

  void openList() { push(Value::of(Kind::List, heap.open())); }
  void openDict() { push(Value::of(Kind::Dict, heap.open())); }
  void mark();
  void append();                 ///< list item -> list
  void appends();                ///< list ( item... -> list
  void setItem();                ///< dict key value -> dict
  void setItems();               ///< dict ( key value... -> dict
  void makeTuple(size_t count);  ///< item... -> tuple
  void makeTupleFromMark();      ///< ( item... -> tuple
  void makeListFromMark();       ///< ( item... -> list
  void makeDictFromMark();       ///< ( key value... -> dict

  void pop();
  void popMark();
  void duplicate();

  void memoize() { heap.memoize(top()); }
  void put(uint64_t index) { heap.put(index, top()); }
  void get(uint64_t index) {
    const Value value = heap.get(index);
    if (value.isNode()) share(value);
    push(value);
  }

  Value top() const {
    if (stack_.size() <= floor()) refuseEmptyStack();
    return stack_.back();
  }
  std::span<const Value> stack() const { return stack_; }
  std::span<const uint32_t> marks() const { return marks_; }
  size_t bytes() const { return stack_.capacity() * sizeof(Value) + heap.bytes() + entries.bytes(); }

  /// Closes everything that is open, dropping entries that are incomplete, so that what was complete can be
  /// used: for a file that ends too early. The stack holds the outermost value afterwards, if there is one.
  void closeAll();

  Heap heap;
  Entries entries;

 private:
  static constexpr size_t kMaxMarks = 64;  // a snapshot nests nine deep

  [[noreturn]] static void refuseEmptyStack();
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  size_t takeMark();
  void share(Value value);
  Value consume(Value value, uint32_t list);
  Value& containerAt(size_t index, Kind kind);
  void appendAll(size_t container, size_t first);
  void setAll(size_t container, size_t first);
  uint32_t listAround(size_t index) const;
  void closeRegion(size_t first, bool isMarked);
  void closePairs(size_t first);
  void foldInto(size_t first);
  void cutOff(Value list);
  [[noreturn]] void refuseSelfReference() const;

  Trace& trace_;
  std::vector<Value> stack_;
  std::vector<uint32_t> marks_;
};

}  // namespace strata
