#include "capture/assemble.h"

#include <map>

#include "capture/annotations.h"
#include "capture/capture.h"
#include "capture/clock.h"
#include "capture/final_state.h"
#include "capture/producer.h"
#include "capture/settings.h"
#include "capture/text.h"
#include "capture/warnings.h"

namespace strata {
namespace {

constexpr char kOpenASnapshot[] =
    "Open the file that torch.cuda.memory._dump_snapshot() wrote, or a pickle of "
    "torch.cuda.memory._snapshot().";

/// One device while its parts are collected.
struct Draft {
  EventSink* sink = nullptr;
  uint32_t eventCount = 0;
  bool isEventListComplete = true;
  std::vector<uint32_t> segments;
};

/// The outermost dict's values by key; unset where the key is missing.
struct Whole {
  Value parts[kKeyCount];
  bool isBareList = false;
  Value operator[](Word key) const { return parts[static_cast<size_t>(key)]; }
};

class Assembly {
 public:
  Assembly(Machine& machine, Trace& trace, const Place* brokeOffAt)
      : machine_(machine), trace_(trace), brokeOffAt_(brokeOffAt) {}

  void run() {
    const Whole whole = findWhole();
    oddities_.isBareList = whole.isBareList;
    collectSegments(whole[Word::Segments], false);
    collectSegments(whole[Word::HostSegments], true);
    collectEvents(whole[Word::DeviceTraces], Word::DeviceTraces);
    collectEvents(whole[Word::HostTraces], Word::HostTraces);
    makeDevices();
    addSettings(whole);
    addTimes();
    trace_.producer = describeProducer(machine_.entries.evidence, whole.isBareList);
    warnOfOddities(machine_, oddities_, trace_);
    warnOfRecording(machine_, oddities_, trace_);
    refuseNothing();
  }

 private:
  /// Host memory comes after the devices, whatever ordinal it was written with.
  using Key = std::pair<bool, int>;

  Whole findWhole();
  [[noreturn]] void refuseOther(Value value) const;
  void refuseNothing() const;
  void collectSegments(Value list, bool isHost);
  void collectEvents(Value lists, Word part);
  void markUnreached(Value lists, Word part);
  void collectList(Value value, bool isHost, int ordinal);
  Draft& draftOf(bool isHost, int64_t ordinal);
  void makeDevices();
  void addSettings(const Whole& whole);
  void addTimes();

