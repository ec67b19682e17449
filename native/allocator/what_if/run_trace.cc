#include "allocator/what_if/run_trace.h"

#include <algorithm>
#include <stdexcept>

namespace strata::what_if {
namespace {

using Kind = AllocatorEvent::Kind;
using OperationKind = RequestTrace::Operation::Kind;

constexpr uint64_t kSmallRequest = uint64_t{1} << 20;
constexpr uint64_t kSmallSegment = uint64_t{2} << 20;

std::string producerOf(const RunRequest& request) {
  std::string text = request.allocator;
  for (const auto& [name, value] : request.settings) text.append(", ").append(name).append("=").append(value);
  return text;
}

Device emptyCopy(const Device& device, bool knowsPools) {
  Device copy;
  copy.ordinal = device.ordinal;
  copy.kind = device.kind;
  copy.streams = device.streams;
  copy.pools =
      knowsPools && !device.pools.empty() ? device.pools : std::vector<std::pair<int64_t, int64_t>>{{0, 0}};
  if (copy.streams.empty()) copy.streams.push_back(0);
  copy.hasHistory = true;
  copy.areRequestsKnown = device.areRequestsKnown;
  copy.isPlaced = true;
  return copy;
}

bool isBirth(Kind kind) {
  return kind == Kind::DeviceAlloc || kind == Kind::SegmentAlloc || kind == Kind::SegmentMap;
}
bool isDeath(Kind kind) {
  return kind == Kind::DeviceFree || kind == Kind::SegmentFree || kind == Kind::SegmentUnmap;
}

}  // namespace

RunTrace::RunTrace(const Recording& recording, const RunRequest& request)
    : recording_(recording),
      request_(request),
      knowsPools_(simulatorNamed(request.allocator).knowsPools),
      device_(emptyCopy(recording.device, knowsPools_)),
      segments_(device_.segments),
      rowOf_(recording.requests.trace.ids.size(), kNone) {
  const Trace& source = recording.trace;
  trace_.format = "simulation";
  trace_.producer = producerOf(request);
  trace_.isComplete = source.isComplete;
  trace_.hasClock = source.hasClock && (source.parts.empty() || !recording.device.events.time.empty());
  trace_.hasOrigin = source.hasOrigin;
  trace_.originNs = source.originNs;
  trace_.strings = source.strings;
  trace_.frames = source.frames;
  trace_.stacks = source.stacks;
  trace_.settings = {{"allocator", request.allocator}};
  for (const auto& [name, value] : request.settings) trace_.settings.emplace_back(name, value);
  for (const Annotation& one : source.annotations) {
    if (one.device != device_.ordinal || one.part != recording.device.part) continue;
    trace_.annotations.push_back(one);
    trace_.annotations.back().part = device_.part;
  }
}

void RunTrace::onStart(const AllocatorStack& stack, const RunDevice& device, size_t first) {
  driver_ = &device;
  for (const auto& layer : stack) layer->setEventSink(this);
  adopt(first);
}

/// Segments and blocks that are taken over from the recording.
void RunTrace::adopt(size_t first) {
  if (first == 0) return;
  const SegmentColumns& rows = recording_.device.segments;
  std::map<uint32_t, uint32_t> rangeOf;
  for (uint32_t row = 0; row < rows.count(); ++row) {
    if (rows.birth[row] != kBeforeFirst) continue;
    const auto known = rangeOf.find(rows.range[row]);
    const uint32_t born = segments_.born({.address = rows.address[row],
                                          .bytes = rows.bytes[row],
                                          .stack = rows.stack[row],
                                          .range = known == rangeOf.end() ? kNone : known->second,
                                          .region = rows.region[row],
                                          .stream = rows.stream[row],
                                          .pool = rows.pool[row],
                                          .isLarge = rows.isLarge[row] != 0,
                                          .isExpandable = rows.isExpandable[row] != 0},
                                         kBeforeFirst);
    rangeOf.try_emplace(rows.range[row], born);
    if (rows.isExpandable[row] != 0) ranges_.try_emplace(driver_->rangeOf(rows.address[row]), born);
  }
  const RecordedRequests& requests = recording_.requests;
  const BlockColumns& blocks = recording_.device.blocks;
  for (size_t at = 0; at < first; ++at) {
    const auto& operation = requests.trace.operations[at];
    const uint32_t request = operation.request;
    const Context context;
    if (operation.kind == OperationKind::Allocate)
      addBlock(request, blocks.address[requests.block[request]], blocks.bytes[requests.block[request]],
               kBeforeFirst, context);
    if (operation.kind == OperationKind::Ignored) requestFree(request, context);
  }
}

uint32_t RunTrace::stackOf(EventIndex recorded) const {
  const auto& stacks = recording_.device.events.stack;
  return recorded < 0 || stacks.empty() ? kNone : stacks[static_cast<size_t>(recorded)];
}

RunTrace::Context RunTrace::contextOf(const ReplayStep& step) const {
  const RecordedRequests& requests = recording_.requests;
  Context context;
  context.recorded = requests.event[step.index];
  context.stack = stackOf(context.recorded);
  const auto& labels = recording_.device.events.label;
  if (context.recorded >= 0 && !labels.empty()) context.label = labels[static_cast<size_t>(context.recorded)];
  if (step.operation.kind == OperationKind::Control) return context;
  const uint32_t row = requests.block[step.operation.request];
  const Device& source = recording_.device;
  if (row != kNone) {
    context.stream = source.blocks.stream[row];
    if (knowsPools_) context.pool = source.blocks.pool[row];
    if (step.operation.kind == OperationKind::Allocate) context.stack = source.blocks.stack[row];
  } else if (context.recorded >= 0) {
    context.stream = source.events.stream[static_cast<size_t>(context.recorded)];
    if (knowsPools_) context.pool = source.events.pool[static_cast<size_t>(context.recorded)];
  }
  context.isLarge = step.operation.bytes > kSmallRequest;
  return context;
}

EventIndex RunTrace::addEvent(Action action, uint64_t address, uint64_t bytes, const Context& context,
                              uint32_t row) {
  EventColumns& events = device_.events;
  const EventColumns& source = recording_.device.events;
  events.action.push_back(action);
  events.address.push_back(address);
  events.size.push_back(bytes);
  if (!source.time.empty()) events.time.push_back(source.time[static_cast<size_t>(context.recorded)]);
  events.stack.push_back(context.stack);
  events.stream.push_back(context.stream);
  events.pool.push_back(context.pool);
  if (!source.label.empty()) events.label.push_back(context.label);
  events.row.push_back(row);
  operationOf_.push_back(operation_);
  return static_cast<EventIndex>(events.count()) - 1;
}

void RunTrace::onStep(const ReplayStep& step) {
  const Context context = contextOf(step);
  operation_ = static_cast<uint32_t>(step.index);
  isStarting_ = context.recorded < 0;
  switch (step.operation.kind) {
    case OperationKind::Allocate:
      writeSegments(context);
      writeAllocation(step, context);
      break;
    case OperationKind::Free:
      completeFree(step.operation.request, context);
      writeSegments(context);
      break;
    case OperationKind::Ignored:
      requestFree(step.operation.request, context);
      break;
    default:
      writeSegments(context);
      break;
  }
  pending_.clear();
}

void RunTrace::writeSegments(const Context& context) {
  for (const AllocatorEvent& event : pending_) writeSegment(event, context);
  pending_.clear();
}

void RunTrace::writeSegment(const AllocatorEvent& event, const Context& context) {
  if (isBirth(event.kind)) {
    const bool isMap = event.kind == Kind::SegmentMap;
    return writeBirth(isMap ? Action::SegmentMap : Action::SegmentAlloc, event, context);
  }
  if (!isDeath(event.kind)) return;
  const Action action = event.kind == Kind::SegmentUnmap ? Action::SegmentUnmap : Action::SegmentFree;
  const EventIndex at =
      isStarting_ ? kBeforeFirst : addEvent(action, event.address, event.bytes, context, kNone);
  const uint32_t row = segments_.died(event.address, event.bytes, at);
  if (!isStarting_) device_.events.row.back() = row;
}

void RunTrace::writeBirth(Action action, const AllocatorEvent& event, const Context& context) {
  const bool isMap = action == Action::SegmentMap;
  const bool isPytorch = event.kind == Kind::SegmentAlloc;
  const bool isPrivate = device_.pools[context.pool] != std::pair<int64_t, int64_t>{0, 0};
  SegmentBook::Birth birth{.address = event.address,
                           .bytes = event.bytes,
                           .stack = context.stack,
                           .range = isMap ? rangeAt(event) : kNone,
                           .region = event.region,
                           .stream = context.stream,
                           .pool = context.pool,
                           .isLarge = isMap ? context.isLarge : event.bytes > kSmallSegment,
                           .isExpandable = isMap};
  if (isPytorch && !birth.isLarge && !isPrivate) birth.region = Region::Immediate;
  if (isMap && event.region == Region::Pooled) birth.region = Region::Virtual;
  const auto row = static_cast<uint32_t>(device_.segments.count());
  const EventIndex at =
      isStarting_ ? kBeforeFirst : addEvent(action, event.address, event.bytes, context, row);
  segments_.born(birth, at);
  if (isMap) ranges_.try_emplace(driver_->rangeOf(event.address), row);
}

/// Row of the first piece of the range that a piece lies in, kNone when it is the first.
uint32_t RunTrace::rangeAt(const AllocatorEvent& event) {
  const auto known = ranges_.find(driver_->rangeOf(event.address));
  if (known == ranges_.end()) return kNone;
  return device_.segments.range[known->second];
}

void RunTrace::addBlock(uint32_t request, uint64_t address, uint64_t bytes, EventIndex birth,
                        const Context& context) {
  const uint32_t segment = segments_.rowAt(address);
  if (segment == kNone)
    throw std::logic_error("the simulated " + request_.allocator + " placed a block outside its memory");
  const BlockColumns& source = recording_.device.blocks;
  const uint32_t recorded = recording_.requests.block[request];
  BlockColumns& blocks = device_.blocks;
  rowOf_[request] = static_cast<uint32_t>(blocks.count());
  blocks.address.push_back(address);
  blocks.bytes.push_back(bytes);
  const bool isKnown = recorded != kNone && source.requested[recorded] != 0;
  blocks.requested.push_back(isKnown ? std::min(source.requested[recorded], bytes) : bytes);
  blocks.birth.push_back(birth);
  blocks.freeRequested.push_back(kNever);
  blocks.death.push_back(kNever);
  blocks.stack.push_back(recorded == kNone ? context.stack : source.stack[recorded]);
  blocks.segment.push_back(segment);
  blocks.region.push_back(device_.segments.region[segment]);
  blocks.stream.push_back(recorded == kNone ? context.stream : source.stream[recorded]);
  blocks.pool.push_back(recorded == kNone || !knowsPools_ ? context.pool : source.pool[recorded]);
}

void RunTrace::writeAllocation(const ReplayStep& step, const Context& context) {
  const Placement& placed = step.placement;
  const uint64_t asked = step.operation.bytes;
  if (placed.outcome == Outcome::Placed) {
    const EventIndex birth = isStarting_ ? kBeforeFirst
                                         : addEvent(Action::Alloc, placed.address, asked, context,
                                                    static_cast<uint32_t>(device_.blocks.count()));
    return addBlock(step.operation.request, placed.address, placed.bytes, birth, context);
  }
  if (placed.outcome == Outcome::Nothing) return;
  if (!isStarting_) addEvent(Action::OutOfMemory, driver_->freeBytes(), asked, context, kNone);
}

void RunTrace::requestFree(uint32_t request, const Context& context) {
  const uint32_t row = rowOf_[request];
  if (row == kNone || device_.blocks.freeRequested[row] != kNever) return;
  device_.blocks.freeRequested[row] = context.recorded < 0
                                          ? kBeforeFirst
                                          : addEvent(Action::FreeRequested, device_.blocks.address[row],
                                                     device_.blocks.requested[row], context, row);
}

void RunTrace::completeFree(uint32_t request, const Context& context) {
  const uint32_t row = rowOf_[request];
  if (row == kNone) return;
  requestFree(request, context);
  device_.blocks.death[row] = addEvent(Action::FreeCompleted, device_.blocks.address[row],
                                       device_.blocks.requested[row], context, row);
  rowOf_[request] = kNone;
}

/// The end, as the run itself leaves it: what is mapped in one piece is one segment, holes are inactive
/// blocks.
void RunTrace::writeFinalState() {
  FinalState& final = device_.final;
  const BlockColumns& blocks = device_.blocks;
  const SegmentColumns& rows = device_.segments;
  std::vector<uint32_t> alive;
  for (uint32_t row = 0; row < blocks.count(); ++row)
    if (blocks.death[row] == kNever) alive.push_back(row);
  std::sort(alive.begin(), alive.end(),
            [&](uint32_t a, uint32_t b) { return blocks.address[a] < blocks.address[b]; });
  for (const auto& [address, row] : segments_.live()) {
    const bool isContinued = !final.segments.empty() && rows.isExpandable[row] != 0 &&
                             final.segments.back().isExpandable &&
                             final.segments.back().address + final.segments.back().bytes == address &&
                             final.segments.back().firstBlock == rows.range[row];
    if (isContinued) {
      final.segments.back().bytes += rows.bytes[row];
      continue;
    }
    FinalState::Segment segment;
    segment.address = address;
    segment.bytes = rows.bytes[row];
    segment.stack = rows.stack[row];
    segment.stream = rows.stream[row];
    segment.pool = rows.pool[row];
    segment.isLarge = rows.isLarge[row] != 0;
    segment.isExpandable = rows.isExpandable[row] != 0;
    segment.firstBlock = rows.range[row];  // until the blocks are known: which range it is
    final.segments.push_back(segment);
  }
  size_t next = 0;
  const auto add = [&](uint64_t address, uint64_t bytes, uint64_t requested, BlockState state,
                       uint32_t stack) {
    final.blockAddress.push_back(address);
    final.blockBytes.push_back(bytes);
    final.blockRequested.push_back(requested);
    final.blockState.push_back(state);
    final.blockStack.push_back(stack);
  };
  for (FinalState::Segment& segment : final.segments) {
    segment.firstBlock = static_cast<uint32_t>(final.blockAddress.size());
    const uint64_t end = segment.address + segment.bytes;
    uint64_t reach = segment.address;
    for (; next < alive.size() && blocks.address[alive[next]] < end; ++next) {
      const uint32_t row = alive[next];
      if (blocks.address[row] > reach)
        add(reach, blocks.address[row] - reach, 0, BlockState::Inactive, kNone);
      const bool isAllocated = blocks.freeRequested[row] == kNever;
      add(blocks.address[row], blocks.bytes[row], blocks.requested[row],
          isAllocated ? BlockState::Allocated : BlockState::PendingFree, blocks.stack[row]);
      reach = blocks.address[row] + blocks.bytes[row];
      if (isAllocated) segment.allocated += blocks.bytes[row];
      segment.active += blocks.bytes[row];
      segment.requested += blocks.requested[row];
    }
    if (reach < end) add(reach, end - reach, 0, BlockState::Inactive, kNone);
    segment.blockCount = static_cast<uint32_t>(final.blockAddress.size()) - segment.firstBlock;
  }
}

/// Exact where the model's rules alone made it; an estimate where the recording could not tell all.
void RunTrace::judge(const RunSummary& summary) {
  Exactness& exactness = device_.exactness;
  const RecordedRequests& requests = recording_.requests;
  const Exactness::Verdict source = recording_.device.exactness.verdict;
  const bool isFollowing = summary.reproduces.has_value();
  if (isFollowing) {
    exactness.placements = summary.reproduces->placements;
    exactness.placementsMatched = summary.reproduces->placementsMatched;
    exactness.segmentEvents = summary.reproduces->segmentEvents;
    exactness.segmentEventsMatched = summary.reproduces->segmentEventsMatched;
    exactness.finalBlocks = summary.reproduces->finalBlocks;
    exactness.finalBlocksMatched = summary.reproduces->finalBlocksMatched;
  }
  const bool isEstimated = source == Exactness::Verdict::Estimated || source == Exactness::Verdict::Mismatch;
  std::string because;
  const auto owe = [&](bool isSo, const char* sentence) {
    if (isSo) because.append(because.empty() ? "" : " ").append(sentence);
  };
  owe(isEstimated, "The recording itself is partly estimated.");
  owe(!isFollowing && requests.olderBlocks > 0, "Blocks older than the recording were placed first.");
  owe(requests.streamFrees > 0, "Frees that waited for streams keep their recorded times.");
  owe(requests.failedRequests > 0,
      "Requests that failed in the recording are asked with their rounded size.");
  owe(requests.unmatchedFrees > 0, "Events that free what was never asked for are left out.");
  owe(!recording_.device.areRequestsKnown, "The recording knows rounded sizes only.");
  exactness.verdict = because.empty() ? Exactness::Verdict::Exact : Exactness::Verdict::Estimated;
  exactness.code = because.empty() ? "simulated" : "simulated-estimate";
  exactness.because = because.empty() ? "The allocator's own rules placed every block." : because;
}

Trace RunTrace::finish(const RunSummary& summary, std::vector<uint32_t>& operationOf) {
  writeFinalState();
  judge(summary);
  trace_.strings.seal();
  trace_.devices.push_back(std::move(device_));
  operationOf = std::move(operationOf_);
  return std::move(trace_);
}

}  // namespace strata::what_if
