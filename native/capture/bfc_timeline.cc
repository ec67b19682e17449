#include "capture/bfc_timeline.h"

#include <algorithm>
#include <utility>

#include "capture/address_spans.h"
#include "capture/possible_memory.h"
#include "capture/text.h"
#include "trace/append_rows.h"

namespace strata::bfc {
namespace {

constexpr uint64_t kImmediateBelow = uint64_t{2} << 20;  // DESIGN.md: a log has no pools, so size decides

Region regionOf(uint64_t requested) {
  return requested < kImmediateBelow ? Region::Immediate : Region::Pooled;
}

uint64_t stat(const Dump& dump, const char* name, uint64_t otherwise) {
  const auto found = dump.stats.find(name);
  return found == dump.stats.end() ? otherwise : found->second.first;
}

/// What the allocator may still take from the driver: its limit less its pool, or
/// kUnknownBytes.
uint64_t roomToGrow(const Dump& dump) {
  if (dump.totals) return dump.totals->available;
  const uint64_t pool = dump.bytesInRuns(), limit = stat(dump, "Limit", kUnknownBytes);
  if (limit == kUnknownBytes) return kUnknownBytes;
  return limit > pool ? limit - pool : 0;
}

}  // namespace

std::optional<int64_t> Timeline::firstTime() const {
  if (!isTimed_ || events_.time.empty()) return std::nullopt;
  return events_.time.front();
}

EventIndex Timeline::addEvent(Action action, uint64_t address, uint64_t size, uint32_t stack,
                              const Place& place) {
  if (!place.time && events_.time.empty()) isTimed_ = false;
  const int64_t time = std::max(place.time.value_or(lastTime_), lastTime_);
  lastTime_ = time;
  events_.action.push_back(action);
  events_.address.push_back(address);
  events_.size.push_back(size);
  events_.time.push_back(time);
  events_.stack.push_back(stack);
  events_.stream.push_back(0);
  events_.pool.push_back(0);
  events_.label.push_back(kNone);
  events_.row.push_back(kNone);
  return static_cast<EventIndex>(events_.count() - 1);
}

uint32_t Timeline::addBlock(uint64_t address, uint64_t bytes, uint64_t requested, EventIndex birth,
                            uint32_t stack) {
  BlockRow block{address, bytes, requested, birth};
  block.stack = stack;
  block.region = isCensus ? Region::Virtual : regionOf(requested);
  return appendRow(blocks_, block);
}

void Timeline::endBlock(std::map<uint64_t, Live>::iterator block, EventIndex event) {
  const uint32_t row = block->second.row;
  blocks_.freeRequested[row] = blocks_.death[row] = event;
  heap_.giveBack(block->first, block->second.bytes);
  live_.erase(block);
}

bool Timeline::endOverlapping(uint64_t address, uint64_t bytes, EventIndex event) {
  bool hasEnded = false;
  auto block = live_.upper_bound(address);
  if (block != live_.begin() && address - std::prev(block)->first < std::prev(block)->second.bytes) --block;
  while (block != live_.end() && (block->first <= address || block->first - address < bytes)) {
    const auto gone = block++;
    endBlock(gone, event);
    hasEnded = true;
  }
  return hasEnded;
}

uint32_t Timeline::addSegment(uint64_t address, uint64_t bytes, EventIndex birth) {
  SegmentRow segment{address, bytes, birth};
  if (isCensus) segment.region = Region::Virtual;
  const uint32_t row = appendRow(segments_, segment);
  liveSegments_[address] = row;
  return row;
}

void Timeline::endSegment(uint64_t address, EventIndex event) {
  const auto segment = liveSegments_.find(address);
  if (segment == liveSegments_.end()) return;
  segments_.death[segment->second] = event;
  liveSegments_.erase(segment);
}

void Timeline::allocate(const Allocate& allocated, uint32_t stack, const Place& place) {
  if (allocated.isDebug && !hasDebugLines_) {
    hasDebugLines_ = true;
    unnamedFree_.reset();
    const auto said = live_.find(allocated.address);
    const bool isRepeated = said != live_.end() &&
                            blocks_.birth[said->second.row] + 1 == static_cast<EventIndex>(events_.count()) &&
                            blocks_.requested[said->second.row] == allocated.bytes;
    if (isRepeated) {
      blocks_.stack[said->second.row] = events_.stack.back() = stack;
      return;
    }
  }
  if (!allocated.isDebug && hasDebugLines_) return;
  if (unnamedFree_) freeUnnamed(*std::exchange(unnamedFree_, std::nullopt), unnamedFreePlace_);
  ++streamed_;
  const EventIndex event = addEvent(Action::Alloc, allocated.address, allocated.bytes, stack, place);
  if (endOverlapping(allocated.address, Heap::rounded(allocated.bytes), event)) {
    ++lostFrees_;
    mismatch(event);
  }
  const Heap::Taken taken = heap_.take(allocated.address, allocated.bytes);
  ++placements_;
  foretold_ += taken.isForetold;
  outsideRegions_ += !taken.isInRegion;
  if (taken.isInRegion && !taken.isForetold) mismatch(event);
  const uint32_t row = addBlock(allocated.address, taken.bytes, allocated.bytes, event, stack);
  live_[allocated.address] = {row, taken.bytes};
  touched_.add(allocated.address, allocated.address + taken.bytes);
  events_.row.back() = row;
  if (!hasDebugLines_) byRequest_[allocated.bytes].push_back(allocated.address);
}

void Timeline::deallocate(const Deallocate& freed, uint32_t stack, const Place& place) {
  if (freed.address) {
    hasDebugLines_ = true;
    unnamedFree_.reset();
    byRequest_.clear();
    if (*freed.address != 0) freeAt(*freed.address, freed.bytes, stack, place);
    return;
  }
  if (hasDebugLines_ || freed.bytes == 0) return;
  if (unnamedFree_) freeUnnamed(*std::exchange(unnamedFree_, std::nullopt), unnamedFreePlace_);
  unnamedFree_ = freed;
  unnamedFreePlace_ = place;
}

void Timeline::freeAt(uint64_t address, uint64_t bytes, uint32_t stack, const Place& place) {
  ++streamed_;
  const EventIndex event = addEvent(Action::FreeCompleted, address, bytes, stack, place);
  auto block = live_.find(address);
  if (block == live_.end()) {
    const uint64_t least = Heap::rounded(bytes);
    if (endOverlapping(address, least, event)) mismatch(event);
    if (touched_.touches(address, address + least)) {  // handed out once more, by a line that is not there
      mismatch(event);
      return;
    }
    ++olderFrees_;
    if (least == 0) return;
    touched_.add(address, address + least);
    const uint32_t row = addBlock(address, least, bytes, kBeforeFirst, kNone);
    blocks_.freeRequested[row] = blocks_.death[row] = event;
    outsideRegions_ += !heap_.regionOf(address).has_value();
    heap_.giveBack(address, least);
    events_.row.back() = row;
    return;
  }
  events_.row.back() = block->second.row;
  endBlock(block, event);
}

/// Of several blocks of that size the oldest is taken to be the one.
void Timeline::freeUnnamed(const Deallocate& freed, const Place& place) {
  std::vector<uint64_t>& addresses = byRequest_[freed.bytes];
  std::erase_if(addresses, [&](uint64_t address) {
    const auto block = live_.find(address);
    return block == live_.end() || blocks_.requested[block->second.row] != freed.bytes;
  });
  if (addresses.empty()) {
    ++olderFrees_;  // of a block from before the log, whose place is not known
    return;
  }
  if (addresses.size() > 1) ++ambiguousFrees_;
  const uint64_t address = addresses.front();
  addresses.erase(addresses.begin());
  freeAt(address, freed.bytes, kNone, place);
}

void Timeline::extend(uint64_t from, uint64_t to, const Place& place) {
  const EventIndex event = addEvent(Action::SegmentAlloc, from, to - from, kNone, place);
  endOverlapping(from, to - from, event);
  for (const uint64_t gone : heap_.dropOverlapping(from, to - from)) endSegment(gone, event);
  heap_.addRegion(from, to - from);
  events_.row.back() = addSegment(from, to - from, event);
}

void Timeline::returnRegions(const Place& place) {
  for (const uint64_t address : heap_.dropWhollyFree()) {
    const auto segment = liveSegments_.find(address);
    if (segment == liveSegments_.end()) continue;
    const uint32_t row = segment->second;
    const EventIndex event = addEvent(Action::SegmentFree, address, segments_.bytes[row], kNone, place);
    events_.row.back() = row;
    endSegment(address, event);
    ++returned_;
  }
}

/// The op that asked, as a stack of one frame without a file.
uint32_t Timeline::stackOfOp(const std::string& op) {
  if (op.empty()) return kNone;
  const uint32_t frame =
      trace_.frames.intern(trace_.strings.intern(repairUtf8(op)), trace_.strings.intern(""), 0);
  return trace_.stacks.intern({&frame, 1});
}

void Timeline::addDump(const Dump& dump) {
  if (unnamedFree_) freeUnnamed(*std::exchange(unnamedFree_, std::nullopt), unnamedFreePlace_);
  const uint32_t stack = stackOfOp(dump.op);
  const uint64_t asked = dump.rounded.value_or(Heap::rounded(static_cast<uint64_t>(dump.roundedAbout)));
  const EventIndex event = dump.hasFailed
                               ? addEvent(Action::OutOfMemory, roomToGrow(dump), asked, stack, dump.place)
                               : addEvent(Action::Snapshot, 0, dump.bytesInUse(), kNone, dump.place);
  if (dump.hasFailed) lastFailure_ = event;
  isWhole_ = isWhole_ && dump.isWhole;
  if (!dump.runs.empty()) {
    reconcileSegments(dump, event);
    reconcileBlocks(dump, event);
    restateHeap(dump);
    ++dumps_;
  }
  boundByStatements(dump);
}

/// Segments that a region is made of stay; what is new of it becomes one more piece of the same range.
void Timeline::reconcileSegments(const Dump& dump, EventIndex event) {
  struct Piece {
    uint64_t address, bytes;
    uint32_t range;
  };
  std::vector<Piece> fresh;
  std::map<uint64_t, uint32_t> kept;
  for (const DumpRun& run : dump.runs) {
    uint64_t at = run.address;
    const uint64_t end = run.address + run.bytes;
    uint32_t range = kNone;
    while (at < end) {
      const auto known = liveSegments_.find(at);
      if (known == liveSegments_.end() || segments_.bytes[known->second] > end - at) break;
      if (range == kNone) range = segments_.range[known->second];
      segments_.range[known->second] = range;
      kept.insert(*known);
      at += segments_.bytes[known->second];
    }
    if (at < end) fresh.push_back({at, end - at, range});
  }
  AddressSpans earlier;
  for (size_t row = 0; row < segments_.count(); ++row)
    earlier.add(segments_.address[row], segments_.address[row] + segments_.bytes[row]);
  const std::map<uint64_t, uint32_t> before = std::exchange(liveSegments_, std::move(kept));
  for (const auto& [address, row] : before)
    if (!liveSegments_.contains(address)) segments_.death[row] = event;
  for (const Piece& piece : fresh) {
    const bool isOlder = dumps_ == 0 && !earlier.overlaps(piece.address, piece.address + piece.bytes);
    const uint32_t row = addSegment(piece.address, piece.bytes, isOlder ? kBeforeFirst : event);
    if (piece.range != kNone) segments_.range[row] = piece.range;
  }
}

/// A block that the events do not know is older than they are, unless they used its place for others.
void Timeline::reconcileBlocks(const Dump& dump, EventIndex event) {
  const bool isStreamed = streamed_ != 0;
  AddressSpans used;
  if (dumps_ == 0 && isStreamed) {
    for (size_t row = 0; row < blocks_.count(); ++row)
      used.add(blocks_.address[row], blocks_.address[row] + blocks_.bytes[row]);
  }
  for (const DumpRun& run : dump.runs) touched_.add(run.address, run.address + run.bytes);
  std::map<uint64_t, Live> now;
  const auto keepOrAdd = [&](const DumpChunk& chunk) {
    compared_ += isStreamed;
    const auto known = live_.find(chunk.address);
    if (known != live_.end() && known->second.bytes == chunk.size) {
      agreed_ += isStreamed;
      now.insert(live_.extract(known));
      return;
    }
    areRequestsKnown_ = isCensus;
    const bool isOlder = dumps_ == 0 && !used.overlaps(chunk.address, chunk.address + chunk.size);
    const uint32_t row =
        addBlock(chunk.address, chunk.size, chunk.size, isOlder ? kBeforeFirst : event, stackOfOp(chunk.op));
    now[chunk.address] = {row, chunk.size};
  };
  for (const DumpRun& run : dump.runs) {
    for (size_t i = run.firstChunk; i < run.firstChunk + run.chunkCount; ++i)
      if (dump.chunks[i].isInUse) keepOrAdd(dump.chunks[i]);
  }
  while (!live_.empty()) endBlock(live_.begin(), event);
  live_ = std::move(now);
}

void Timeline::restateHeap(const Dump& dump) {
  heap_.clear();
  for (const DumpRun& run : dump.runs) {
    heap_.noteRegion(run.address, run.bytes);
    for (size_t i = run.firstChunk; i < run.firstChunk + run.chunkCount; ++i)
      if (!dump.chunks[i].isInUse) heap_.addFree(dump.chunks[i].address, dump.chunks[i].size);
  }
}

/// What the statistics state beyond the chunks that could be read is there, somewhere.
void Timeline::boundByStatements(const Dump& dump) {
  const auto beyond = [](uint64_t stated, uint64_t read) { return stated > read ? stated - read : 0; };
  const uint64_t inUse = dump.bytesInUse(), pool = dump.bytesInRuns();
  const uint64_t statedInUse = std::min(stat(dump, "InUse", inUse), kAddressSpace);
  const uint64_t statedPool =
      dump.totals ? std::min(dump.totals->pool, kAddressSpace) : std::max(statedInUse, pool);
  possible_ = {};
  if (dump.isWhole && !dump.runs.empty()) return;
  possible_.reserved = beyond(statedPool, pool);
  possible_.allocated = possible_.active = possible_.requested = beyond(statedInUse, inUse);
  isWhole_ = isWhole_ && possible_.reserved == 0;
}

void Timeline::describeFailure(const TensorRefused& tensor) {
  if (lastFailure_ == kNever) return;
  events_.label[lastFailure_] = trace_.strings.intern("tensor of shape " + repairUtf8(tensor.shape) +
                                                      ", type " + repairUtf8(tensor.type));
  lastFailure_ = kNever;
}

}  // namespace strata::bfc