  Machine& machine_;
  Trace& trace_;
  const Place* brokeOffAt_;
  std::map<Key, Draft> drafts_;
  std::map<uint32_t, int> ordinalOfSink_;
  SnapshotOddities oddities_;
};

Whole Assembly::findWhole() {
  Whole whole;
  if (machine_.stack().empty()) refuseOther({});
  const Value value = brokeOffAt_ != nullptr ? machine_.stack().front() : machine_.top();
  if (!value.is(Kind::List) && !value.is(Kind::Dict)) refuseOther(value);
  const Node& node = machine_.heap.node(value);
  if (value.is(Kind::List)) {
    if (node.items.empty() || !node.items[0].is(Kind::Segment)) refuseOther(value);
    whole.isBareList = true;
    whole.parts[static_cast<size_t>(Word::Segments)] = value;
    return whole;
  }
  for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
    if (!node.items[i].is(Kind::Keyword) || node.items[i].row() >= kKeyCount) continue;
    whole.parts[node.items[i].row()] = node.items[i + 1];
    machine_.entries.evidence.whole |= KeySet{1} << node.items[i].row();
  }
  if (!whole[Word::Segments].is(Kind::List) && !whole[Word::DeviceTraces].is(Kind::List)) refuseOther(value);
  return whole;
}

void Assembly::refuseOther(Value value) const {
  if (brokeOffAt_ != nullptr) {
    throw CaptureError("capture-truncated",
                       "The file breaks off at byte " + grouped(machine_.entries.byte) +
                           ", before its first segment or event was whole.",
                       "It was cut off while being written or copied: copy or record it again.",
                       static_cast<int64_t>(machine_.entries.byte));
  }
  std::string holds = "a single value";
  if (value.is(Kind::Opaque))
    holds = "a number too large for a snapshot, as the start of a torch.save() file does";
  if (value.is(Kind::List)) holds = "a list of something else";
  if (value.is(Kind::Dict)) {
    const Node& node = machine_.heap.node(value);
    holds = node.items.empty() ? "an empty dict" : "a dict whose first key is \"";
    if (!node.items.empty()) holds += valueAsText(machine_, node.items[0]).substr(0, 60) + "\"";
  }
  throw CaptureError("capture-not-a-snapshot",
                     "This file holds " + holds + ", and not a PyTorch memory snapshot.", kOpenASnapshot);
}

void Assembly::refuseNothing() const {
  if (!trace_.devices.empty()) return;
  if (brokeOffAt_ != nullptr) refuseOther({});
  throw CaptureError(
      "capture-nothing-recorded", "This snapshot is empty: it has no segments and no events on any device.",
      "The program took no memory on a GPU before it wrote the snapshot; write it after the work was done.");
}

Draft& Assembly::draftOf(bool isHost, int64_t ordinal) {
  constexpr size_t kMostDevices = 4096;
  const bool isUsable = ordinal >= 0 && ordinal <= std::numeric_limits<int32_t>::max();
  const Key key{isHost, isUsable ? static_cast<int>(ordinal) : 0};
  if (drafts_.size() == kMostDevices && !drafts_.contains(key)) {
    throw CaptureError("capture-too-many-devices", "This file names more than 4,096 devices.",
                       "It is damaged or was not written by PyTorch; record it again.");
  }
  return drafts_[key];
}

void Assembly::collectSegments(Value list, bool isHost) {
  const bool isThere = !list.is(Kind::Unset) && !list.is(Kind::Nothing);
  if (isThere && !list.is(Kind::List)) oddities_.notSegments.note(Oddity::kNoPlace);
  if (!list.is(Kind::List)) return;
  for (const Value item : machine_.heap.node(list).items) {
    StagedSegment* segment = item.is(Kind::Segment) ? &machine_.entries.segments[item.row()] : nullptr;
    if (segment == nullptr || segment->isTaken) {
      oddities_.notSegments.note(Oddity::kNoPlace);
      continue;
    }
    segment->isTaken = true;
    draftOf(isHost, isHost ? 0 : segment->device).segments.push_back(item.row());
  }
}

void Assembly::collectEvents(Value lists, Word part) {
  const bool isHost = part == Word::HostTraces;
  const bool isOneList = lists.is(Kind::List) && machine_.heap.node(lists).sink != kNone;
  if (isOneList) collectList(lists, isHost, 0);  // without a list of lists around it
  const size_t count = lists.is(Kind::List) && !isOneList ? machine_.heap.node(lists).items.size() : 0;
  for (size_t i = 0; i < count; ++i) {
    const Value value = machine_.heap.node(lists).items[i];
    if (!value.is(Kind::List)) continue;
    const Node& list = machine_.heap.node(value);
    if (list.sink != kNone || !list.items.empty()) collectList(value, isHost, static_cast<int>(i));
  }
  if (brokeOffAt_ != nullptr) markUnreached(lists, part);
}

/// After a break: which devices' lists were not reached. Those that were cut off say so themselves.
void Assembly::markUnreached(Value lists, Word part) {
  const bool isBrokenHere = brokeOffAt_->part == part;
  if (lists.is(Kind::List) && !isBrokenHere) return;
  for (auto& [key, draft] : drafts_) {
    if (key.first != (part == Word::HostTraces)) continue;
    const bool isBefore = isBrokenHere && brokeOffAt_->isInList && draft.sink != nullptr &&
                          static_cast<size_t>(key.second) <= brokeOffAt_->list;
    draft.isEventListComplete = isBefore;
  }
}

void Assembly::collectList(Value value, bool isHost, int ordinal) {
  Draft& draft = draftOf(isHost, ordinal);
  Node& list = machine_.heap.node(value);
  if (list.sink == kNone) {
    machine_.entries.notEvents.note(Oddity::kNoPlace, list.items.size());
    return;
  }
  if (list.isTaken || draft.sink != nullptr) {
    oddities_.sharedLists.note(Oddity::kNoPlace);
    return;
  }
  list.isTaken = true;
  draft.sink = machine_.entries.sinks[list.sink].get();
  draft.eventCount = list.eventCount;
  ordinalOfSink_[list.sink] = ordinal;
}

/// Rows that closed but were never put in the list are dropped.
void keepRows(EventColumns& events, uint32_t count) {
  events.action.resize(count);
  events.address.resize(count);
  events.size.resize(count);
  events.stack.resize(count);
  events.stream.resize(count);
  events.pool.resize(count);
  if (!events.time.empty()) events.time.resize(count);
  if (!events.label.empty()) events.label.resize(count);
}

/// Gives back the room that was reserved for events that did not come, where it is much.
void trim(EventColumns& events) {
  if (events.action.capacity() / 4 * 3 <= events.action.size()) return;
  events.action.shrink_to_fit();
  events.address.shrink_to_fit();
  events.size.shrink_to_fit();
  events.time.shrink_to_fit();
  events.stack.shrink_to_fit();
  events.stream.shrink_to_fit();
  events.pool.shrink_to_fit();
  events.label.shrink_to_fit();
}

void Assembly::makeDevices() {
  for (auto& [key, draft] : drafts_) {
    Device device;
    device.ordinal = key.second;
    const Evidence& evidence = machine_.entries.evidence;
    const bool isAscend = evidence.hasAscendOrder || evidence.hasWorkspaceSnapshot;
    device.kind = key.first ? DeviceKind::Host : isAscend ? DeviceKind::Npu : DeviceKind::Cuda;
    Dictionary<uint64_t> streams;
    Dictionary<std::pair<int64_t, int64_t>> pools;
    if (draft.sink != nullptr) {
      keepRows(draft.sink->columns, draft.eventCount);
      trim(draft.sink->columns);
      device.events = std::move(draft.sink->columns);
      streams = std::move(draft.sink->streams);
      pools = std::move(draft.sink->pools);
    }
    fillFinalState(machine_, draft.segments, streams, pools, device.final, oddities_.final);
    if (device.events.count() == 0 && device.final.segments.empty()) continue;
    device.streams = streams.take();
    device.pools = pools.take();
    device.hasHistory = device.events.count() > 0;
    device.isEventListComplete =
        draft.isEventListComplete && !(draft.sink != nullptr && draft.sink->isCutOff);
    trace_.devices.push_back(std::move(device));
  }
}

void Assembly::addSettings(const Whole& whole) {
  trace_.settings = settingsAsText(machine_, whole[Word::AllocatorSettings]);
  Value overflowed = whole[Word::Overflowed];
  if (whole[Word::AllocatorSettings].is(Kind::Dict)) {
    const Node& node = machine_.heap.node(whole[Word::AllocatorSettings]);
    for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
      if (!node.items[i].is(Kind::Keyword) || node.items[i].row() >= kKeyCount) continue;
      machine_.entries.evidence.settings |= KeySet{1} << node.items[i].row();
      if (node.items[i].row() == static_cast<uint32_t>(Word::Overflowed)) overflowed = node.items[i + 1];
    }
  }
  for (const Word key : {Word::MaxEntries, Word::Overflowed}) {
    if (whole[key].is(Kind::Unset)) continue;
    trace_.settings.emplace_back(wordText(key), valueAsText(machine_, whole[key]));
  }
  oddities_.hasOverflowed = isAnySet(machine_, overflowed);
}

void Assembly::addTimes() {
  std::vector<StagedAnnotation>& sides = machine_.entries.annotations;
  int64_t earliest = EventSink::kNoTime;
  for (StagedAnnotation& side : sides) {
    if (side.sink != kNone) side.device = ordinalOfSink_[side.sink];
    if (!isUsableTime(side.timeUs)) continue;
    if (earliest == EventSink::kNoTime || side.timeUs < earliest) earliest = side.timeUs;
  }
  oddities_.clock = setClock(trace_, earliest);
  const uint64_t leftOut = pairAnnotations(sides, trace_);
  if (leftOut > 0) oddities_.annotationsLeftOut.note(Oddity::kNoPlace, leftOut);
}

}  // namespace

void assemble(Machine& machine, Trace& trace, const Place* brokeOffAt) {
  Assembly(machine, trace, brokeOffAt).run();
  trace.strings.seal();
  trace.frames.seal();
  trace.stacks.seal();
}

}  // namespace strata
