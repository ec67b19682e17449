#include "analysis/free_space.h"

#include <algorithm>

namespace strata {

size_t HoleSet::count() const {
  size_t count = 0;
  for (const auto& chunk : chunks_) count += chunk->count;
  return count;
}

bool HoleSet::findAtOrBefore(uint64_t address, Place& place) const {
  const auto after = std::upper_bound(lowest_.begin(), lowest_.end(), address);
  if (after == lowest_.begin()) return false;
  place.chunk = static_cast<size_t>(after - lowest_.begin()) - 1;
  const Chunk& chunk = *chunks_[place.chunk];
  const uint64_t* slot = std::upper_bound(chunk.from, chunk.from + chunk.count, address);
  place.slot = static_cast<uint32_t>(slot - chunk.from) - 1;
  return true;
}

bool HoleSet::next(Place& place) const {
  if (++place.slot < chunks_[place.chunk]->count) return true;
  place.slot = 0;
  return ++place.chunk < chunks_.size();
}

void HoleSet::insert(uint64_t from, uint64_t to, uint32_t range) {
  if (from >= to) return;
  Place left;
  const bool hasLeft = findAtOrBefore(from, left);
  bool joinsLeft = false;
  if (hasLeft) {
    const Chunk& chunk = *chunks_[left.chunk];
    joinsLeft =
        chunk.to[left.slot] > from || (chunk.to[left.slot] == from && chunk.range[left.slot] == range);
    if (joinsLeft) {
      from = chunk.from[left.slot];
      to = std::max(to, chunk.to[left.slot]);
    }
  }
  // What lies to the right and is joined: one neighbour, or more when a broken trace overlaps itself.
  Place right = {0, 0};
  bool hasRight = hasLeft ? (right = left, next(right)) : !chunks_.empty();
  bool joinsRight = false;
  while (hasRight) {
    const Chunk& chunk = *chunks_[right.chunk];
    const uint64_t rightFrom = chunk.from[right.slot], rightTo = chunk.to[right.slot];
    if (rightFrom > to || (rightFrom == to && chunk.range[right.slot] != range)) break;
    to = std::max(to, rightTo);
    if (joinsLeft) {
      remove(right);
      findAtOrBefore(from, left);
      hasRight = (right = left, next(right));
    } else {
      resize(right, from, to);
      left = right;
      joinsLeft = joinsRight = true;
      hasRight = next(right);
    }
  }
  if (!joinsLeft) {
    hasLeft ? insertAfter(left, from, to, range) : insertAlone(from, to, range);
  } else if (!joinsRight || chunks_[left.chunk]->to[left.slot] != to) {
    resize(left, from, to);
  }
}

void HoleSet::erase(uint64_t from, uint64_t to) {
  if (from >= to) return;
  Place place;
  if (!findAtOrBefore(from, place)) {
    if (chunks_.empty()) return;
    place = {0, 0};
  }
  for (;;) {
    const Chunk& chunk = *chunks_[place.chunk];
    const uint64_t holeFrom = chunk.from[place.slot], holeTo = chunk.to[place.slot];
    if (holeFrom >= to) return;
    if (holeTo <= from) {
      if (!next(place)) return;
      continue;
    }
    const bool keepsLow = holeFrom<from, keepsHigh = holeTo> to;
    if (keepsHigh) {
      const uint32_t range = chunk.range[place.slot];
      if (keepsLow) {
        resize(place, holeFrom, from);
        insertAfter(place, to, holeTo, range);
      } else {
        resize(place, to, holeTo);
      }
      return;
    }
    if (keepsLow) {
      resize(place, holeFrom, from);
      if (!next(place)) return;
      continue;
    }
    remove(place);
    if (holeTo == to) return;
    if (!findAtOrBefore(holeTo, place)) {
      if (chunks_.empty()) return;
      place = {0, 0};
    }
  }
}

void HoleSet::insertAlone(uint64_t from, uint64_t to, uint32_t range) {
  if (chunks_.empty()) {
    chunks_.push_back(std::make_unique<Chunk>());
    lowest_.push_back(from);
    largestOf_.push_back(0);
  }
  if (chunks_[0]->count == kCapacity) split(0);
  Chunk& chunk = *chunks_[0];
  std::copy_backward(chunk.from, chunk.from + chunk.count, chunk.from + chunk.count + 1);
  std::copy_backward(chunk.to, chunk.to + chunk.count, chunk.to + chunk.count + 1);
  std::copy_backward(chunk.range, chunk.range + chunk.count, chunk.range + chunk.count + 1);
  chunk.from[0] = lowest_[0] = from;
  chunk.to[0] = to;
  chunk.range[0] = range;
  ++chunk.count;
  grew(0, to - from);
}

void HoleSet::insertAfter(Place place, uint64_t from, uint64_t to, uint32_t range) {
  if (chunks_[place.chunk]->count == kCapacity) {
    split(place.chunk);
    const uint32_t kept = chunks_[place.chunk]->count;
    if (place.slot >= kept) place = {place.chunk + 1, place.slot - kept};
  }
  Chunk& chunk = *chunks_[place.chunk];
  const uint32_t at = place.slot + 1;
  std::copy_backward(chunk.from + at, chunk.from + chunk.count, chunk.from + chunk.count + 1);
  std::copy_backward(chunk.to + at, chunk.to + chunk.count, chunk.to + chunk.count + 1);
  std::copy_backward(chunk.range + at, chunk.range + chunk.count, chunk.range + chunk.count + 1);
  chunk.from[at] = from;
  chunk.to[at] = to;
  chunk.range[at] = range;
  ++chunk.count;
  grew(place.chunk, to - from);
}

void HoleSet::resize(Place place, uint64_t from, uint64_t to) {
  Chunk& chunk = *chunks_[place.chunk];
  const uint64_t oldBytes = chunk.to[place.slot] - chunk.from[place.slot];
  chunk.from[place.slot] = from;
  chunk.to[place.slot] = to;
  if (place.slot == 0) lowest_[place.chunk] = from;
  if (to - from >= oldBytes) {
    grew(place.chunk, to - from);
  } else {
    shrank(place.chunk, oldBytes);
  }
}

void HoleSet::remove(Place place) {
  Chunk& chunk = *chunks_[place.chunk];
  const uint64_t oldBytes = chunk.to[place.slot] - chunk.from[place.slot];
  const uint32_t after = place.slot + 1;
  std::copy(chunk.from + after, chunk.from + chunk.count, chunk.from + place.slot);
  std::copy(chunk.to + after, chunk.to + chunk.count, chunk.to + place.slot);
  std::copy(chunk.range + after, chunk.range + chunk.count, chunk.range + place.slot);
  --chunk.count;
  if (chunk.count > 0) {
    lowest_[place.chunk] = chunk.from[0];
    shrank(place.chunk, oldBytes);
    return;
  }
  const auto at = static_cast<ptrdiff_t>(place.chunk);
  chunks_.erase(chunks_.begin() + at);
  lowest_.erase(lowest_.begin() + at);
  largestOf_.erase(largestOf_.begin() + at);
  if (oldBytes == largest_) {
    largest_ = largestOf_.empty() ? 0 : *std::max_element(largestOf_.begin(), largestOf_.end());
  }
}

/// Moves the upper half of a full chunk to a new one behind it.
void HoleSet::split(size_t index) {
  auto upper = std::make_unique<Chunk>();
  Chunk& lower = *chunks_[index];
  const uint32_t half = lower.count / 2;
  upper->count = lower.count - half;
  std::copy(lower.from + half, lower.from + lower.count, upper->from);
  std::copy(lower.to + half, lower.to + lower.count, upper->to);
  std::copy(lower.range + half, lower.range + lower.count, upper->range);
  lower.count = half;
  const auto at = static_cast<ptrdiff_t>(index) + 1;
  lowest_.insert(lowest_.begin() + at, upper->from[0]);
  largestOf_.insert(largestOf_.begin() + at, 0);
  chunks_.insert(chunks_.begin() + at, std::move(upper));
  largestOf_[index] = lower.largest();
  largestOf_[index + 1] = chunks_[index + 1]->largest();
}

uint64_t HoleSet::Chunk::largest() const {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < count; ++i) largest = std::max(largest, to[i] - from[i]);
  return largest;
}

