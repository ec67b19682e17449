#include "allocator/async_pool_slow_model.h"

#include <algorithm>

namespace strata::test {

void AsyncPoolSlowModel::meet(uint32_t stream) {
  if (std::find(order_.begin(), order_.end(), stream) == order_.end()) order_.push_back(stream);
}

void AsyncPoolSlowModel::tick(uint32_t stream) {
  ++clock_;
  meet(stream);
  if (options_.nonBlockingStreams) return;
  for (const uint32_t other : order_) {
    if (stream == 0 && other != 0) waitForAll(0, other);
    if (stream != 0 && other == 0) waitForAll(stream, 0);
  }
}

void AsyncPoolSlowModel::waitForAll(uint32_t stream, uint32_t other) {
  seen(stream, other) = clock_;
  for (const uint32_t third : order_) seen(stream, third) = std::max(seen(stream, third), seen(other, third));
}

std::optional<uint64_t> AsyncPoolSlowModel::allocate(uint64_t bytes, uint32_t stream) {
  if (bytes == 0) return std::nullopt;
  tick(stream);
  if (bytes > kLargestRequest) return std::nullopt;
  const uint64_t rounded = (bytes + 255) / 256 * 256;
  std::optional<At> found = find(rounded, stream);
  if (!found) found = findAmongOthers(rounded, stream);
  if (!found) found = grow(rounded);
  if (!found && hasPending()) found = wait(rounded, stream);
  if (!found) return std::nullopt;
  const uint64_t address = (*found)->first;
  Block rest = (*found)->second;
  (*found)->second = {.bytes = rounded, .isUsed = true, .stream = stream, .time = clock_};
  rest.bytes -= rounded;
  if (rest.bytes > 0) blocks_[address + rounded] = rest;
  return address;
}

/// Without any condition: what the stream freed itself, and what is complete.
std::optional<AsyncPoolSlowModel::At> AsyncPoolSlowModel::find(uint64_t bytes, uint32_t stream) {
  const std::optional<At> own = smallest(bytes, stream);
  const std::optional<At> complete = smallest(bytes, std::nullopt);
  if (!own) return complete;
  if (!complete) return own;
  return (*own)->second.bytes <= (*complete)->second.bytes ? own : complete;
}

std::optional<AsyncPoolSlowModel::At> AsyncPoolSlowModel::findAmongOthers(uint64_t bytes, uint32_t stream) {
  for (const uint32_t other : order_) {
    if (!options_.followEventDependencies || other == stream) continue;
    const std::optional<At> oldest = earliest(bytes, other);
    if (oldest && (*oldest)->second.time <= seen(stream, other)) return oldest;
  }
  if (!options_.allowOpportunistic || clock_ < options_.completionLag || !hasPending()) return std::nullopt;
  completeAll(clock_ - options_.completionLag);
  return smallest(bytes, std::nullopt);
}

std::optional<AsyncPoolSlowModel::At> AsyncPoolSlowModel::smallest(uint64_t bytes,
                                                                   std::optional<uint32_t> pendingOn) {
  std::optional<At> best;
  for (At at = blocks_.begin(); at != blocks_.end(); ++at) {
    const Block& block = at->second;
    if (block.isUsed || block.bytes < bytes || block.isPending != pendingOn.has_value()) continue;
    if (pendingOn && block.stream != *pendingOn) continue;
    if (!best || block.bytes < (*best)->second.bytes) best = at;
  }
  return best;
}

std::optional<AsyncPoolSlowModel::At> AsyncPoolSlowModel::earliest(uint64_t bytes, uint32_t stream) {
  std::optional<At> best;
  for (At at = blocks_.begin(); at != blocks_.end(); ++at) {
    const Block& block = at->second;
    if (!block.isPending || block.stream != stream || block.bytes < bytes) continue;
    if (!best || block.time < (*best)->second.time) best = at;
  }
  return best;
}

std::optional<AsyncPoolSlowModel::At> AsyncPoolSlowModel::grow(uint64_t bytes) {
  const uint64_t piece = options_.pieceBytes;
  const uint64_t count = (bytes + piece - 1) / piece;
  std::vector<uint64_t> moving = sparePieces();
  if (moving.size() > count) moving.resize(count);
  const uint64_t missing = (count - moving.size()) * piece;
  if (missing > 0 && options_.maxSize > 0 && reserved() + missing > options_.maxSize) return std::nullopt;
  if (missing > 0 && !driver_.createPhysical(missing)) return std::nullopt;
  for (const uint64_t one : moving) unmap(one);
  const uint64_t start = lowestHole(count);
  for (uint64_t i = 0; i < count; ++i) pieces_.insert(start + i * piece);
  blocks_[start] = {.bytes = count * piece};
  mergeAlike();
  return std::prev(blocks_.upper_bound(start));
}

/// Whole pieces in complete memory, highest first.
std::vector<uint64_t> AsyncPoolSlowModel::sparePieces() const {
  std::vector<uint64_t> found;
  for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
    const auto& [address, block] = *std::prev(blocks_.upper_bound(*piece));
    if (block.isUsed || block.isPending) continue;
    if (*piece + options_.pieceBytes <= address + block.bytes) found.push_back(*piece);
  }
  return found;
}

