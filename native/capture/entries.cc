#include "capture/entries.h"

#include <algorithm>
#include <cmath>

#include "capture/capture.h"

namespace strata {
namespace {

constexpr KeySet kFrameKeys = keyBit(Word::Name) | keyBit(Word::Line);
constexpr KeySet kSegmentKeys = keyBit(Word::Address) | keyBit(Word::TotalSize);
constexpr KeySet kBlockKeys = keyBit(Word::State) | keyBit(Word::Size);
constexpr KeySet kAnnotationKeys = keyBit(Word::Stage) | keyBit(Word::Name);

bool hasAll(KeySet keys, KeySet wanted) { return (keys & wanted) == wanted; }

/// torch_npu writes segment_pool_id before segment_type, PyTorch after it. Only in the writers' own order,
/// which starts with the device: sorted keys prove nothing.
bool isAscendOrder(std::span<const Value> pairs) {
  const auto isKey = [](Value key, Word word) {
    return key.is(Kind::Keyword) && key.row() == static_cast<uint32_t>(word);
  };
  if (!isKey(pairs[0], Word::DeviceOrdinal)) return false;
  bool hasPool = false;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    hasPool |= isKey(pairs[i], Word::SegmentPoolId);
    if (isKey(pairs[i], Word::SegmentType)) return hasPool;
  }
  return false;
}

}  // namespace

Value Entries::close(std::span<const Value> pairs, uint32_t list) {
  KeySet keys = 0;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (!pairs[i].is(Kind::Keyword) || pairs[i].row() >= kKeyCount) continue;
    fields_[pairs[i].row()] = pairs[i + 1];
    keys |= KeySet{1} << pairs[i].row();
  }
  Value row;
  if (has(keys, Word::Action)) {
    row = closeEvent(keys, list);
  } else if (has(keys, Word::Filename) && (keys & kFrameKeys) != 0) {
    row = closeFrame(keys);
  } else if (hasAll(keys, kSegmentKeys)) {
    evidence.hasAscendOrder |= isAscendOrder(pairs);
    row = closeSegment(keys);
  } else if (hasAll(keys, kBlockKeys)) {
    row = closeBlock(keys);
  } else if (hasAll(keys, kAnnotationKeys)) {
    row = closeAnnotation(keys);
  } else if (has(keys, Word::RealSize)) {
    row = closeHistory(keys);
  } else {
    return row;
  }
  for (size_t i = 1; i < pairs.size(); i += 2) {
    const bool isKept = pairs[i - 1].is(Kind::Keyword) &&
                        pairs[i - 1].row() == static_cast<uint32_t>(Word::Blocks) && row.is(Kind::Segment);
    if (pairs[i].isNode() && !isKept) heap_.discard(pairs[i]);
  }
  return row;
}

uint64_t Entries::bitsOf(KeySet keys, Word key, Oddity& oddity) {
  uint64_t bits = 0;
  double real = 0;
  if (has(keys, key) && heap_.asBits(field(key), bits)) return bits;
  // JSON that went through a language without integers.
  if (has(keys, key) && heap_.asReal(field(key), real) && real >= 0 && real < 0x1p64) {
    return static_cast<uint64_t>(real);
  }
  oddity.note(byte);
  return 0;
}

Value Entries::closeEvent(KeySet keys, uint32_t list) {
  evidence.events |= keys;
  evidence.hasEvents = true;
  EventRow row;
  row.action = actionOf(field(Word::Action));
  if (has(keys, Word::Addr)) {
    row.address = bitsOf(keys, Word::Addr, incompleteEvents);
  } else if (has(keys, Word::DeviceFree)) {
    row.address = bitsOf(keys, Word::DeviceFree, incompleteEvents);
  } else if (row.action < Action::Snapshot) {
    incompleteEvents.note(byte);
  }
  if (has(keys, Word::Size) || row.action < Action::Snapshot) {
    row.size = bitsOf(keys, Word::Size, incompleteEvents);
  }
  if (has(keys, Word::Stream)) row.stream = bitsOf(keys, Word::Stream, incompleteEvents);
  if (has(keys, Word::TimeUs)) {
    row.timeUs = static_cast<int64_t>(bitsOf(keys, Word::TimeUs, incompleteEvents));
    row.hasTime = true;
  }
  if (has(keys, Word::PoolId)) {
    const uint32_t pair = heap_.asPair(field(Word::PoolId));
    if (pair != kNone) row.pool = heap_.pairAt(pair);
  }
  if (has(keys, Word::Frames)) row.stack = stackOf(field(Word::Frames));
  row.label = labelOf(keys);

  const uint32_t sink = sinkFor(list);
  if (field(Word::Action).is(Kind::Keyword) &&
      field(Word::Action).row() == static_cast<uint32_t>(Word::UserDefined)) {
    stageUserDefined(row, sink);
  }
  sinks[sink]->append(row, byte, fileBytes_);
  ++eventCount_;
  return Value::event(sink, sinks[sink]->count() - 1);
}

