#include "capture/placed_blocks.h"

#include <algorithm>
#include <numeric>

#include "capture/capture.h"
#include "capture/text.h"

namespace strata {
namespace {

constexpr uint32_t kOlder = 1u << 31;

uint64_t endOf(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  return end < address ? std::numeric_limits<uint64_t>::max() : end;
}

template <typename T>
void putBefore(std::vector<T>& rows, const std::vector<T>& first) {
  rows.insert(rows.begin(), first.begin(), first.end());
}

template <typename T>
void reorder(std::vector<T>& rows, const std::vector<uint32_t>& order) {
  std::vector<T> ordered;
  ordered.reserve(rows.size());
  for (const uint32_t row : order) ordered.push_back(rows[row]);
  rows = std::move(ordered);
}

}  // namespace

uint32_t PlacedBlocks::append(BlockColumns& to, const Entry& entry, uint64_t requested, EventIndex birth,
                              EventIndex event) {
  to.address.push_back(entry.address);
  to.bytes.push_back(endOf(entry.address, entry.bytes) - entry.address);
  to.requested.push_back(std::min(requested, to.bytes.back()));
  to.birth.push_back(birth);
  to.freeRequested.push_back(kNever);
  to.death.push_back(kNever);
  to.stack.push_back(birth == kBeforeFirst ? kNone : entry.stack);
  to.region.push_back(regionBySize(entry.bytes));
  to.stream.push_back(rows_.streamOf(event));
  return static_cast<uint32_t>(to.count() - 1);
}

/// What is live where a block is handed out was freed without an event, or the recording contradicts itself.
void PlacedBlocks::makeRoom(const Entry& entry, EventIndex event, TextPlace place) {
  const uint64_t end = endOf(entry.address, entry.bytes);
  auto next = live_.lower_bound(entry.address);
  if (next != live_.begin() && std::prev(next)->second.end > entry.address) --next;
  while (next != live_.end() && next->first < end) {
    const bool isSame = next->first == entry.address;
    (isSame ? oddities_.handedOutTwice : oddities_.overlapping).note(place);
    blocks_.freeRequested[next->second.row] = event;
    blocks_.death[next->second.row] = event;
    next = live_.erase(next);
  }
}

void PlacedBlocks::allocate(const Entry& entry, uint64_t requested, TextPlace place,
                            std::optional<Region> region) {
  const EventIndex event = rows_.add(entry);
  if (entry.bytes == 0) return;
  makeRoom(entry, event, place);
  const uint32_t row = append(blocks_, entry, requested, event, event);
  if (row >= kOlder - 1) {
    throw CaptureError("capture-too-many-events", "This capture holds more blocks than can be counted.",
                       "Record a shorter part of the program.");
  }
  if (region) blocks_.region[row] = *region;
  const uint64_t end = endOf(entry.address, entry.bytes);
  live_.emplace(entry.address, Live{end, row});
  touched_.add(entry.address, end);
  rows_.setRow(event, row);
}

void PlacedBlocks::free(const Entry& entry, TextPlace place) {
  const EventIndex event = rows_.add(entry);
  const auto found = live_.find(entry.address);
  if (found == live_.end()) return freeOlder(entry, event, place);
  const uint32_t row = found->second.row;
  if (entry.bytes != 0 && entry.bytes != blocks_.bytes[row] && entry.bytes != blocks_.requested[row]) {
    oddities_.sizeDiffers.note(place);
  }
  blocks_.freeRequested[row] = event;
  blocks_.death[row] = event;
  rows_.setRow(event, row);
  live_.erase(found);
}

/// Where no block was since the recording began, one must have been since before.
void PlacedBlocks::freeOlder(const Entry& entry, EventIndex event, TextPlace place) {
  const uint64_t end = endOf(entry.address, std::max<uint64_t>(entry.bytes, 1));
  if (touched_.touches(entry.address, end)) return oddities_.freedTwice.note(place);
  if (entry.bytes == 0) return oddities_.freedUnknown.note(place);
  const uint32_t row = append(older_, entry, entry.bytes, kBeforeFirst, event);
  older_.freeRequested[row] = event;
  older_.death[row] = event;
  touched_.add(entry.address, end);
  rows_.setRow(event, row | kOlder);
}

void PlacedBlocks::takeSegment(const Entry& entry, Region region) {
  const EventIndex event = rows_.add(entry);
  if (entry.bytes == 0) return;
  const auto row = static_cast<uint32_t>(segments_.count());
  const uint64_t bytes = endOf(entry.address, entry.bytes) - entry.address;
  segments_.address.push_back(entry.address);
  segments_.bytes.push_back(bytes);
  segments_.birth.push_back(event);
  segments_.death.push_back(kNever);
  segments_.stack.push_back(entry.stack);
  segments_.region.push_back(region);
  segments_.stream.push_back(rows_.streamOf(event));
  const auto [place, isNew] = liveSegments_.try_emplace(entry.address, row);
  if (isNew) return;
  segments_.death[place->second] = event;
  place->second = row;
}

void PlacedBlocks::returnSegment(const Entry& entry, Region region, TextPlace place) {
  const auto found = liveSegments_.find(entry.address);
  if (found != liveSegments_.end()) {
    segments_.death[found->second] = rows_.add(entry);
    liveSegments_.erase(found);
    return;
  }
  if (entry.bytes == 0) {
    rows_.add(entry);
    return oddities_.unknownSegment.note(place);
  }
  takeSegment(entry, region);  // it was there since before the recording
  segments_.birth.back() = kBeforeFirst;
  segments_.stack.back() = kNone;
  segments_.death.back() = rows_.count() - 1;
  liveSegments_.erase(entry.address);
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
  putBefore(blocks_.region, older_.region);
  putBefore(blocks_.stream, older_.stream);
  older_ = {};
}

/// A segment row of the block's own: what is known to be there.
uint32_t PlacedBlocks::mirror(uint32_t block) {
  segments_.address.push_back(blocks_.address[block]);
  segments_.bytes.push_back(blocks_.bytes[block]);
  segments_.birth.push_back(blocks_.birth[block]);
  segments_.death.push_back(blocks_.death[block]);
  segments_.stack.push_back(blocks_.stack[block]);
  segments_.region.push_back(blocks_.region[block]);
  segments_.stream.push_back(blocks_.stream[block]);
  return static_cast<uint32_t>(segments_.count() - 1);
}

uint32_t PlacedBlocks::segmentAround(uint32_t block) const {
  const uint64_t address = blocks_.address[block], end = address + blocks_.bytes[block];
  const auto after = liveSegments_.upper_bound(address);
  if (after == liveSegments_.begin()) return kNone;
  const uint32_t segment = std::prev(after)->second;
  return end <= segments_.address[segment] + segments_.bytes[segment] ? segment : kNone;
}

/// Walks births of blocks and lives of segments in order, and gives each block the segment it was born in.
void PlacedBlocks::assignSegments() {
  const auto segments = static_cast<uint32_t>(segments_.count());
  std::vector<uint32_t> born(segments), dying(segments);
  std::iota(born.begin(), born.end(), 0);
  dying = born;
  const auto byBirth = [&](uint32_t a, uint32_t b) { return segments_.birth[a] < segments_.birth[b]; };
  const auto byDeath = [&](uint32_t a, uint32_t b) { return segments_.death[a] < segments_.death[b]; };
  std::stable_sort(born.begin(), born.end(), byBirth);
  std::stable_sort(dying.begin(), dying.end(), byDeath);
  liveSegments_.clear();
  size_t nextBorn = 0, nextDying = 0;
  for (uint32_t block = 0; block < blocks_.count(); ++block) {
    const EventIndex event = blocks_.birth[block];
    for (; nextBorn < segments && segments_.birth[born[nextBorn]] <= event; ++nextBorn) {
      liveSegments_[segments_.address[born[nextBorn]]] = born[nextBorn];
    }
    for (; nextDying < segments && segments_.death[dying[nextDying]] <= event; ++nextDying) {
      const auto found = liveSegments_.find(segments_.address[dying[nextDying]]);
      if (found != liveSegments_.end() && found->second == dying[nextDying]) liveSegments_.erase(found);
    }
    uint32_t segment = segmentAround(block);
    if (segment == kNone) {
      segment = mirror(block);
      ++oddities_.outsideSegments;
    } else {
      blocks_.region[block] = segments_.region[segment];
    }
    blocks_.segment.push_back(segment);
  }
}

/// Segments are stored in order of birth.
void PlacedBlocks::orderSegments() {
  std::vector<uint32_t> order(segments_.count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return segments_.birth[a] < segments_.birth[b]; });
  std::vector<uint32_t> placeOf(order.size());
  for (uint32_t place = 0; place < order.size(); ++place) placeOf[order[place]] = place;
  reorder(segments_.address, order);
  reorder(segments_.bytes, order);
  reorder(segments_.birth, order);
  reorder(segments_.death, order);
  reorder(segments_.stack, order);
  reorder(segments_.region, order);
  reorder(segments_.stream, order);
  for (uint32_t& segment : blocks_.segment) segment = placeOf[segment];
}

