#include "allocator/gmlake_slow_model.h"

#include <algorithm>

namespace strata::test {
namespace {

constexpr uint64_t kChunk = uint64_t{2} << 20;

}  // namespace

std::optional<GmlakeSlowModel::Answer> GmlakeSlowModel::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return std::nullopt;
  if (!options_.vmmDefragment || bytes <= uint64_t{1} << 20) {
    Placement placement = small_.allocate(bytes, stream);
    if (placement.outcome != Outcome::Placed && !intervals_.empty()) {
      flush();
      placement = small_.allocate(bytes, stream);
    }
    if (placement.outcome != Outcome::Placed) return std::nullopt;
    uses_[nextId_] = {.isSmall = true, .small = placement.block};
    return Answer{placement.address, nextId_++};
  }
  if (bytes > kLargestRequest) return std::nullopt;
  poll();
  if (std::find(order_.begin(), order_.end(), stream) == order_.end()) order_.push_back(stream);
  const uint64_t rounded = (bytes + kChunk - 1) / kChunk * kChunk;
  const bool isEager = options_.defragLevel == 0;
  std::optional<Answer> answer = obtain(rounded, stream, isEager, true);
  if (!answer && !isEager) answer = obtain(rounded, stream, true, false);
  if (answer) return answer;
  flush();
  return obtain(rounded, stream, true, true);
}

std::optional<GmlakeSlowModel::Answer> GmlakeSlowModel::obtain(uint64_t bytes, uint32_t stream,
                                                               bool mayStitch, bool isSearching) {
  if (!isSearching) return stitchOrGrow(bytes, stream, mayStitch);
  std::optional<uint64_t> exact, larger, exactStitched, largerStitched;
  for (const auto& [address, one] : intervals_) {
    if (one.isUsed || one.stream != stream || one.bytes < bytes) continue;
    if (one.bytes == bytes && !exact) exact = address;
    if (!larger || one.bytes < intervals_.at(*larger).bytes) larger = address;
  }
  for (const auto& [address, one] : stitched_) {
    const uint64_t size = one.chunks.size() * kChunk;
    if (!isFree(one) || one.stream != stream || size < bytes) continue;
    if (size == bytes && !exactStitched) exactStitched = address;
    const uint64_t least = largerStitched ? stitched_.at(*largerStitched).chunks.size() : SIZE_MAX;
    if (one.chunks.size() < least) largerStitched = address;
  }
  if (exact) return useInterval(*exact, bytes, stream);
  if (exactStitched) return useStitched(*exactStitched, bytes);
  if (larger) return useInterval(*larger, bytes, stream);
  if (largerStitched && stitched_.at(*largerStitched).chunks.size() * kChunk <= bytes * options_.reuseLimit)
    return useStitched(*largerStitched, bytes);
  return stitchOrGrow(bytes, stream, mayStitch);
}

std::optional<GmlakeSlowModel::Answer> GmlakeSlowModel::stitchOrGrow(uint64_t bytes, uint32_t stream,
                                                                     bool mayStitch) {
  uint64_t address = 0;
  const uint64_t free = freeBytes(stream);
  if (mayStitch && free > 0 && bytes >= options_.fragLimit) {
    if (free < bytes && !create(bytes - free, stream, address)) return std::nullopt;
    return stitch(bytes, stream);
  }
  if (!create(bytes, stream, address)) return std::nullopt;
  return useInterval(address, bytes, stream);
}

bool GmlakeSlowModel::create(uint64_t bytes, uint32_t stream, uint64_t& address) {
  if (!driver_.createPhysical(bytes)) return false;
  address = driver_.reserveRange(bytes);
  intervals_[address] = {.bytes = bytes, .segment = address, .stream = stream};
  return true;
}

GmlakeSlowModel::Answer GmlakeSlowModel::useInterval(uint64_t address, uint64_t bytes, uint32_t stream) {
  cutAt(address + bytes);
  intervals_.at(address).isUsed = true;
  uses_[nextId_] = {.address = address, .stream = stream};
  return {address, nextId_++};
}

GmlakeSlowModel::Answer GmlakeSlowModel::useStitched(uint64_t address, uint64_t bytes) {
  Stitched& block = stitched_.at(address);
  block.usedChunks = bytes / kChunk;
  markChunks(block, block.usedChunks, true);
  uses_[nextId_] = {.address = address, .stream = block.stream};
  return {address, nextId_++};
}

GmlakeSlowModel::Answer GmlakeSlowModel::stitch(uint64_t bytes, uint32_t stream) {
  Stitched made;
  made.stream = stream;
  std::set<uint64_t> taken;
  while (made.chunks.size() * kChunk < bytes) {
    std::optional<uint64_t> best;
    for (const auto& [address, one] : intervals_) {
      if (one.isUsed || one.stream != stream || taken.contains(address)) continue;
      if (!best || one.bytes > intervals_.at(*best).bytes) best = address;
    }
    taken.insert(*best);
    const uint64_t missing = bytes - made.chunks.size() * kChunk;
    if (intervals_.at(*best).bytes > missing) cutAt(*best + missing);
    for (uint64_t i = 0; i < intervals_.at(*best).bytes; i += kChunk) made.chunks.push_back(*best + i);
  }
  const uint64_t address = driver_.reserveRange(bytes);
  stitched_[address] = made;
  const Answer answer = useStitched(address, bytes);
  while (stitchedBytes() > options_.autoGC && idlest()) dropIdlest();
  return answer;
}

/// An interval ends, and another begins, at this address.
void GmlakeSlowModel::cutAt(uint64_t address) {
  const auto after = intervals_.upper_bound(address);
  if (after == intervals_.begin()) return;
  auto& [begin, one] = *std::prev(after);
  if (address <= begin || address >= begin + one.bytes) return;
  Interval high = one;
  high.bytes = begin + one.bytes - address;
  one.bytes = address - begin;
  intervals_[address] = high;
}