void HoleSet::grew(size_t chunk, uint64_t bytes) {
  largestOf_[chunk] = std::max(largestOf_[chunk], bytes);
  largest_ = std::max(largest_, bytes);
}

/// Looks for the next largest, only when the one that shrank was the largest.
void HoleSet::shrank(size_t index, uint64_t oldBytes) {
  if (oldBytes < largestOf_[index]) return;
  largestOf_[index] = chunks_[index]->largest();
  if (oldBytes == largest_) largest_ = *std::max_element(largestOf_.begin(), largestOf_.end());
}

FreeSpace::FreeSpace(const Device& device)
    : blocks_(device.blocks), segments_(device.segments), isKnown_(device.layout == DeviceLayout::Segments) {
  if (!isKnown_) return;
  for (uint32_t segment = 0; segment < segments_.count(); ++segment) {
    if (!isAlive(segments_.birth[segment], segments_.death[segment], kBeforeFirst)) continue;
    const Piece piece = pieceOf(segment);
    holes_[piece.region].insert(piece.from, piece.to, piece.range);
  }
  for (uint32_t block = 0; block < blocks_.count() && blocks_.birth[block] < 0; ++block) {
    if (isAlive(blocks_.birth[block], blocks_.death[block], kBeforeFirst)) occupy(block);
  }
}

