#include "allocator/what_if/segment_book.h"

#include <algorithm>

namespace strata::what_if {

uint32_t SegmentBook::born(const Birth& birth, EventIndex event) {
  const auto row = static_cast<uint32_t>(rows_.count());
  rows_.address.push_back(birth.address);
  rows_.bytes.push_back(birth.bytes);
  rows_.birth.push_back(event);
  rows_.death.push_back(kNever);
  rows_.stack.push_back(birth.stack);
  rows_.range.push_back(birth.range == kNone ? row : birth.range);
  rows_.region.push_back(birth.region);
  rows_.stream.push_back(birth.stream);
  rows_.pool.push_back(birth.pool);
  rows_.isLarge.push_back(birth.isLarge);
  rows_.isExpandable.push_back(birth.isExpandable);
  live_[birth.address] = row;
  return row;
}

SegmentBook::Birth SegmentBook::birthOf(uint32_t row) const {
  return {.address = rows_.address[row],
          .bytes = rows_.bytes[row],
          .stack = rows_.stack[row],
          .range = rows_.range[row],
          .region = rows_.region[row],
          .stream = rows_.stream[row],
          .pool = rows_.pool[row],
          .isLarge = rows_.isLarge[row] != 0,
          .isExpandable = rows_.isExpandable[row] != 0};
}

uint32_t SegmentBook::died(uint64_t address, uint64_t bytes, EventIndex event) {
  const uint64_t end = address + bytes;
  auto at = live_.upper_bound(address);
  if (at != live_.begin() &&
      rows_.address[std::prev(at)->second] + rows_.bytes[std::prev(at)->second] > address)
    --at;
  uint32_t first = kNone;
  std::vector<Birth> rests;
  while (at != live_.end() && at->first < end) {
    const uint32_t row = at->second;
    const Birth piece = birthOf(row);
    rows_.death[row] = event;
    if (first == kNone) first = row;
    at = live_.erase(at);
    Birth rest = piece;
    if (piece.address < address) {
      rest.bytes = address - piece.address;
      rests.push_back(rest);
    }
    if (piece.address + piece.bytes > end) {
      rest.address = end;
      rest.bytes = piece.address + piece.bytes - end;
      rests.push_back(rest);
    }
  }
  for (const Birth& rest : rests) born(rest, event);
  return first;
}

uint32_t SegmentBook::rowAt(uint64_t address) const {
  const auto above = live_.upper_bound(address);
  if (above == live_.begin()) return kNone;
  const uint32_t row = std::prev(above)->second;
  return address - rows_.address[row] < rows_.bytes[row] ? row : kNone;
}

}  // namespace strata::what_if