/// The first chunks of a stitched block, each an interval of its own while it is in use.
void GmlakeSlowModel::markChunks(const Stitched& block, uint64_t chunks, bool isUsed) {
  for (uint64_t i = 0; i < chunks; ++i) {
    cutAt(block.chunks[i]);
    cutAt(block.chunks[i] + kChunk);
    intervals_.at(block.chunks[i]).isUsed = isUsed;
  }
}

bool GmlakeSlowModel::isChunkUsed(uint64_t chunk) const {
  return std::prev(intervals_.upper_bound(chunk))->second.isUsed;
}

bool GmlakeSlowModel::isFree(const Stitched& block) const {
  return std::none_of(block.chunks.begin(), block.chunks.end(),
                      [&](uint64_t chunk) { return isChunkUsed(chunk); });
}

bool GmlakeSlowModel::isStitched(uint64_t address, uint64_t bytes) const {
  for (const auto& [at, block] : stitched_)
    for (const uint64_t chunk : block.chunks)
      if (address <= chunk && chunk < address + bytes) return true;
  return false;
}

void GmlakeSlowModel::mergeAll() {
  for (auto at = intervals_.begin(); at != intervals_.end();) {
    const auto next = std::next(at);
    if (next == intervals_.end()) return;
    auto& [address, low] = *at;
    const bool isOne = !low.isUsed && !next->second.isUsed && low.segment == next->second.segment;
    if (!isOne) {
      at = next;
      continue;
    }
    low.bytes += next->second.bytes;
    intervals_.erase(next);
  }
}

void GmlakeSlowModel::free(uint32_t id) {
  Use& use = uses_.at(id);
  if (use.isSmall) {
    small_.free(use.small);
    uses_.erase(id);
    return;
  }
  use.events = use.users.size();
  for (const uint32_t stream : order_)
    if (use.users.contains(stream)) events_.push_back({stream, ++eventClock_, id});
  if (use.users.empty()) complete(id);
}

void GmlakeSlowModel::complete(uint32_t id) {
  const uint64_t address = uses_.at(id).address;
  uses_.erase(id);
  const auto block = stitched_.find(address);
  if (block == stitched_.end()) {
    intervals_.at(address).isUsed = false;
  } else {
    markChunks(block->second, block->second.usedChunks, false);
    block->second.usedChunks = 0;
    block->second.idleSince = ++clock_;
  }
  mergeAll();
}

void GmlakeSlowModel::poll() {
  std::vector<uint32_t> finished;
  for (const uint32_t stream : order_) {
    for (size_t i = 0; i < events_.size();) {
      const Event event = events_[i];
      const bool isDone = event.time <= std::max(allDone_, done_[stream]);
      if (event.stream != stream || !isDone) {
        ++i;
        continue;
      }
      events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(i));
      if (--uses_.at(event.id).events == 0) complete(event.id);
    }
  }
}

void GmlakeSlowModel::recordStream(uint32_t id, uint32_t stream) {
  Use& use = uses_.at(id);
  if (use.isSmall) return small_.recordStream(use.small, stream);
  if (std::find(order_.begin(), order_.end(), stream) == order_.end()) order_.push_back(stream);
  if (stream != use.stream) use.users.insert(stream);
}

void GmlakeSlowModel::synchronize(std::optional<uint32_t> stream) {
  if (stream && std::find(order_.begin(), order_.end(), *stream) == order_.end()) order_.push_back(*stream);
  if (stream)
    done_[*stream] = eventClock_;
  else
    allDone_ = eventClock_;
  small_.control(
      {.kind = Control::Kind::Synchronize, .hasStream = stream.has_value(), .stream = stream.value_or(0)});
}

void GmlakeSlowModel::flush() {
  allDone_ = eventClock_;
  poll();
  while (idlest()) dropIdlest();
  for (auto at = intervals_.begin(); at != intervals_.end();) {
    const auto next = std::next(at);
    const bool isFirst = at->first == at->second.segment;
    const bool isLast = next == intervals_.end() || next->second.segment != at->second.segment;
    const bool isWhole = isFirst && isLast && !isStitched(at->first, at->second.bytes);
    if (!at->second.isUsed && isWhole) {
      driver_.releasePhysical(at->second.bytes);
      intervals_.erase(at);
    }
    at = next;
  }
  small_.control({.kind = Control::Kind::EmptyCache});
}

/// Which stitched block has not been in use for the longest time.
std::optional<uint64_t> GmlakeSlowModel::idlest() const {
  std::optional<uint64_t> found;
  for (const auto& [address, block] : stitched_) {
    if (block.usedChunks > 0) continue;
    if (!found || block.idleSince < stitched_.at(*found).idleSince) found = address;
  }
  return found;
}

void GmlakeSlowModel::dropIdlest() {
  stitched_.erase(*idlest());
  mergeAll();
}

uint64_t GmlakeSlowModel::freeBytes(uint32_t stream) const {
  uint64_t bytes = 0;
  for (const auto& [address, one] : intervals_)
    if (!one.isUsed && one.stream == stream) bytes += one.bytes;
  return bytes;
}

uint64_t GmlakeSlowModel::reserved() const {
  uint64_t bytes = small_.usage().reserved;
  for (const auto& [address, one] : intervals_) bytes += one.bytes;
  return bytes;
}

uint64_t GmlakeSlowModel::stitchedBytes() const {
  uint64_t bytes = 0;
  for (const auto& [address, one] : stitched_) bytes += one.chunks.size() * kChunk;
  return bytes;
}

}  // namespace strata::test