void FreeSpace::apply(const Changes& changes, EventIndex event) {
  if (!isKnown_) return;
  bool isRemapped = false;
  changes.visit(event, [&](Changes::Kind kind, uint32_t row, const Changes::Amount&) {
    // Pieces of an expandable range that only change their borders must not lose what lies in them, so
    // the deaths and births of an event are weighed against one another first.
    if (kind == Changes::SegmentDeath) dying_.push_back(pieceOf(row));
    if (kind == Changes::SegmentBirth) born_.push_back(pieceOf(row));
    isRemapped = isRemapped || kind == Changes::SegmentDeath || kind == Changes::SegmentBirth;
    if (kind == Changes::BlockDeath) vacate(row, event);
    if (kind == Changes::BlockBirth) {
      if (isRemapped) remap();
      isRemapped = false;
      occupy(row);
    }
  });
  if (isRemapped) remap();
}

void FreeSpace::occupy(uint32_t block) {
  const uint32_t segment = blocks_.segment[block];
  if (segment >= segments_.count()) return;
  const uint64_t from = blocks_.address[block];
  holes_[static_cast<int>(segments_.region[segment])].erase(from, from + blocks_.bytes[block]);
}

void FreeSpace::vacate(uint32_t block, EventIndex event) {
  const uint32_t segment = blocks_.segment[block];
  if (segment >= segments_.count()) return;
  // A plain segment that went before its block (a recording that contradicts itself) leaves no hole.
  if (!segments_.isExpandable[segment] && segments_.death[segment] < event) return;
  const uint64_t from = blocks_.address[block];
  holes_[static_cast<int>(segments_.region[segment])].insert(from, from + blocks_.bytes[block],
                                                             segments_.range[segment]);
}

FreeSpace::Piece FreeSpace::pieceOf(uint32_t segment) const {
  const uint64_t from = segments_.address[segment];
  return {from, from + segments_.bytes[segment], segments_.range[segment],
          static_cast<int>(segments_.region[segment])};
}

namespace {

/// Calls visit(from, to) for the parts of [from, to) that no piece of the same range covers; pieces by
/// address.
template <typename Pieces, typename Visit>
void forEachUncovered(uint64_t from, uint64_t to, uint32_t range, const Pieces& pieces, Visit&& visit) {
  for (const auto& piece : pieces) {
    if (piece.range != range || piece.to <= from) continue;
    if (piece.from >= to) break;
    if (piece.from > from) visit(from, piece.from);
    from = piece.to;
  }
  if (from < to) visit(from, to);
}

}  // namespace

void FreeSpace::remap() {
  const auto byAddress = [](const Piece& a, const Piece& b) { return a.from < b.from; };
  std::sort(dying_.begin(), dying_.end(), byAddress);
  std::sort(born_.begin(), born_.end(), byAddress);
  for (const Piece& piece : dying_) {
    forEachUncovered(piece.from, piece.to, piece.range, born_,
                     [&](uint64_t from, uint64_t to) { holes_[piece.region].erase(from, to); });
  }
  for (const Piece& piece : born_) {
    forEachUncovered(piece.from, piece.to, piece.range, dying_,
                     [&](uint64_t from, uint64_t to) { holes_[piece.region].insert(from, to, piece.range); });
  }
  dying_.clear();
  born_.clear();
}

}  // namespace strata
