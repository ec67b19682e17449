#include "capture/placed_segments.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "trace/append_rows.h"
#include "trace/order_rows.h"

namespace strata {
PlacedSegments::Around PlacedSegments::around(uint64_t from, uint64_t to) const {
  auto segment = live_.lower_bound(to);
  if (segment == live_.begin()) return {Fit::Outside, kNone};
  const uint32_t row = (--segment)->second;
  if (endOf(row) <= from) return {Fit::Outside, kNone};
  if (to > endOf(row)) return {Fit::Across, row};
  // Pieces of virtual memory that touch are one.
  const auto isPiece = [&](Live::const_iterator at) {
    return pieces_ == Pieces::All || columns_.region[at->second] == Region::Virtual;
  };
  auto first = segment;
  while (first->first > from && first != live_.begin()) {
    const auto before = std::prev(first);
    if (!isPiece(first) || !isPiece(before) || endOf(before->second) != first->first) break;
    first = before;
  }
  return first->first <= from ? Around{Fit::Inside, first->second} : Around{Fit::Across, row};
}

bool PlacedSegments::isVirtual(uint64_t from, uint64_t to) const {
  auto segment = live_.lower_bound(to);
  bool isAny = false;
  while (segment != live_.begin() && endOf((--segment)->second) > from) {
    if (columns_.region[segment->second] != Region::Virtual) return false;
    isAny = true;
  }
  return isAny;
}

std::vector<uint32_t> PlacedSegments::overlapping(uint64_t from, uint64_t to) const {
  std::vector<uint32_t> rows;
  auto segment = live_.lower_bound(to);
  while (segment != live_.begin() && endOf((--segment)->second) > from) rows.push_back(segment->second);
  return rows;
}

void PlacedSegments::join(uint64_t from, uint64_t to) {
  auto first = live_.upper_bound(from), last = live_.lower_bound(to);
  if (first != live_.begin()) --first;
  const auto isOne = [&](Live::const_iterator low, Live::const_iterator high) {
    return columns_.range[low->second] == columns_.range[high->second] && endOf(low->second) == high->first;
  };
  while (first != live_.begin() && isOne(std::prev(first), first)) --first;
  while (last != live_.begin() && last != live_.end() && isOne(std::prev(last), last)) ++last;
  if (first == last) return;
  const uint32_t range = columns_.range[first->second];
  for (auto piece = first; piece != last; ++piece) columns_.range[piece->second] = range;
}

uint32_t PlacedSegments::at(uint64_t address) const {
  const auto found = live_.find(address);
  return found == live_.end() ? kNone : found->second;
}

uint32_t PlacedSegments::same(uint64_t address, uint64_t bytes) const {
  const uint32_t row = at(address);
  return row != kNone && columns_.bytes[row] == bytes ? row : kNone;
}

uint32_t PlacedSegments::take(const Entry& entry, Region region, uint16_t stream, EventIndex event) {
  const uint32_t row =
      appendRow(columns_, {entry.address, entry.bytes, event, kNever, entry.stack, region, stream});
  live_[entry.address] = row;
  taken_.add(entry.address, entry.address + entry.bytes);
  return row;
}

uint32_t PlacedSegments::hold(const Entry& entry, Region region, uint16_t stream) {
  return live_[entry.address] = appendRow(
             columns_, {entry.address, entry.bytes, kBeforeFirst, kNever, entry.stack, region, stream});
}

void PlacedSegments::end(uint32_t row, EventIndex event) {
  taken_.add(startOf(row), endOf(row));
  columns_.death[row] = event;
  live_.erase(columns_.address[row]);
}

void PlacedSegments::unmap(uint64_t from, uint64_t to, EventIndex event) {
  for (const uint32_t row : overlapping(from, to)) {
    const uint64_t start = startOf(row), stop = endOf(row);
    const uint16_t stream = columns_.stream[row];
    Entry rest;
    rest.stack = columns_.stack[row];
    end(row, event);
    for (const auto& [low, high] : {std::pair(start, from), std::pair(to, stop)}) {
      if (high <= low) continue;
      rest.address = low;
      rest.bytes = high - low;
      take(rest, Region::Virtual, stream, event);
    }
  }
}

void PlacedSegments::addOlder(const Entry& entry, Region region, uint16_t stream, EventIndex event) {
  appendRow(columns_, {entry.address, entry.bytes, kBeforeFirst, event, kNone, region, stream});
  taken_.add(entry.address, entry.address + entry.bytes);
}

/// Gives blocks the segments from before the recording that they lie in; answers how many segments were
/// dropped because a block lies across their border. Blocks come in order of birth, so each segment is looked
/// at and left behind once: O((blocks + segments) log segments).
uint64_t PlacedSegments::placeInOlder(BlockColumns& blocks) {
  Live older;
  for (uint32_t row = 0; row < columns_.count(); ++row)
    if (columns_.birth[row] == kBeforeFirst) older[columns_.address[row]] = row;
  isDropped_.assign(columns_.count(), false);
  for (size_t block = 0; block < blocks.count() && !older.empty(); ++block) {
    if (blocks.segment[block] == kNone) blocks.segment[block] = segmentBefore(older, blocks, block);
  }
  for (size_t block = 0; block < blocks.count(); ++block) {
    uint32_t& segment = blocks.segment[block];
    if (segment != kNone && isDropped_[segment]) segment = kNone;
    if (segment != kNone) blocks.region[block] = columns_.region[segment];
  }
  return static_cast<uint64_t>(std::count(isDropped_.begin(), isDropped_.end(), true));
}

/// The one of the older segments that a block lies in for all of its life, or kNone; takes away those that
/// have ended, and drops those that it contradicts.
uint32_t PlacedSegments::segmentBefore(Live& older, const BlockColumns& blocks, size_t block) {
  const uint64_t from = blocks.address[block], to = from + blocks.bytes[block];
  auto next = older.lower_bound(from);
  if (next != older.begin() && endOf(std::prev(next)->second) > from) --next;
  while (next != older.end() && next->first < to) {
    const uint32_t row = next->second;
    const bool isOver = columns_.death[row] <= blocks.birth[block];
    const bool isInside =
        next->first <= from && to <= endOf(row) && blocks.death[block] <= columns_.death[row];
    if (!isOver && isInside) return row;
    isDropped_[row] = !isOver;
    next = older.erase(next);
  }
  return kNone;
}

PlacedSegments::Settled PlacedSegments::settle(BlockColumns& blocks) {
  Settled settled;
  settled.dropped = placeInOlder(blocks);
  for (uint32_t row = 0; row < columns_.count(); ++row) {
    columns_.isExpandable[row] = columns_.region[row] == Region::Virtual;
  }
  for (size_t block = 0; block < blocks.count(); ++block) {
    if (blocks.segment[block] != kNone) continue;
    ++settled.outsideBlocks;
    blocks.segment[block] = appendRow(
        columns_, {blocks.address[block], blocks.bytes[block], blocks.birth[block], blocks.death[block],
                   blocks.stack[block], blocks.region[block], blocks.stream[block]});
  }
  order(blocks);
  settled.columns = std::move(columns_);
  return settled;
}

/// Leaves out what was dropped, and puts the rest in order of birth.
void PlacedSegments::order(BlockColumns& blocks) {
  isDropped_.resize(columns_.count(), false);
  std::vector<uint32_t> order;
  for (uint32_t row = 0; row < columns_.count(); ++row)
    if (!isDropped_[row]) order.push_back(row);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return columns_.birth[a] < columns_.birth[b]; });
  const std::vector<uint32_t> placeOf = placesOf(order, columns_.count());
  reorder(columns_, order);
  joinPieces();
  for (uint32_t& segment : blocks.segment) segment = placeOf[segment];
}

/// Virtual pieces whose addresses touch, at whatever time, are pieces of one range.
void PlacedSegments::joinPieces() {
  std::iota(columns_.range.begin(), columns_.range.end(), 0);
  std::vector<uint32_t> pieces;
  for (uint32_t row = 0; row < columns_.count(); ++row)
    if (columns_.isExpandable[row] != 0) pieces.push_back(row);
  std::stable_sort(pieces.begin(), pieces.end(),
                   [&](uint32_t a, uint32_t b) { return columns_.address[a] < columns_.address[b]; });
  uint64_t reached = 0;
  uint32_t range = kNone;
  for (const uint32_t row : pieces) {
    if (range == kNone || columns_.address[row] > reached) range = row;
    columns_.range[row] = range;
    reached = std::max(reached, endOf(row));
  }
}

}  // namespace strata