Action Entries::actionOf(Value value) {
  if (value.is(Kind::Keyword)) {
    switch (static_cast<Word>(value.row())) {
      case Word::Alloc:
        return Action::Alloc;
      case Word::FreeRequested:
        return Action::FreeRequested;
      case Word::FreeCompleted:
      case Word::Free:  // a joined pair, as viewers make it
        return Action::FreeCompleted;
      case Word::SegmentAlloc:
        return Action::SegmentAlloc;
      case Word::SegmentFree:
        return Action::SegmentFree;
      case Word::SegmentMap:
        return Action::SegmentMap;
      case Word::SegmentUnmap:
        return Action::SegmentUnmap;
      case Word::Snapshot:
        return Action::Snapshot;
      case Word::OutOfMemory:
        return Action::OutOfMemory;
      case Word::Annotate:
        evidence.hasAnnotate = true;
        return Action::Annotate;
      case Word::UserDefined:
        evidence.hasUserDefined = true;
        return Action::Other;
      case Word::WorkspaceSnapshot:
        evidence.hasWorkspaceSnapshot = true;
        return Action::Other;
      default:
        break;
    }
  }
  const uint32_t name = textRow(value);
  ++unknownActions[name == kNone ? textRow("(no text)") : name];
  return Action::Other;
}

uint32_t Entries::labelOf(KeySet keys) {
  const auto isSilent = [](Value value) {
    const auto word = static_cast<Word>(value.row());
    return value.is(Kind::Keyword) && (word == Word::NotApplicable || word == Word::Empty);
  };
  for (const Word key : {Word::UserMetadata, Word::CompileContext}) {
    if (!has(keys, key) || isSilent(field(key))) continue;
    const uint32_t row = textRow(field(key));
    if (row != kNone) return row;
  }
  return kNone;
}

void Entries::stageUserDefined(const EventRow& row, uint32_t sink) {
  if (row.stack == kNone || !row.hasTime) return;
  const uint32_t frame = trace_.stacks.at(row.stack)[0];
  StagedAnnotation annotation;
  annotation.name = trace_.frames.file(frame);
  annotation.isStart = trace_.strings.at(trace_.frames.name(frame)) == wordText(Word::Start);
  annotation.timeUs = row.timeUs;
  annotation.sink = sink;
  annotations.push_back(annotation);
}

uint32_t Entries::newSink() {
  if (sinks.size() == kMaxSinks) {
    throw CaptureError("capture-too-many-devices", "This file holds more than 65,536 lists of events.",
                       "It is damaged or was not written by PyTorch; record it again.",
                       static_cast<int64_t>(byte));
  }
  sinks.push_back(std::make_unique<EventSink>(byte));
  return static_cast<uint32_t>(sinks.size() - 1);
}

uint32_t Entries::sinkFor(uint32_t list) {
  if (list != kNone) {
    Node& node = heap_.node(list);
    if (node.sink != kNone && !node.isMixed) return node.sink;
    if (node.sink == kNone && node.items.empty()) return node.sink = newSink();
  }
  if (strayEvents_ == kNone) strayEvents_ = newSink();
  return strayEvents_;
}

void Entries::appendEvents(uint32_t list, std::span<const Value> items) {
  Node& node = heap_.node(list);
  if (node.sink == kNone) {
    node.sink = newSink();
    node.isMixed = true;  // the rows are elsewhere
  }
  for (const Value item : items) {
    if (!item.is(Kind::Event)) {
      notEvents.note(byte);
      heap_.discard(item);
    } else if (!node.isMixed && item.sink() == node.sink && item.row() == node.eventCount) {
      ++node.eventCount;
    } else {
      if (!node.isMixed) mix(node);
      copyEvent(item.sink(), item.row(), node.sink);
      ++node.eventCount;
    }
  }
}

