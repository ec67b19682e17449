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

void Timeline::addLive(uint32_t row) {
  const uint64_t address = blocks_.address[row], end = address + blocks_.bytes[row];
  live_.insert({address, end, row}, [](const LiveBlocks::Block&) {});  // over nothing: that was ended before
  touched_.add(address, end);
  liveBytes_ += end - address;
}

void Timeline::bury(const LiveBlocks::Block& block, EventIndex event) {
  blocks_.freeRequested[block.row] = blocks_.death[block.row] = event;
  heap_.giveBack(block.address, block.end - block.address);
  liveBytes_ -= block.end - block.address;
}

bool Timeline::endOverlapping(uint64_t from, uint64_t to, EventIndex event, const Place& place) {
  bool hasEnded = false;
  live_.removeOverlapping(from, to, [&](const LiveBlocks::Block& block) {
    (block.address == from ? oddities_.handedOutTwice : oddities_.overlapping).note(textPlace(place));
    bury(block, event);
    hasEnded = true;
  });
  return hasEnded;
}

uint32_t Timeline::takeRegion(uint64_t from, uint64_t bytes, EventIndex event) {
  Entry entry;
  entry.address = from;
  entry.bytes = bytes;
  const Region region = isCensus ? Region::Virtual : Region::Pooled;
  if (event == kBeforeFirst) return segments_.hold(entry, region, 0);
  return segments_.take(entry, region, 0, event);
}

void Timeline::endRegion(uint64_t from, uint64_t to, EventIndex event, const Place& place) {
  live_.removeOverlapping(from, to, [&](const LiveBlocks::Block& block) {
    oddities_.endedWithSegment.note(textPlace(place));
    bury(block, event);
  });
  for (const uint32_t row : segments_.overlapping(from, to)) segments_.end(row, event);
}

/// Whether the line of verbosity 4 says once more what the line of verbosity 3 just said.
bool Timeline::isRepeated(const Allocate& allocated) const {
  uint32_t row = 0;
  return live_.find(allocated.address, row) &&
         blocks_.birth[row] + 1 == static_cast<EventIndex>(events_.count()) &&
         blocks_.requested[row] == allocated.bytes;
}

void Timeline::allocate(const Allocate& allocated, uint32_t stack, const Place& place) {
  if (allocated.isDebug && !hasDebugLines_) {
    hasDebugLines_ = true;
    unnamedFree_.reset();
    if (isRepeated(allocated)) {
      uint32_t row = 0;
      live_.find(allocated.address, row);
      blocks_.stack[row] = events_.stack.back() = stack;
      return;
    }
  }
  if (!allocated.isDebug && hasDebugLines_) return;
  if (unnamedFree_) freeUnnamed(*std::exchange(unnamedFree_, std::nullopt), unnamedFreePlace_);
  const uint64_t from = allocated.address, to = from + Heap::rounded(allocated.bytes);
  if (from == to) return;  // nothing was asked for, and nothing is there
  const PlacedSegments::Around around = segments_.around(from, to);
  if (around.fit == PlacedSegments::Fit::Across) {
    touched_.add(from, to);
    return oddities_.acrossSegments.note(textPlace(place));
  }
  ++streamed_;
  const EventIndex event = addEvent(Action::Alloc, from, allocated.bytes, stack, place);
  if (endOverlapping(from, to, event, place)) mismatch(event);
  if (around.row != kNone) segments_.join(from, to);
  const Heap::Taken taken = heap_.take(from, allocated.bytes);
  ++placements_;
  foretold_ += taken.isForetold;
  outsideRegions_ += !taken.isInRegion;
  if (taken.isInRegion && !taken.isForetold) mismatch(event);
  const uint32_t row = addBlock(from, taken.bytes, allocated.bytes, event, stack);
  addLive(row);
  events_.row.back() = row;
  if (!hasDebugLines_) byRequest_[allocated.bytes].push_back(from);
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
  uint32_t row = 0;
  if (!live_.remove(address, row)) return freeOlder(address, bytes, event, place);
  if (bytes > blocks_.bytes[row]) oddities_.sizeDiffers.note(textPlace(place));
  events_.row.back() = row;
  bury({address, address + blocks_.bytes[row], row}, event);
}