void PlacedBlocks::finish(Device& device) {
  live_.clear();
  joinOlder();
  const bool hasSegments = segments_.count() > 0;
  if (hasSegments) {
    assignSegments();
    orderSegments();
  } else {
    blocks_.segment.reserve(blocks_.count());
    for (uint32_t block = 0; block < blocks_.count(); ++block) blocks_.segment.push_back(mirror(block));
  }
  const size_t segments = segments_.count();
  blocks_.pool.assign(blocks_.count(), 0);
  segments_.pool.assign(segments, 0);
  segments_.isLarge.assign(segments, 1);
  segments_.isExpandable.assign(segments, 0);
  segments_.range.resize(segments);
  std::iota(segments_.range.begin(), segments_.range.end(), 0);
  device.layout = hasSegments ? DeviceLayout::Segments : DeviceLayout::Blocks;
  device.isPlaced = true;
  device.exactness.code = "as-recorded";
  device.exactness.because =
      "Every block is where the capture says it was; no allocator's rules are compared.";
  device.blocks = std::move(blocks_);
  device.segments = std::move(segments_);
  rows_.finish(device);
}

void warnOfPlacement(const PlacementOddities& oddities, Trace& trace) {
  const auto warn = [&](const TextOddity& oddity, const char* code, const char* one, const char* many,
                        const char* rest) {
    if (oddity.count == 0) return;
    const int64_t line = oddity.first.line == 0 ? -1 : static_cast<int64_t>(oddity.first.line);
    trace.warnings.push_back({code, counted(oddity.count, one, many) + rest, -1, false, line});
  };
  warn(oddities.handedOutTwice, "allocated-twice", "allocation is", "allocations are",
       " at the address of a block that is live; that block is taken to have been freed without a record.");
  warn(oddities.overlapping, "allocation-overlaps", "allocation overlaps", "allocations overlap",
       " a live block that starts elsewhere; that block is taken to have been freed without a record.");
  warn(oddities.freedTwice, "freed-twice", "free is", "frees are",
       " of an address that was free; they change nothing.");
  warn(oddities.freedUnknown, "freed-unknown", "free is", "frees are",
       " of a block that is older than the recording and of unknown size; they change nothing.");
  warn(oddities.sizeDiffers, "free-size-differs", "free states", "frees state",
       " another size than the allocation; that of the allocation is used.");
  warn(oddities.unknownSegment, "segment-unknown", "segment is", "segments are",
       " given back that was never taken, of unknown size; nothing changes.");
  if (oddities.outsideSegments != 0) {
    trace.warnings.push_back({"block-outside-segments",
                              counted(oddities.outsideSegments, "block lies", "blocks lie") +
                                  " in no recorded segment and stands for itself.",
                              -1, false});
  }
}

}  // namespace strata