/// An event that is already in another list came in: from here on the list has a sink of its own in which
/// every row is a copy, because rows that others refer to must stay where they are.
void Entries::mix(Node& list) {
  const uint32_t own = newSink();
  for (uint32_t row = 0; row < list.eventCount; ++row) copyEvent(list.sink, row, own);
  list.sink = own;
  list.isMixed = true;
}

void Entries::copyEvent(uint32_t from, uint32_t row, uint32_t to) {
  // An event takes 24 bytes or more where it is written, so that no list of real events has more copies.
  constexpr uint64_t kAlwaysAllowed = 65536;
  if (++copyCount_ > kAlwaysAllowed + fileBytes_ / 16) {
    throw CaptureError("capture-too-much-memory",
                       "This file repeats a few events millions of times, which no recording does.",
                       "It is damaged, or made to exhaust the memory of whoever opens it.",
                       static_cast<int64_t>(byte));
  }
  sinks[to]->append(sinks[from]->at(row), byte, fileBytes_);
}

Value Entries::closeFrame(KeySet keys) {
  const uint32_t name = has(keys, Word::Name) ? textRow(field(Word::Name)) : kNone;
  const uint32_t file = textRow(field(Word::Filename));
  uint64_t line = 0;
  if (has(keys, Word::Line)) heap_.asBits(field(Word::Line), line);
  const int64_t kept =
      std::clamp<int64_t>(static_cast<int64_t>(line), 0, std::numeric_limits<int32_t>::max());
  const uint32_t empty = textRow("");
  return Value::of(Kind::Frame,
                   trace_.frames.intern(name == kNone ? empty : name, file == kNone ? empty : file,
                                        static_cast<int32_t>(kept)));
}

Value Entries::closeSegment(KeySet keys) {
  evidence.segments |= keys;
  StagedSegment segment;
  segment.byte = byte;
  segment.address = bitsOf(keys, Word::Address, incompleteSegments);
  segment.bytes = bitsOf(keys, Word::TotalSize, incompleteSegments);
  if (has(keys, Word::DeviceOrdinal)) {
    segment.device = static_cast<int64_t>(bitsOf(keys, Word::DeviceOrdinal, incompleteSegments));
  }
  if (has(keys, Word::AllocatedSize))
    segment.allocated = bitsOf(keys, Word::AllocatedSize, incompleteSegments);
  if (has(keys, Word::ActiveSize)) segment.active = bitsOf(keys, Word::ActiveSize, incompleteSegments);
  segment.hasRequested = has(keys, Word::RequestedSize);
  if (segment.hasRequested) segment.requested = bitsOf(keys, Word::RequestedSize, incompleteSegments);
  if (has(keys, Word::Stream)) segment.stream = bitsOf(keys, Word::Stream, incompleteSegments);
  if (has(keys, Word::SegmentPoolId)) {
    const uint32_t pair = heap_.asPair(field(Word::SegmentPoolId));
    if (pair != kNone) segment.pool = heap_.pairAt(pair);
  }
  if (has(keys, Word::SegmentType)) segment.isLarge = text(field(Word::SegmentType)) != wordText(Word::Small);
  if (has(keys, Word::IsExpandable)) segment.isExpandable = field(Word::IsExpandable).payload() != 0;
  if (has(keys, Word::Frames)) segment.stack = stackOf(field(Word::Frames));
  if (has(keys, Word::Blocks) && field(Word::Blocks).is(Kind::List))
    segment.blocks = field(Word::Blocks).row();
  segments.push_back(segment);
  return Value::of(Kind::Segment, segments.size() - 1);
}