/// Where no block was since the log began, one must have been since before.
void Timeline::freeOlder(uint64_t address, uint64_t bytes, EventIndex event, const Place& place) {
  const uint64_t least = Heap::rounded(bytes), end = address + std::max<uint64_t>(least, 1);
  if (touched_.touches(address, end) || segments_.wasTaken(address, end)) {
    mismatch(event);
    return oddities_.freedTwice.note(textPlace(place));
  }
  if (segments_.around(address, end).fit == PlacedSegments::Fit::Across)
    return oddities_.acrossSegments.note(textPlace(place));
  ++olderFrees_;
  if (least == 0) return;
  touched_.add(address, end);
  const uint32_t row = addBlock(address, least, bytes, kBeforeFirst, kNone);
  blocks_.freeRequested[row] = blocks_.death[row] = event;
  outsideRegions_ += !heap_.regionOf(address).has_value();
  heap_.giveBack(address, least);
  events_.row.back() = row;
}

/// Of several blocks of that size the oldest is taken to be the one.
void Timeline::freeUnnamed(const Deallocate& freed, const Place& place) {
  std::vector<uint64_t>& addresses = byRequest_[freed.bytes];
  std::erase_if(addresses, [&](uint64_t address) {
    uint32_t row = 0;
    return !live_.find(address, row) || blocks_.requested[row] != freed.bytes;
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
  if (segments_.same(from, to - from) != kNone) return oddities_.takenTwice.note(textPlace(place));
  for (const Heap::Extent& gone : heap_.dropOverlapping(from, to - from)) {
    oddities_.takenOver.note(textPlace(place));
    endRegion(gone.address, gone.address + gone.bytes, event, place);
  }
  endRegion(from, to, event, place);  // blocks of which no region was known
  heap_.addRegion(from, to - from);
  events_.row.back() = takeRegion(from, to - from, event);
}

void Timeline::returnRegions(const Place& place) {
  for (const Heap::Extent& gone : heap_.dropWhollyFree()) {
    for (const uint32_t row : segments_.overlapping(gone.address, gone.address + gone.bytes)) {
      const uint64_t address = segments_.startOf(row);
      const EventIndex event =
          addEvent(Action::SegmentFree, address, segments_.endOf(row) - address, kNone, place);
      events_.row.back() = row;
      segments_.end(row, event);
    }
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
    reconcileRegions(dump, event);
    reconcileBlocks(dump, event);
    restateHeap(dump);
    ++dumps_;
  }
  boundByStatements(dump);
}

/// Which of the regions that a dump is the first to show cannot have been there before the first event: a
/// block lay across their border, or another region was there. O((blocks + pieces) log pieces).
std::vector<bool> Timeline::contradicted(const std::vector<Piece>& fresh) const {
  std::vector<bool> isContradicted(fresh.size());
  std::vector<int> crossing(fresh.size() + 1);  // differences of how many blocks lie across
  for (size_t row = 0; row < blocks_.count(); ++row) {
    const uint64_t from = blocks_.address[row], to = from + blocks_.bytes[row];
    const auto first = std::partition_point(fresh.begin(), fresh.end(),
                                            [&](const Piece& piece) { return piece.end <= from; });
    const auto last =
        std::partition_point(first, fresh.end(), [&](const Piece& piece) { return piece.address < to; });
    if (first == last || (first->address <= from && to <= first->end)) continue;
    ++crossing[static_cast<size_t>(first - fresh.begin())];
    --crossing[static_cast<size_t>(last - fresh.begin())];
  }
  int across = 0;
  for (size_t piece = 0; piece < fresh.size(); ++piece) {
    across += crossing[piece];
    isContradicted[piece] = across != 0 || segments_.wasTaken(fresh[piece].address, fresh[piece].end);
  }
  return isContradicted;
}

/// Ends the regions that a dump does not show.
void Timeline::endOthers(const Dump& dump, const std::unordered_set<uint32_t>& kept,
                         const std::vector<Piece>& fresh, EventIndex event) {
  AddressSpans places;
  for (const Piece& piece : fresh) places.add(piece.address, piece.end);
  ended_ = {};
  for (const uint32_t row : segments_.overlapping(0, kAddressSpace)) {
    const uint64_t start = segments_.startOf(row), stop = segments_.endOf(row);
    if (kept.contains(row) || (isAddition(dump) && !places.overlaps(start, stop))) continue;
    ended_.add(start, stop);
    segments_.end(row, event);
  }
}

/// Whether a run lies inside of regions that are known, and no other run contradicts those that touch them.
bool Timeline::isInsideOf(const DumpRun& run, const AddressSpans& known, const AddressSpans& across) {
  const uint64_t end = run.address + run.bytes;
  auto span = known.spans().upper_bound(run.address);
  if (span == known.spans().begin()) return false;
  --span;
  return span->second >= end && !across.overlaps(span->first, span->second);
}

/// Segments that a region is made of stay; what is new of it becomes one more piece of the same range.
void Timeline::reconcileRegions(const Dump& dump, EventIndex event) {
  SegmentColumns& columns = segments_.columns();
  std::vector<Piece> fresh;
  std::unordered_set<uint32_t> kept;
  AddressSpans known, across;
  for (const uint32_t row : segments_.overlapping(0, kAddressSpace))
    known.add(segments_.startOf(row), segments_.endOf(row));
  for (const DumpRun& run : dump.runs) {
    const uint64_t end = run.address + run.bytes;
    if (segments_.around(run.address, end).fit == PlacedSegments::Fit::Across) across.add(run.address, end);
  }
  for (const DumpRun& run : dump.runs) {
    uint64_t at = run.address;
    const uint64_t end = run.address + run.bytes;
    if (isAddition(dump) && isInsideOf(run, known, across)) {
      segments_.join(at, end);
      for (const uint32_t row : segments_.overlapping(at, end)) kept.insert(row);
      continue;
    }
    uint32_t range = kNone;
    while (at < end) {
      const uint32_t piece = segments_.at(at);
      if (piece == kNone || segments_.endOf(piece) > end) break;
      if (range == kNone) range = columns.range[piece];
      columns.range[piece] = range;
      kept.insert(piece);
      at = segments_.endOf(piece);
    }
    if (at < end) fresh.push_back({at, end, range});
  }
  const bool isFirst = dumps_ == 0;
  const std::vector<bool> isLater = isFirst ? contradicted(fresh) : std::vector<bool>(fresh.size(), true);
  endOthers(dump, kept, fresh, event);
  for (size_t i = 0; i < fresh.size(); ++i) {
    const Piece& piece = fresh[i];
    const uint32_t row =
        takeRegion(piece.address, piece.end - piece.address, isLater[i] ? event : kBeforeFirst);
    if (piece.range != kNone) columns.range[row] = piece.range;
  }
}

/// A block that the events do not know is older than they are, unless they used its place for others or its
/// region came later.
void Timeline::reconcileBlocks(const Dump& dump, EventIndex event) {
  const bool isStreamed = streamed_ != 0;
  AddressSpans used, told;
  if (dumps_ == 0 && isStreamed) {
    for (size_t row = 0; row < blocks_.count(); ++row)
      used.add(blocks_.address[row], blocks_.address[row] + blocks_.bytes[row]);
  }
  for (const DumpRun& run : dump.runs) told.add(run.address, run.address + run.bytes);
  LiveBlocks before = std::exchange(live_, {});
  liveBytes_ = 0;
  for (const DumpChunk& chunk : dump.chunks) {
    if (!chunk.isInUse) continue;
    compared_ += isStreamed;
    uint32_t row = 0;
    const bool isKnown = before.find(chunk.address, row) && blocks_.bytes[row] == chunk.size;
    if (isKnown) {
      agreed_ += isStreamed;
      before.remove(chunk.address, row);
    } else {
      areRequestsKnown_ = isCensus;
      const std::vector<uint32_t> regions = segments_.overlapping(chunk.address, chunk.end());
      const bool isRegionOlder = std::all_of(regions.begin(), regions.end(),
                                             [&](uint32_t region) { return segments_.isOlder(region); });
      const bool isOlder = dumps_ == 0 && isRegionOlder && !used.overlaps(chunk.address, chunk.end());
      row = addBlock(chunk.address, chunk.size, chunk.size, isOlder ? kBeforeFirst : event,
                     stackOfOp(chunk.op));
    }
    addLive(row);
    if (isKnown) noteRegionOf({chunk.address, chunk.end(), row}, event);
  }
  before.removeOverlapping(0, kAddressSpace, [&](const LiveBlocks::Block& block) {
    if (isAddition(dump) && isStillThere(block, told)) return addLive(block.row);
    blocks_.freeRequested[block.row] = blocks_.death[block.row] = event;
  });
  for (const DumpRun& run : dump.runs) touched_.add(run.address, run.address + run.bytes);
}

/// Whether nothing that a dump says contradicts a block that it does not hold.
bool Timeline::isStillThere(const LiveBlocks::Block& block, const AddressSpans& told) const {
  return !told.overlaps(block.address, block.end) && !ended_.overlaps(block.address, block.end) &&
         segments_.around(block.address, block.end).fit != PlacedSegments::Fit::Across;
}

/// A block that was there before may lie in a region that is known from this dump on only.
void Timeline::noteRegionOf(const LiveBlocks::Block& block, EventIndex event) {
  const uint32_t region = segments_.around(block.address, block.end).row;
  if (region != kNone && segments_.columns().birth[region] == event) laterRegion_.emplace(block.row, event);
}

void Timeline::restateHeap(const Dump& dump) {
  if (isAddition(dump)) return rebuildHeap();
  heap_.clear();
  for (const DumpRun& run : dump.runs) {
    heap_.noteRegion(run.address, run.bytes);
    for (size_t i = run.firstChunk; i < run.firstChunk + run.chunkCount; ++i)
      if (!dump.chunks[i].isInUse) heap_.addFree(dump.chunks[i].address, dump.chunks[i].size);
  }
}

/// From the regions that are known and the blocks in them.
void Timeline::rebuildHeap() {
  heap_.clear();
  for (const uint32_t row : segments_.overlapping(0, kAddressSpace))
    heap_.addRegion(segments_.startOf(row), segments_.endOf(row) - segments_.startOf(row));
  LiveBlocks blocks = live_;
  blocks.removeOverlapping(0, kAddressSpace, [&](const LiveBlocks::Block& block) {
    heap_.use(block.address, block.end - block.address);
  });
}

uint64_t Timeline::bytesInRegions() const {
  uint64_t bytes = 0;
  for (const uint32_t row : segments_.overlapping(0, kAddressSpace))
    bytes += segments_.endOf(row) - segments_.startOf(row);
  return bytes;
}

/// What the statistics state beyond the chunks that could be read is there, somewhere. Where a dump lacks
/// lines and states no totals, nobody knows how much more there was, unless events tell.
void Timeline::boundByStatements(const Dump& dump) {
  if (isCensus) return;
  const auto beyond = [](uint64_t stated, uint64_t read) { return stated > read ? stated - read : 0; };
  const uint64_t inUse = liveBytes_, pool = bytesInRegions();
  const bool isInUseStated = dump.stats.contains("InUse");
  const uint64_t statedInUse = std::min(stat(dump, "InUse", inUse), kAddressSpace);
  const uint64_t statedPool =
      dump.totals ? std::min(dump.totals->pool, kAddressSpace) : std::max(statedInUse, pool);
  uint64_t reserved = beyond(statedPool, pool), active = beyond(statedInUse, inUse);
  const bool areEventsKnown = streamed_ != 0;
  const bool isHeapListed = dumps_ != 0 || areEventsKnown;
  const bool isDumpWhole = dump.isWhole && isHeapListed && reserved == 0 && (active == 0 || areEventsKnown);
  isWhole_ = isWhole_ && isDumpWhole;
  if (!isDumpWhole && !areEventsKnown) {
    if (!dump.totals) reserved = kUnknownBytes;
    if (!isInUseStated) active = dump.totals ? beyond(statedPool, inUse) : kUnknownBytes;
  }
  possible_.reserved = std::max(possible_.reserved, reserved);
  possible_.active = std::max(possible_.active, active);
  possible_.allocated = possible_.requested = possible_.active;
}

void Timeline::describeFailure(const TensorRefused& tensor) {
  if (lastFailure_ == kNever) return;
  events_.label[lastFailure_] = trace_.strings.intern("tensor of shape " + repairUtf8(tensor.shape) +
                                                      ", type " + repairUtf8(tensor.type));
  lastFailure_ = kNever;
}

}  // namespace strata::bfc
