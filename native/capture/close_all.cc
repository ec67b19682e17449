#include "capture/machine.h"

namespace strata {

// A file that ends too early leaves its outer lists and dicts open. They are closed from the inside out:
//
//   snapshot ( "segments" list  "device_traces" list ( list list ( event event dict ( "action" "alloc" "addr"
//                                                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//                                                                              dropped
//                                                                  ^^^^^^^^^^^ the events that were whole
//
// Lists keep the items that are whole, the outermost dict keeps its pairs, other dicts are entries that are
// not whole and go.

void Machine::closeAll() {
  while (!marks_.empty()) closeRegion(takeMark(), true);
  if (stack_.size() > 1) closeRegion(1, false);
}

void Machine::closeRegion(size_t first, bool isMarked) {
  if (first == 0) return;
  const Value container = stack_[first - 1];
  if (container.is(Kind::Dict) && first == 1) return closePairs(first);
  if (!container.is(Kind::List)) return stack_.resize(first - 1);
  if (!isMarked) return foldInto(first - 1);
  while (stack_.size() > first && stack_.back().is(Kind::Dict)) stack_.pop_back();
  if (stack_.size() > first) appendAll(first - 1, first);
  cutOff(container);
}

/// The pairs of the outermost dict. More than one value after a key means that the others lie inside the
/// first.
void Machine::closePairs(size_t first) {
  const auto isText = [](Value value) { return value.is(Kind::Keyword) || value.is(Kind::String); };
  size_t key = first;
  while (key + 2 < stack_.size()) {
    if (isText(stack_[key + 2])) {
      key += 2;
    } else {
      foldInto(key + 1);
    }
  }
  if ((stack_.size() - first) % 2 != 0) stack_.pop_back();
  if (stack_.size() > first) setAll(first - 1, first);
}

/// What follows the list at this place lies inside it, one in the other: `list list event` is [[event]].
void Machine::foldInto(size_t outermost) {
  while (stack_.size() > outermost + 1) {
    cutOff(stack_.back());
    const size_t below = stack_.size() - 2;
    if (stack_[below].is(Kind::List) && !stack_.back().is(Kind::Dict)) {
      appendAll(below, below + 1);
    } else {
      stack_.pop_back();
    }
  }
  cutOff(stack_.back());
}

void Machine::cutOff(Value list) {
  if (!list.is(Kind::List)) return;
  const Node& node = heap.node(list);
  if (node.sink != kNone) entries.sinks[node.sink]->isCutOff = true;
}

}  // namespace strata
