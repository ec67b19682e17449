#include "capture/bfc_heap.h"

#include <algorithm>
#include <limits>

namespace strata::bfc {
namespace {

constexpr uint64_t kUnit = 256;
constexpr uint64_t kMostWaste = uint64_t{128} << 20;

uint64_t endOf(uint64_t address, uint64_t bytes) {
  constexpr uint64_t kHighest = std::numeric_limits<uint64_t>::max();
  return address + std::min(bytes, kHighest - address);
}

}  // namespace

uint64_t Heap::rounded(uint64_t requested) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max() - (kUnit - 1);
  return (std::min(requested, kMost) + kUnit - 1) / kUnit * kUnit;
}

void Heap::clear() {
  regions_.clear();
  free_.clear();
  bySize_.clear();
}

void Heap::addRegion(uint64_t address, uint64_t bytes) {
  regions_[address] = bytes;
  addFree(address, bytes);
}

void Heap::addFree(uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  const auto [place, isNew] = free_.try_emplace(address, bytes);
  if (isNew) bySize_.insert({bytes, address});
}

void Heap::removeFree(Chunks::iterator chunk) {
  bySize_.erase({chunk->second, chunk->first});
  free_.erase(chunk);
}

std::optional<uint64_t> Heap::regionOf(uint64_t address) const {
  auto region = regions_.upper_bound(address);
  if (region == regions_.begin()) return std::nullopt;
  --region;
  if (address - region->first >= region->second) return std::nullopt;
  return region->first;
}

Heap::Chunks::iterator Heap::dropRegion(Chunks::iterator region) {
  auto chunk = free_.lower_bound(region->first);
  while (chunk != free_.end() && chunk->first - region->first < region->second) {
    const auto inside = chunk++;
    removeFree(inside);
  }
  return regions_.erase(region);
}

std::vector<Heap::Extent> Heap::dropOverlapping(uint64_t address, uint64_t bytes) {
  std::vector<Extent> dropped;
  auto region = regions_.upper_bound(address);
  if (region != regions_.begin() && address - std::prev(region)->first < std::prev(region)->second) --region;
  while (region != regions_.end() && region->first < endOf(address, bytes)) {
    dropped.push_back({region->first, region->second});
    region = dropRegion(region);
  }
  return dropped;
}

std::vector<Heap::Extent> Heap::dropWhollyFree() {
  std::vector<Extent> dropped;
  for (auto region = regions_.begin(); region != regions_.end();) {
    const auto chunk = free_.find(region->first);
    if (chunk == free_.end() || chunk->second != region->second) {
      ++region;
      continue;
    }
    dropped.push_back({region->first, region->second});
    region = dropRegion(region);
  }
  return dropped;
}

/// Makes one region of those that touch in a range, and one chunk of what is free at their borders.
void Heap::joinRegions(uint64_t address, uint64_t bytes) {
  auto region = regions_.upper_bound(address);
  if (region == regions_.begin()) return;
  --region;
  const uint64_t end = endOf(address, bytes);
  for (uint64_t border; (border = region->first + region->second) < end;) {
    const auto next = std::next(region);
    if (next == regions_.end() || next->first != border) return;
    region->second += next->second;
    regions_.erase(next);
    const auto above = free_.find(border);
    if (above == free_.end() || above == free_.begin()) continue;
    const auto below = std::prev(above);
    if (below->first + below->second != border) continue;
    const Extent joined{below->first, below->second + above->second};
    removeFree(above);
    removeFree(below);
    addFree(joined.address, joined.bytes);
  }
}

void Heap::use(uint64_t address, uint64_t bytes) {
  const uint64_t from = address, to = endOf(address, bytes);
  auto chunk = free_.lower_bound(to);
  while (chunk != free_.begin()) {
    --chunk;
    const auto [start, size] = *chunk;
    const uint64_t end = start + size;
    if (end <= from) return;
    removeFree(chunk);
    if (end > to) addFree(to, end - to);
    if (start < from) addFree(start, from - start);
    chunk = free_.lower_bound(to);
  }
}

Heap::Taken Heap::take(uint64_t address, uint64_t requested) {
  const uint64_t need = rounded(requested);
  joinRegions(address, need);
  Taken taken{need, false, regionOf(address).has_value()};
  const auto best = bySize_.lower_bound({need, 0});
  taken.isForetold = best != bySize_.end() && best->second == address;
  const auto after = free_.upper_bound(address);
  const auto chunk = after == free_.begin() ? free_.end() : std::prev(after);
  const bool isFree = chunk != free_.end() && address - chunk->first < chunk->second;
  if (isFree) {
    const uint64_t before = address - chunk->first, room = chunk->second - before;
    const bool isKept = before == 0 && room >= need && room < 2 * need && room - need < kMostWaste;
    if (isKept) taken.bytes = room;
    if (room < need) taken.isForetold = false;  // it reaches into what should not be free: the log lost lines
  }
  use(address, taken.bytes);
  return taken;
}

void Heap::giveBack(uint64_t address, uint64_t bytes) {
  const auto region = regionOf(address);
  if (!region) return;
  uint64_t from = address, to = std::min(endOf(address, bytes), endOf(*region, regions_[*region]));
  auto after = free_.lower_bound(from);
  while (after != free_.end() && after->first <= to && after->first < endOf(*region, regions_[*region])) {
    to = std::max(to, after->first + after->second);
    const auto absorbed = after++;
    removeFree(absorbed);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first >= *region && before->first + before->second >= from) {
      from = before->first;
      to = std::max(to, before->first + before->second);
      removeFree(before);
    }
  }
  addFree(from, to - from);
}

}  // namespace strata::bfc
