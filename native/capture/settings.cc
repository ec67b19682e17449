#include "capture/settings.h"

#include <charconv>

namespace strata {
namespace {

constexpr int kDeepest = 3;
constexpr size_t kLongest = 4096;
constexpr size_t kMostSettings = 256;

std::string realAsText(double number) {
  char buffer[32];
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), number).ptr;
  return {buffer, end};
}

void appendText(const Machine& machine, Value value, int depth, std::string& text);

void appendItems(const Machine& machine, const Node& node, bool isDict, int depth, std::string& text) {
  text += isDict ? '{' : '[';
  for (size_t i = 0; i < node.items.size(); ++i) {
    if (text.size() > kLongest || depth == kDeepest) {
      text += "...";
      break;
    }
    const bool isValue = isDict && i % 2 == 1;
    if (i > 0) text += isValue ? ": " : ", ";
    appendText(machine, node.items[i], depth + 1, text);
  }
  text += isDict ? '}' : ']';
}

void appendText(const Machine& machine, Value value, int depth, std::string& text) {
  const Heap& heap = machine.heap;
  double real;
  switch (value.kind()) {
    case Kind::Nothing:
      text += "none";
      break;
    case Kind::Boolean:
      text += value.payload() != 0 ? "true" : "false";
      break;
    case Kind::Integer:
      text += std::to_string(value.integer());
      break;
    case Kind::Wide:
      text += std::to_string(heap.wide(value));
      break;
    case Kind::WideNegative:
      text += std::to_string(static_cast<int64_t>(heap.wide(value)));
      break;
    case Kind::Real:
      heap.asReal(value, real);
      text += realAsText(real);
      break;
    case Kind::String:
    case Kind::Keyword:
      text += machine.entries.text(value).substr(0, kLongest);
      break;
    case Kind::Pair:
      text += "[" + std::to_string(heap.pairAt(value.row()).first) + ", " +
              std::to_string(heap.pairAt(value.row()).second) + "]";
      break;
    case Kind::List:
    case Kind::Dict:
    case Kind::Tuple:
      appendItems(machine, heap.node(value), value.is(Kind::Dict), depth, text);
      break;
    default:
      text += "...";
  }
}

}  // namespace

std::string valueAsText(const Machine& machine, Value value) {
  std::string text;
  appendText(machine, value, 0, text);
  return text;
}

std::vector<std::pair<std::string, std::string>> settingsAsText(const Machine& machine, Value settings) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!settings.is(Kind::Dict)) return pairs;
  const Node& node = machine.heap.node(settings);
  for (size_t i = 0; i + 1 < node.items.size() && pairs.size() < kMostSettings; i += 2) {
    pairs.emplace_back(valueAsText(machine, node.items[i]), valueAsText(machine, node.items[i + 1]));
  }
  return pairs;
}

bool isAnySet(const Machine& machine, Value flags) {
  uint64_t bits = 0;
  if (machine.heap.asBits(flags, bits)) return bits != 0;
  if (!flags.isNode()) return false;
  const Node& node = machine.heap.node(flags);
  for (const Value item : node.items) {
    if (machine.heap.asBits(item, bits) && bits != 0) return true;
  }
  return false;
}

}  // namespace strata