Value Entries::closeBlock(KeySet keys) {
  evidence.blocks |= keys;
  StagedBlock block;
  block.bytes = bitsOf(keys, Word::Size, incompleteBlocks);
  block.hasAddress = has(keys, Word::Address);
  if (block.hasAddress) block.address = bitsOf(keys, Word::Address, incompleteBlocks);

  const std::string_view state = text(field(Word::State));
  if (state == wordText(Word::Active)) {
    block.state = BlockState::Allocated;
  } else if (state == wordText(Word::PendingFree) || state == wordText(Word::AwaitingFree)) {
    block.state = BlockState::PendingFree;
  } else if (state != wordText(Word::Inactive)) {
    incompleteBlocks.note(byte);
  }
  if (has(keys, Word::Frames)) block.stack = stackOf(field(Word::Frames));
  // An inactive block keeps the stale request of its last use in old versions: it means nothing.
  const bool isActive = block.state != BlockState::Inactive;
  block.requested = isActive ? block.bytes : 0;
  if (isActive && has(keys, Word::History) && field(Word::History).is(Kind::List)) {
    const Node& history = heap_.node(field(Word::History));  // newest first
    if (!history.items.empty() && history.items[0].is(Kind::History)) {
      const StagedHistory& newest = histories[history.items[0].row()];
      block.requested = newest.realSize;
      block.stack = newest.stack;
      evidence.hasActiveHistory = true;
    }
  }
  if (isActive && has(keys, Word::RequestedSize)) {
    block.requested = bitsOf(keys, Word::RequestedSize, incompleteBlocks);
  }
  blocks.push_back(block);
  return Value::of(Kind::Block, blocks.size() - 1);
}

Value Entries::closeHistory(KeySet keys) {
  StagedHistory history;
  history.realSize = bitsOf(keys, Word::RealSize, incompleteBlocks);
  if (has(keys, Word::Frames)) history.stack = stackOf(field(Word::Frames));
  histories.push_back(history);
  return Value::of(Kind::History, histories.size() - 1);
}

Value Entries::closeAnnotation(KeySet keys) {
  StagedAnnotation annotation;
  annotation.name = textRow(field(Word::Name));
  annotation.isStart = text(field(Word::Stage)) == wordText(Word::Start);
  uint64_t bits = 0;
  if (has(keys, Word::TimeUs) && heap_.asBits(field(Word::TimeUs), bits)) {
    annotation.timeUs = static_cast<int64_t>(bits);
  }
  if (has(keys, Word::DeviceOrdinal) && heap_.asBits(field(Word::DeviceOrdinal), bits)) {
    annotation.device = static_cast<int64_t>(bits);
  }
  annotations.push_back(annotation);
  return Value::of(Kind::Annotation, annotations.size() - 1);
}

uint32_t Entries::stackOf(Value value) {
  if (value.is(Kind::Stack)) return value.row();
  if (!value.is(Kind::List)) return kNone;
  const Node& node = heap_.node(value);
  if (node.row.is(Kind::Stack)) return node.row.row();
  frameScratch_.resize(node.items.size());
  for (size_t i = 0; i < node.items.size(); ++i) frameScratch_[i] = node.items[i].row();
  if (!areAll(Kind::Frame, node.items)) {
    frameScratch_.clear();
    for (const Value item : node.items) {
      if (item.is(Kind::Frame)) frameScratch_.push_back(item.row());
    }
    incompleteFrames.note(byte, node.items.size() - frameScratch_.size());
  }
  const uint32_t stack = frameScratch_.empty() ? kNone : trace_.stacks.intern(frameScratch_);
  heap_.replace(value.row(), Value::of(Kind::Stack, stack));
  return stack;
}

uint32_t Entries::textRow(Value value) {
  if (value.is(Kind::String)) return value.row();
  if (!value.is(Kind::Keyword)) return kNone;
  if (!hasWordRows_) {
    std::fill(std::begin(wordRows_), std::end(wordRows_), kNone);
    hasWordRows_ = true;
  }
  uint32_t& row = wordRows_[value.row()];
  if (row == kNone) row = textRow(wordText(static_cast<Word>(value.row())));
  return row;
}

std::string_view Entries::text(Value value) const {
  if (value.is(Kind::String)) return trace_.strings.at(value.row());
  if (value.is(Kind::Keyword)) return wordText(static_cast<Word>(value.row()));
  return {};
}

size_t Entries::bytes() const {
  size_t total = blocks.capacity() * sizeof(StagedBlock) + segments.capacity() * sizeof(StagedSegment) +
                 annotations.capacity() * sizeof(StagedAnnotation) +
                 histories.capacity() * sizeof(StagedHistory);
  for (const auto& sink : sinks) total += sink->bytes();
  return total;
}

}  // namespace strata
