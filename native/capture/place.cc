#include "capture/place.h"

#include "capture/text.h"

namespace strata {
namespace {

bool isPart(Value value) {
  return value.is(Kind::Keyword) && value.row() <= static_cast<uint32_t>(Word::HostTraces);
}

bool isText(Value value) { return value.is(Kind::Keyword) || value.is(Kind::String); }

/// Index on the stack of the key whose value was being read in the outermost dict; the stack's size when
/// there is none. Keys and values take turns there; what follows a value and is no key lies inside that
/// value.
size_t findPart(std::span<const Value> stack) {
  if (stack.size() < 2 || !stack[0].is(Kind::Dict)) return stack.size();
  size_t key = 1;
  while (key + 2 < stack.size() && isText(stack[key + 2])) key += 2;
  return isPart(stack[key]) ? key : stack.size();
}

std::string_view entryName(Word part) {
  switch (part) {
    case Word::Segments:
    case Word::HostSegments:
      return "segment";
    case Word::ExternalAnnotations:
      return "annotation";
    default:
      return "event";
  }
}

}  // namespace

Place describePlace(const Machine& machine) {
  const std::span<const Value> stack = machine.stack();
  Place place;
  size_t at = findPart(stack);
  if (at < stack.size()) {
    place.part = static_cast<Word>(stack[at++].row());
  } else if (!stack.empty() && stack[0].is(Kind::List)) {
    place.part = Word::Segments;  // a bare list, as 1.13 wrote it
    at = 0;
  }
  const bool isTraces = place.part == Word::DeviceTraces || place.part == Word::HostTraces;
  size_t lists = 0;
  for (; at < stack.size() && stack[at].is(Kind::List); ++at) {
    const Node& node = machine.heap.node(stack[at]);
    ++lists;
    if (lists == 1) {
      place.list = node.items.size();
      // A list without lists in it, or one whose lists are all whole, when no other follows.
      place.isInList = isTraces && (node.sink != kNone || !node.items.empty());
      if (node.sink != kNone) place.entries = machine.entries.sinks[node.sink]->count();
    } else if (isTraces) {
      place.list += lists > 2 ? 1 : 0;
      place.isInList = true;
      place.entries = node.sink == kNone ? 0 : machine.entries.sinks[node.sink]->count();
    }
  }
  if (place.part == Word::Segments || place.part == Word::HostSegments) {
    place.entries = machine.entries.segments.size();
  } else if (place.part == Word::ExternalAnnotations) {
    place.entries = machine.entries.annotations.size();
  }
  for (; at < stack.size(); ++at) {
    if (stack[at].is(Kind::Dict)) place.isInEntry = true;
    const bool isFrames =
        stack[at].is(Kind::Keyword) && stack[at].row() == static_cast<uint32_t>(Word::Frames);
    if (isFrames && place.isInEntry) place.isInStack = true;
  }
  return place;
}

std::string Place::sentencePart() const {
  if (part == Word::Count) return "outside its segments and events";
  if (part == Word::AllocatorSettings) return "inside the allocator settings";
  const bool isHost = part == Word::HostTraces || part == Word::HostSegments;
  std::string text = isInStack ? "inside the stack of " : isInEntry ? "inside " : "after ";
  const uint64_t number = isInEntry || isInStack ? entries + 1 : entries;
  if (number == 0 && isInList && list > 0) return "after the events of device " + std::to_string(list - 1);
  if (number == 0) return "before the first " + std::string(entryName(part));
  text += std::string(entryName(part)) + " " + grouped(number);
  if (isInList && !isHost && list > 0) text += " of device " + std::to_string(list);
  if (isHost) text += " of pinned host memory";
  return text;
}

std::string Place::keptPart() const {
  const std::string name(entryName(part));
  switch (part) {
    case Word::Count:
    case Word::AllocatorSettings:
      return "everything before it is shown";
    case Word::Segments:
      return "the " + counted(entries, "segment before it is", "segments before it are") +
             " shown, and no events";
    default:
      if (entries == 0) return "what comes before it is shown";
      return "the " + counted(entries, name + " before it is", name + "s before it are") + " shown";
  }
}

}  // namespace strata