void AsyncPoolSlowModel::unmap(uint64_t piece) {
  const At at = std::prev(blocks_.upper_bound(piece));
  const uint64_t begin = at->first;
  const uint64_t end = begin + at->second.bytes;
  blocks_.erase(at);
  if (begin < piece) blocks_[begin] = {.bytes = piece - begin};
  const uint64_t after = piece + options_.pieceBytes;
  if (after < end) blocks_[after] = {.bytes = end - after};
  pieces_.erase(piece);
}

uint64_t AsyncPoolSlowModel::lowestHole(uint64_t count) {
  const uint64_t piece = options_.pieceBytes;
  for (const auto& [begin, end] : ranges_) {
    uint64_t run = 0;
    for (uint64_t at = begin; at < end; at += piece) {
      run = pieces_.contains(at) ? 0 : run + 1;
      if (run == count) return at - (count - 1) * piece;
    }
  }
  const uint64_t least = std::min(driver_.capacity(), uint64_t{1} << 40);
  const uint64_t size = (std::max(count * piece, least) + piece - 1) / piece * piece;
  const uint64_t begin = driver_.reserveRange(size);
  ranges_.emplace_back(begin, begin + size);
  return begin;
}

std::optional<AsyncPoolSlowModel::At> AsyncPoolSlowModel::wait(uint64_t bytes, uint32_t stream) {
  std::optional<At> best;
  for (const uint32_t other : order_) {
    const std::optional<At> oldest = other == stream ? std::nullopt : earliest(bytes, other);
    if (oldest && (!best || (*oldest)->second.time < (*best)->second.time)) best = oldest;
  }
  if (options_.allowInternalDependencies && best) {
    const Block& block = (*best)->second;
    seen(stream, block.stream) = std::max(seen(stream, block.stream), block.time);
    return best;
  }
  completeAll(clock_);
  best = smallest(bytes, std::nullopt);
  return best ? best : grow(bytes);
}

void AsyncPoolSlowModel::free(uint64_t address) {
  ++clock_;
  Block& block = blocks_.at(address);
  for (const uint32_t user : block.users) waitForAll(block.stream, user);
  block = {.bytes = block.bytes, .isPending = true, .stream = block.stream, .time = clock_};
  mergeAlike();
}

void AsyncPoolSlowModel::recordStream(uint64_t address, uint32_t stream) {
  tick(stream);
  Block& block = blocks_.at(address);
  if (block.stream == stream) return;
  seen(stream, block.stream) = std::max(seen(stream, block.stream), block.time);
  block.users.insert(stream);
}

void AsyncPoolSlowModel::synchronize(std::optional<uint32_t> stream) {
  ++clock_;
  if (stream) meet(*stream);
  for (const uint32_t other : order_)
    complete(other, !stream || other == *stream ? clock_ : seen(*stream, other));
  shrink(options_.releaseThreshold);
}

void AsyncPoolSlowModel::emptyCache() {
  synchronize(std::nullopt);
  shrink(options_.minBytesToKeep);
}

void AsyncPoolSlowModel::shrink(uint64_t least) {
  for (const uint64_t piece : sparePieces()) {
    if (reserved() < least + options_.pieceBytes) return;
    unmap(piece);
    driver_.releasePhysical(options_.pieceBytes);
  }
}

void AsyncPoolSlowModel::complete(uint32_t stream, uint64_t time) {
  for (auto& [address, block] : blocks_)
    if (block.isPending && block.stream == stream && block.time <= time) block = {.bytes = block.bytes};
  mergeAlike();
}

void AsyncPoolSlowModel::completeAll(uint64_t time) {
  for (const uint32_t stream : order_) complete(stream, time);
}

bool AsyncPoolSlowModel::hasPending() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const auto& at) { return at.second.isPending; });
}

uint64_t AsyncPoolSlowModel::used() const {
  uint64_t bytes = 0;
  for (const auto& [address, block] : blocks_) bytes += block.isUsed ? block.bytes : 0;
  return bytes;
}

bool AsyncPoolSlowModel::isSameRange(uint64_t a, uint64_t b) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
    return range.first <= a && a < range.second && range.first <= b && b < range.second;
  });
}

void AsyncPoolSlowModel::mergeAlike() {
  for (At at = blocks_.begin(); at != blocks_.end();) {
    const At next = std::next(at);
    if (next == blocks_.end()) return;
    Block& low = at->second;
    const Block& high = next->second;
    const bool isAlike = !low.isUsed && !high.isUsed && low.isPending == high.isPending &&
                         (!low.isPending || low.stream == high.stream);
    if (!isAlike || at->first + low.bytes != next->first || !isSameRange(at->first, next->first)) {
      at = next;
      continue;
    }
    low.bytes += high.bytes;
    low.time = std::max(low.time, high.time);
    blocks_.erase(next);
  }
}

}  // namespace strata::test
