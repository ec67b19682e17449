#include "allocator/pytorch_slow_model.h"

#include <algorithm>

namespace strata::test {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kRangeSpacing = uint64_t{1} << 41;

uint64_t up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

PytorchSlowModel::PytorchSlowModel(const Options& options) : options_(options) {}

uint64_t PytorchSlowModel::round(uint64_t requested) const {
  if (requested <= 512) return 512;
  int interval = 0;
  for (uint64_t bytes = requested; bytes >= 2 * kMiB && interval < 15; bytes /= 2) ++interval;
  const uint64_t divisions = options_.config.roundupDivisions[static_cast<size_t>(interval)];
  if (divisions <= 1 || requested <= 512 * divisions) return up(requested, 512);
  uint64_t power = 1;
  while (power * 2 <= requested) power *= 2;
  return power == requested ? requested : up(requested, power / divisions);
}

uint64_t PytorchSlowModel::granule(bool isLarge) const {
  return isLarge ? options_.config.largeSegmentSize : 2 * kMiB;
}

/// Address space of one range in whole granules.
uint64_t PytorchSlowModel::rangeBytes(bool isLarge) const {
  if (!options_.isRangeBounded) return up(kRangeSpacing / 4, granule(isLarge));
  const uint64_t capacity = options_.capacity;
  return up(capacity + capacity / 8, granule(isLarge));
}

Region PytorchSlowModel::regionOf(const Block& block) const {
  if (block.isExpandable) return Region::Virtual;
  return block.isLarge || block.pool != 0 ? Region::Pooled : Region::Immediate;
}

void PytorchSlowModel::record(Action action, uint64_t address, uint64_t bytes, uint16_t stream,
                              uint16_t pool) {
  events_.action.push_back(action);
  events_.address.push_back(address);
  events_.size.push_back(bytes);
  events_.stack.push_back(kNone);
  events_.stream.push_back(stream);
  events_.pool.push_back(pool);
}

bool PytorchSlowModel::isSame(const Block& block, uint16_t stream, uint16_t pool, bool isLarge) const {
  return block.stream == stream && block.pool == pool && block.isLarge == isLarge;
}

std::vector<uint64_t> PytorchSlowModel::freeInOrder(uint16_t stream, uint16_t pool, bool isLarge) const {
  std::vector<uint64_t> found;
  for (const auto& [address, block] : blocks_)
    if (block.use == Use::Free && isSame(block, stream, pool, isLarge)) found.push_back(address);
  std::stable_sort(found.begin(), found.end(),
                   [&](uint64_t a, uint64_t b) { return blocks_.at(a).bytes < blocks_.at(b).bytes; });
  return found;
}

uint64_t PytorchSlowModel::worth(uint64_t address) const {
  const Block& block = blocks_.at(address);
  const auto next = blocks_.find(address + block.bytes);
  const bool grows =
      next != blocks_.end() && next->second.segment == block.segment && next->second.use == Use::Unmapped;
  return block.bytes + (grows ? next->second.bytes : 0);
}

uint64_t PytorchSlowModel::findFree(uint64_t bytes, uint16_t stream, uint16_t pool, bool isLarge) const {
  const std::vector<uint64_t> order = freeInOrder(stream, pool, isLarge);
  size_t at = 0;
  while (at < order.size() && blocks_.at(order[at]).bytes < bytes) ++at;
  if (at == order.size()) return 0;
  while (blocks_.at(order[at]).isExpandable && at + 1 < order.size() &&
         worth(order[at + 1]) < worth(order[at]))
    ++at;
  const uint64_t limit = options_.config.maxSplitSize;
  const uint64_t found = blocks_.at(order[at]).bytes;
  if (bytes < limit && found >= limit) return 0;
  if (bytes >= limit && found >= bytes + options_.config.maxNonSplitRounding) return 0;
  return order[at];
}

uint64_t PytorchSlowModel::newSegment(uint64_t bytes, uint16_t stream, uint16_t pool, bool isLarge) {
  uint64_t size = 2 * kMiB;
  if (isLarge) size = bytes < 10 * kMiB ? options_.config.largeSegmentSize : up(bytes, 2 * kMiB);
  if (reserved_ + size > options_.capacity) return 0;
  uint64_t address = bump_;
  if (options_.reusesAddresses) {
    address = uint64_t{0x7f} << 32;
    for (const auto& [start, length] : driver_) {
      if (start - address >= size + 2 * kMiB) break;
      address = start + up(length, 2 * kMiB) + 2 * kMiB;
    }
  }
  bump_ += up(size, 2 * kMiB) + 2 * kMiB;
  driver_[address] = size;
  reserved_ += size;
  record(Action::SegmentAlloc, address, size, stream, pool);
  blocks_[address] = {size, 0, address, Use::Free, stream, pool, isLarge, false, 0};
  liveSegments_[address] = segmentLives_.size();
  segmentLives_.push_back({address, size, 0, last(), kNever, kNever, regionOf(blocks_[address])});
  return address;
}

bool PytorchSlowModel::hasRoom(uint64_t address, uint64_t bytes) const {
  uint64_t room = 0;
  const uint64_t segment = blocks_.at(address).segment;
  for (auto at = blocks_.find(address); at != blocks_.end() && at->second.segment == segment; ++at) {
    if (at->second.use != Use::Free && at->second.use != Use::Unmapped) break;
    room += at->second.bytes;
    if (room >= bytes) return true;
  }
  return false;
}

/// Maps whole granules at the start of an unmapped block; answers the free
/// block they are part of.
uint64_t PytorchSlowModel::mapAt(uint64_t address, uint64_t bytes) {
  Block block = blocks_.at(address);
  const uint64_t size = up(std::min(bytes, block.bytes), granule(block.isLarge));
  if (reserved_ + size > options_.capacity) return 0;
  if (size < block.bytes) {
    Block rest = block;
    rest.bytes -= size;
    blocks_[address + size] = rest;
  }
  blocks_[address].bytes = size;
  blocks_[address].use = Use::Free;
  reserved_ += size;
  record(Action::SegmentMap, address, size, block.stream, block.pool);
  segmentLives_.push_back({address, size, 0, last(), kNever, kNever, Region::Virtual});
  return mergeFree(address);
}

uint64_t PytorchSlowModel::grow(uint64_t bytes, uint16_t stream, uint16_t pool, bool isLarge) {
  uint64_t start = 0;
  for (auto at = blocks_.begin(); at != blocks_.end() && start == 0; ++at) {
    if (at->second.use != Use::Unmapped || !isSame(at->second, stream, pool, isLarge)) continue;
    uint64_t candidate = at->first;
    if (at != blocks_.begin()) {
      const auto before = std::prev(at);
      const bool isFreeBefore =
          before->second.segment == at->second.segment && before->second.use == Use::Free;
      if (isFreeBefore) candidate = before->first;
    }
    if (hasRoom(candidate, bytes)) start = candidate;
  }
  if (start == 0) {
    start = nextRange_;
    nextRange_ += kRangeSpacing;
    blocks_[start] = {rangeBytes(isLarge), 0, start, Use::Unmapped, stream, pool, isLarge, true, 0};
  }
  if (blocks_[start].use == Use::Unmapped) start = mapAt(start, bytes);
  while (start != 0 && blocks_[start].bytes < bytes) {
    const uint64_t next = start + blocks_[start].bytes;
    if (mapAt(next, bytes - blocks_[start].bytes) == 0) return 0;
  }
  return start;
}

bool PytorchSlowModel::releaseOversize(uint64_t bytes, uint16_t stream, uint16_t pool, bool isLarge) {
  const uint64_t limit = options_.config.maxSplitSize;
  if (limit == PytorchConfig::kUnlimited) return false;
  const uint64_t least = std::max(bytes, limit);
  std::vector<uint64_t> order = freeInOrder(stream, pool, isLarge);
  for (const uint64_t address : order) {
    if (blocks_.at(address).bytes < least) continue;
    returnSegment(address);
    return true;
  }
  uint64_t released = 0;
  while (!order.empty() && released < least && blocks_.at(order.back()).bytes >= limit) {
    released += blocks_.at(order.back()).bytes;
    returnSegment(order.back());
    order.pop_back();
  }
  return released >= least;
}

uint64_t PytorchSlowModel::allocate(uint64_t requested, uint16_t stream, uint16_t pool) {
  const uint64_t bytes = round(requested);
  const bool isLarge = bytes > kMiB;
  const bool isExpandable = options_.config.isExpandable;
  const auto obtain = [&] {
    return isExpandable ? grow(bytes, stream, pool, isLarge) : newSegment(bytes, stream, pool, isLarge);
  };
  uint64_t address = findFree(bytes, stream, pool, isLarge);
  if (address == 0) address = obtain();
  if (address == 0 && releaseOversize(bytes, stream, pool, isLarge)) address = obtain();
  if (address == 0) {
    emptyCache();
    address = obtain();
  }
  if (address == 0) {
    record(Action::OutOfMemory, options_.capacity - reserved_, bytes, stream, pool);
    return 0;
  }
  Block& block = blocks_[address];
  const uint64_t rest = block.bytes - bytes;
  const bool isSplit =
      !isLarge || isExpandable ? rest >= 512 : rest > kMiB && bytes < options_.config.maxSplitSize;
  if (isSplit) {
    Block remaining = block;
    remaining.bytes = rest;
    block.bytes = bytes;
    blocks_[address + bytes] = remaining;
  }
  block.use = Use::Allocated;
  block.requested = requested;
  block.life = lives_.size();
  record(Action::Alloc, address, requested, stream, pool);
  lives_.push_back({address, block.bytes, requested, last(), kNever, kNever, regionOf(block)});
  return address;
}

void PytorchSlowModel::free(uint64_t address, bool isWaiting) {
  Block& block = blocks_.at(address);
  record(Action::FreeRequested, address, block.requested, block.stream, block.pool);
  lives_[block.life].freeRequested = last();
  block.use = Use::Waiting;
  if (!isWaiting) complete(address);
}

void PytorchSlowModel::complete(uint64_t address) {
  Block& block = blocks_.at(address);
  record(Action::FreeCompleted, address, block.requested, block.stream, block.pool);
  lives_[block.life].death = last();
  block.use = Use::Free;
  block.requested = 0;
  mergeFree(address);
}

/// Joins a block with neighbours of the same use in its segment; answers where
/// the joined block starts.
uint64_t PytorchSlowModel::mergeFree(uint64_t address) {
  auto at = blocks_.find(address);
  const auto isJoined = [](const auto& a, const auto& b) {
    return a.second.segment == b.second.segment && a.second.use == b.second.use &&
           a.first + a.second.bytes == b.first;
  };
  if (at != blocks_.begin() && isJoined(*std::prev(at), *at)) {
    std::prev(at)->second.bytes += at->second.bytes;
    at = std::prev(blocks_.erase(at));
  }
  const auto next = std::next(at);
  if (next != blocks_.end() && isJoined(*at, *next)) {
    at->second.bytes += next->second.bytes;
    blocks_.erase(next);
  }
  return at->first;
}

void PytorchSlowModel::returnSegment(uint64_t address) {
  const Block block = blocks_.at(address);
  record(Action::SegmentFree, address, block.bytes, block.stream, block.pool);
  segmentLives_[liveSegments_.at(address)].death = last();
  liveSegments_.erase(address);
  driver_.erase(address);
  reserved_ -= block.bytes;
  blocks_.erase(address);
}

void PytorchSlowModel::unmapGranules(uint64_t address) {
  const Block block = blocks_.at(address);
  const uint64_t unit = granule(block.isLarge);
  const uint64_t from = block.segment + up(address - block.segment, unit);
  const uint64_t to = block.segment + (address + block.bytes - block.segment) / unit * unit;
  if (from >= to) return;
  const uint64_t end = address + block.bytes;
  blocks_[address].bytes = from - address;
  if (from == address) blocks_.erase(address);
  Block middle = block;
  middle.use = Use::Unmapped;
  middle.bytes = to - from;
  blocks_[from] = middle;
  if (end > to) {
    blocks_[to] = block;
    blocks_[to].bytes = end - to;
  }
  reserved_ -= to - from;
  record(Action::SegmentUnmap, from, to - from, block.stream, block.pool);
  segmentLives_.push_back({from, to - from, 0, last(), kNever, kNever, Region::Virtual});
  segmentLives_.back().requested = 1;  // marks memory given back
  const uint64_t merged = mergeFree(from);
  if (blocks_.at(merged).bytes == rangeBytes(block.isLarge)) blocks_.erase(merged);
}

void PytorchSlowModel::returnPool(uint16_t pool, bool isLarge) {
  std::vector<uint16_t> order(options_.streams.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint16_t>(i);
  std::sort(order.begin(), order.end(),
            [&](uint16_t a, uint16_t b) { return options_.streams[a] < options_.streams[b]; });
  std::vector<uint64_t> ranges;
  for (const uint16_t stream : order)
    for (const uint64_t address : freeInOrder(stream, pool, isLarge)) {
      const Block& block = blocks_.at(address);
      if (block.isExpandable) ranges.push_back(address);
      const auto segment = liveSegments_.find(address);
      if (segment != liveSegments_.end() && segmentLives_[segment->second].bytes == block.bytes)
        returnSegment(address);
    }
  for (const uint64_t address : ranges) unmapGranules(address);
}

void PytorchSlowModel::emptyCache(const std::set<uint16_t>& releasedPools) {
  returnPool(0, true);
  returnPool(0, false);
  for (const uint16_t pool : releasedPools) {
    returnPool(pool, false);
    returnPool(pool, true);
  }
}

void PytorchSlowModel::finalState(Device& device) const {
  FinalState& final = device.final;
  for (auto at = blocks_.begin(); at != blocks_.end(); ++at) {
    const Block& block = at->second;
    if (block.use == Use::Unmapped) continue;
    const bool isContinued = !final.segments.empty() && at != blocks_.begin() &&
                             std::prev(at)->second.segment == block.segment &&
                             std::prev(at)->second.use != Use::Unmapped;
    if (!isContinued) {
      FinalState::Segment segment;
      segment.address = at->first;
      segment.firstBlock = static_cast<uint32_t>(final.blockAddress.size());
      segment.stream = block.stream;
      segment.pool = block.pool;
      segment.isLarge = block.isLarge;
      segment.isExpandable = block.isExpandable;
      final.segments.push_back(segment);
    }
    FinalState::Segment& segment = final.segments.back();
    segment.bytes += block.bytes;
    ++segment.blockCount;
    final.blockAddress.push_back(at->first);
    final.blockBytes.push_back(block.bytes);
    final.blockRequested.push_back(block.requested);
    final.blockStack.push_back(kNone);
    final.blockState.push_back(block.use == Use::Free        ? BlockState::Inactive
                               : block.use == Use::Allocated ? BlockState::Allocated
                                                             : BlockState::PendingFree);
  }
}

Trace PytorchSlowModel::trace(EventIndex first) const {
  Trace trace;
  trace.format = "pytorch-snapshot";
  Device device;
  device.streams = options_.streams;
  device.pools = options_.pools;
  device.hasHistory = true;
  const auto tail = [&](const auto& column) {
    return std::decay_t<decltype(column)>(column.begin() + first, column.end());
  };
  device.events.action = tail(events_.action);
  device.events.address = tail(events_.address);
  device.events.size = tail(events_.size);
  device.events.stack = tail(events_.stack);
  device.events.stream = tail(events_.stream);
  device.events.pool = tail(events_.pool);
  finalState(device);
  trace.devices.push_back(std::move(device));
  return trace;
}

}  // namespace strata::test
