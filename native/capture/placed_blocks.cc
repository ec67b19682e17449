#include "capture/placed_blocks.h"

#include <algorithm>
#include <numeric>

#include "capture/capture.h"
#include "capture/possible_memory.h"
#include "capture/text_warnings.h"

namespace strata {
namespace {

constexpr uint32_t kOlder = 1u << 31;

template <typename T>
void putBefore(std::vector<T>& rows, const std::vector<T>& first) {
  rows.insert(rows.begin(), first.begin(), first.end());
}

}  // namespace

uint32_t PlacedBlocks::append(BlockColumns& to, const Entry& entry, uint64_t requested, EventIndex birth,
                              uint16_t stream) {
  to.address.push_back(entry.address);
  to.bytes.push_back(entry.bytes);
  to.requested.push_back(std::min(requested, entry.bytes));
  to.birth.push_back(birth);
  to.freeRequested.push_back(kNever);
  to.death.push_back(kNever);
  to.stack.push_back(birth == kBeforeFirst ? kNone : entry.stack);
  to.segment.push_back(kNone);
  to.region.push_back(regionBySize(entry.bytes));
  to.stream.push_back(stream);
  return static_cast<uint32_t>(to.count() - 1);
}

PlacedSegments::Around PlacedBlocks::around(const Entry& entry) const {
  if (segments_.isEmpty() || entry.bytes == 0) return {PlacedSegments::Fit::Outside, kNone};
  return segments_.around(entry.address, entry.address + entry.bytes);
}

void PlacedBlocks::setSegment(BlockColumns& blocks, uint32_t row, uint32_t segment) {
  if (segment == kNone) return;
  blocks.segment[row] = segment;
  blocks.region[row] = segments_.regionOf(segment);
}

/// A block is gone, whichever columns it stands in.
void PlacedBlocks::bury(uint32_t row, EventIndex event) {
  BlockColumns& blocks = (row & kOlder) != 0 ? older_ : blocks_;
  const uint32_t at = row & ~kOlder;
  blocks.freeRequested[at] = std::min(blocks.freeRequested[at], event);
  blocks.death[at] = event;
}

bool PlacedBlocks::isPossible(const Entry& entry, TextPlace place) {
  if (isPossibleExtent(entry.address, entry.bytes)) return true;
  oddities_.impossible.note(place);
  return false;
}

/// What is live where a block is handed out was freed without an event, or the recording contradicts itself.
void PlacedBlocks::putLive(const LiveBlocks::Block& block, EventIndex event, TextPlace place) {
  const bool wasThere = live_.insert(block, [&](const LiveBlocks::Block& other) {
    const bool isSame = other.address == block.address;
    (isSame ? oddities_.handedOutTwice : oddities_.overlapping).note(place);
    bury(other.row, event);
  });
  if (!wasThere) touched_.add(block.address, block.end);
}

void PlacedBlocks::expect(size_t events) {
  rows_.expect(events);
  const size_t blocks = events / 2;
  blocks_.address.reserve(blocks);
  blocks_.bytes.reserve(blocks);
  blocks_.requested.reserve(blocks);
  blocks_.birth.reserve(blocks);
  blocks_.freeRequested.reserve(blocks);
  blocks_.death.reserve(blocks);
  blocks_.stack.reserve(blocks);
  blocks_.segment.reserve(blocks);
  blocks_.region.reserve(blocks);
  blocks_.stream.reserve(blocks);
}

void PlacedBlocks::allocate(const Entry& entry, uint64_t requested, TextPlace place,
                            std::optional<Region> region) {
  if (!isPossible(entry, place)) return;
  const uint64_t end = entry.address + entry.bytes;
  const PlacedSegments::Around within = around(entry);
  if (within.fit == PlacedSegments::Fit::Across) {
    touched_.add(entry.address, end);
    return oddities_.acrossSegments.note(place);
  }
  const EventIndex event = rows_.add(entry);
  if (entry.bytes == 0) return;
  const uint32_t row = append(blocks_, entry, requested, event, rows_.streamOf(event));
  if (row >= kOlder - 1) {
    throw CaptureError("capture-too-many-events", "This capture holds more blocks than can be counted.",
                       "Record a shorter part of the program.");
  }
  if (region) blocks_.region[row] = *region;
  setSegment(blocks_, row, within.row);
  putLive({entry.address, end, row}, event, place);
  rows_.setRow(event, row);
}

void PlacedBlocks::hold(const Entry& entry, uint64_t requested, TextPlace place,
                        std::optional<Region> region) {
  if (!isPossible(entry, place) || entry.bytes == 0) return;
  const uint64_t end = entry.address + entry.bytes;
  const PlacedSegments::Around within = around(entry);
  const bool isOlder = within.row == kNone || segments_.isOlder(within.row);
  const bool wasUsed = touched_.touches(entry.address, end) || segments_.wasTaken(entry.address, end);
  if (!isOlder || wasUsed) return allocate(entry, requested, place, region);
  if (within.fit == PlacedSegments::Fit::Across) {
    touched_.add(entry.address, end);
    return oddities_.acrossSegments.note(place);
  }
  const uint32_t row = append(older_, entry, requested, kBeforeFirst, rows_.rowOfStream(entry.stream));
  if (region) older_.region[row] = *region;
  setSegment(older_, row, within.row);
  putLive({entry.address, end, row | kOlder}, kBeforeFirst, place);  // over nothing: no block was here
}

void PlacedBlocks::requestFree(const Entry& entry, TextPlace place) {
  if (!isPossible(entry, place)) return;
  const EventIndex event = rows_.add(entry);
  uint32_t row = 0;
  if (!live_.find(entry.address, row)) return;
  EventIndex& requested = ((row & kOlder) != 0 ? older_ : blocks_).freeRequested[row & ~kOlder];
  requested = std::min(requested, event);
  rows_.setRow(event, row);
}

void PlacedBlocks::free(const Entry& entry, TextPlace place, std::optional<Region> region) {
  if (!isPossible(entry, place)) return;
  const EventIndex event = rows_.add(entry);
  uint32_t row = 0;
  if (!live_.remove(entry.address, row)) return freeOlder(entry, event, place, region);
  const BlockColumns& blocks = (row & kOlder) != 0 ? older_ : blocks_;
  const uint32_t at = row & ~kOlder;
  if (entry.bytes != 0 && entry.bytes != blocks.bytes[at] && entry.bytes != blocks.requested[at]) {
    oddities_.sizeDiffers.note(place);
  }
  bury(row, event);
  rows_.setRow(event, row);
}

/// Where no block was since the recording began, one must have been since before.
void PlacedBlocks::freeOlder(const Entry& entry, EventIndex event, TextPlace place,
                             std::optional<Region> region) {
  const uint64_t end = entry.address + std::max<uint64_t>(entry.bytes, 1);
  if (touched_.touches(entry.address, end) || segments_.wasTaken(entry.address, end))
    return oddities_.freedTwice.note(place);
  if (entry.bytes == 0) return oddities_.freedUnknown.note(place);
  const PlacedSegments::Around within = around(entry);
  if (within.fit == PlacedSegments::Fit::Across) return oddities_.acrossSegments.note(place);
  const uint32_t row = append(older_, entry, entry.bytes, kBeforeFirst, rows_.streamOf(event));
  if (region) older_.region[row] = *region;
  bury(row | kOlder, event);
  touched_.add(entry.address, end);
  rows_.setRow(event, row | kOlder);
}

/// A block that is live where a segment comes or goes was freed without an event.
void PlacedBlocks::endWithin(uint64_t from, uint64_t to, EventIndex event, TextPlace place) {
  live_.removeOverlapping(from, to, [&](const LiveBlocks::Block& block) {
    oddities_.endedWithSegment.note(place);
    bury(block.row, event);
  });
}

void PlacedBlocks::takeSegment(const Entry& entry, Region region, TextPlace place) {
  if (!isPossible(entry, place)) return;
  const EventIndex event = rows_.add(entry);
  if (entry.bytes == 0) return;
  if (segments_.same(entry.address, entry.bytes) != kNone) return oddities_.takenTwice.note(place);
  const uint64_t end = entry.address + entry.bytes;
  for (auto around = segments_.around(entry.address, end); around.row != kNone;
       around = segments_.around(entry.address, end)) {
    oddities_.takenOver.note(place);
    endSegment(around.row, event, place);
  }
  endWithin(entry.address, end, event, place);
  segments_.take(entry, region, rows_.streamOf(event), event);
}

void PlacedBlocks::holdSegment(const Entry& entry, Region region, TextPlace place) {
  if (!isPossible(entry, place) || entry.bytes == 0) return;
  const uint64_t end = entry.address + entry.bytes;
  const bool isThere =
      segments_.wasTaken(entry.address, end) || segments_.around(entry.address, end).row != kNone;
  if (isThere) return oddities_.takenTwice.note(place);
  if (touched_.touches(entry.address, end)) return oddities_.heldLate.note(place);
  segments_.hold(entry, region, rows_.rowOfStream(entry.stream));
}

void PlacedBlocks::endSegment(uint32_t row, EventIndex event, TextPlace place) {
  endWithin(segments_.startOf(row), segments_.endOf(row), event, place);
  segments_.end(row, event);
}

void PlacedBlocks::returnSegment(const Entry& entry, Region region, TextPlace place) {
  if (!isPossible(entry, place)) return;
  const EventIndex event = rows_.add(entry);
  const uint32_t row = segments_.at(entry.address);
  const uint64_t end = entry.address + entry.bytes;
  const bool isPart = entry.bytes != 0 && segments_.isVirtual(entry.address, end);
  if (isPart) {
    endWithin(entry.address, end, event, place);
    return segments_.unmap(entry.address, end, event);
  }
  if (row != kNone) return endSegment(row, event, place);
  const bool isKnown = segments_.wasTaken(entry.address, end) || around(entry).row != kNone;
  if (entry.bytes == 0 || isKnown) return oddities_.unknownSegment.note(place);
  endWithin(entry.address, end, event, place);
  segments_.addOlder(entry, region, rows_.streamOf(event), event);  // there since before the recording
}

/// Blocks are stored in order of birth, so the older ones come first.
void PlacedBlocks::joinOlder() {
  const auto older = static_cast<uint32_t>(older_.count());
  if (older == 0) return;
  for (uint32_t& row : rows_.columns().row) {
    if (row == kNone) continue;
    row = (row & kOlder) != 0 ? row & ~kOlder : row + older;
  }
  putBefore(blocks_.address, older_.address);
  putBefore(blocks_.bytes, older_.bytes);
  putBefore(blocks_.requested, older_.requested);
  putBefore(blocks_.birth, older_.birth);
  putBefore(blocks_.freeRequested, older_.freeRequested);
  putBefore(blocks_.death, older_.death);
  putBefore(blocks_.stack, older_.stack);
  putBefore(blocks_.segment, older_.segment);
  putBefore(blocks_.region, older_.region);
  putBefore(blocks_.stream, older_.stream);
  older_ = {};
}

/// A segment row of each block's own: what is known to be there.
void PlacedBlocks::mirrorEach(SegmentColumns& segments) {
  const size_t count = blocks_.count();
  segments.address = blocks_.address;
  segments.bytes = blocks_.bytes;
  segments.birth = blocks_.birth;
  segments.death = blocks_.death;
  segments.stack = blocks_.stack;
  segments.region = blocks_.region;
  segments.stream = blocks_.stream;
  segments.range.resize(count);
  std::iota(segments.range.begin(), segments.range.end(), 0);
  segments.pool.assign(count, 0);
  segments.isLarge.assign(count, 1);
  segments.isExpandable.assign(count, 0);
  blocks_.segment = segments.range;
}

void PlacedBlocks::finish(Device& device) {
  live_.clear();
  joinOlder();
  const bool hasSegments = !segments_.isEmpty();
  blocks_.pool.assign(blocks_.count(), 0);
  if (hasSegments) {
    PlacedSegments::Settled settled = segments_.settle(blocks_);
    device.segments = std::move(settled.columns);
    oddities_.outsideSegments = settled.outsideBlocks;
    oddities_.contradictedSegments = settled.dropped;
  } else {
    mirrorEach(device.segments);
  }
  device.layout = hasSegments ? DeviceLayout::Segments : DeviceLayout::Blocks;
  device.isPlaced = true;
  device.exactness.code = "as-recorded";
  device.exactness.because =
      "Every block is where the capture says it was; no allocator's rules are compared.";
  device.blocks = std::move(blocks_);
  rows_.finish(device);
}

void warnOfPlacement(const PlacementOddities& oddities, Trace& trace) {
  const auto say = [&](const TextOddity& oddity, const char* code, const char* one, const char* many,
                       bool isDamage = false) { warnOfOddity(trace, oddity, code, one, many, isDamage); };
  warnOfImpossible(oddities.impossible, trace);
  say(oddities.acrossSegments, "allocation-across-segments",
      "allocation is left out: it lies only partly in the segment that is there.",
      "allocations are left out: they lie only partly in the segments that are there.", true);
  say(oddities.handedOutTwice, "allocated-twice",
      "allocation is at the address of a live block, which is taken to have been freed without a record.",
      "allocations are at the addresses of live blocks, which are taken to have been freed without a "
      "record.");
  say(oddities.overlapping, "allocation-overlaps",
      "allocation overlaps a live block that starts elsewhere, which is taken to have been freed without a "
      "record.",
      "allocations overlap live blocks that start elsewhere, which are taken to have been freed without a "
      "record.");
  say(oddities.freedTwice, "freed-twice", "free is of an address that was free; it changes nothing.",
      "frees are of addresses that were free; they change nothing.");
  say(oddities.freedUnknown, "freed-unknown",
      "free is of a block that is older than the recording and of unknown size; it changes nothing.",
      "frees are of blocks that are older than the recording and of unknown size; they change nothing.");
  say(oddities.sizeDiffers, "free-size-differs",
      "free states another size than the allocation; that of the allocation is used.",
      "frees state other sizes than the allocations; those of the allocations are used.");
  say(oddities.takenTwice, "segment-taken-twice", "segment is taken that is there already; nothing changes.",
      "segments are taken that are there already; nothing changes.");
  say(oddities.heldLate, "segment-held-late",
      "segment that was held before is left out: its row stands behind one of a block in it.",
      "segments that were held before are left out: their rows stand behind those of blocks in them.", true);
  say(oddities.takenOver, "segments-overlap",
      "segment lies where another is taken; it is taken to have been given back without a record.",
      "segments lie where others are taken; they are taken to have been given back without a record.");
  say(oddities.endedWithSegment, "segment-in-use",
      "block is live where a segment is taken or given back; it is taken to have been freed without a "
      "record.",
      "blocks are live where a segment is taken or given back; they are taken to have been freed without a "
      "record.");
  say(oddities.unknownSegment, "segment-unknown",
      "segment is given back that was never taken, of unknown size or place; nothing changes.",
      "segments are given back that were never taken, of unknown sizes or places; nothing changes.");
  say({oddities.contradictedSegments, {}}, "segment-contradicted",
      "segment from before the recording is left out: a block lies across its border.",
      "segments from before the recording are left out: blocks lie across their borders.", true);
  say({oddities.outsideSegments, {}}, "block-outside-segments",
      "block lies in no recorded segment and stands for itself.",
      "blocks lie in no recorded segment and stand for themselves.");
}

}  // namespace strata
