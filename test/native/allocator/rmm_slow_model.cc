#include "allocator/rmm_slow_model.h"

#include <algorithm>

namespace strata::test {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

uint64_t rounded(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

RmmPoolSlowModel::RmmPoolSlowModel(const RmmPoolOptions& options, Driver& driver)
    : options_(options), driver_(driver) {
  if (options.initialBytes > 0) insert(listOf(0), fromDevice(options.initialBytes).value());
}

RmmPoolSlowModel::FreeList& RmmPoolSlowModel::listOf(uint32_t stream) {
  if (lists_.find(stream) == lists_.end()) order_.push_back(stream);
  return lists_[stream];
}

std::optional<uint64_t> RmmPoolSlowModel::allocate(uint64_t requested, uint32_t stream) {
  if (requested == 0) return std::nullopt;
  const uint64_t bytes = rounded(requested);
  FreeList& own = listOf(stream);
  if (const auto span = takeBest(own, bytes)) return cut(own, *span, bytes);
  for (const uint32_t other : order_) {
    if (other == stream) continue;
    if (const auto span = takeBest(lists_[other], bytes)) return cut(lists_[other], *span, bytes);
  }
  for (const uint32_t other : order_) {
    if (other == stream || lists_[other].empty()) continue;
    for (const Span& span : lists_[other]) insert(own, span);
    lists_[other].clear();
    if (const auto span = takeBest(own, bytes)) return cut(own, *span, bytes);
  }
  if (const auto span = grow(bytes)) return cut(own, *span, bytes);
  return std::nullopt;
}

void RmmPoolSlowModel::free(uint64_t address, uint64_t requested, uint32_t stream) {
  const bool isHead = std::find(heads_.begin(), heads_.end(), address) != heads_.end();
  insert(listOf(stream), {address, rounded(requested), isHead});
}

std::optional<Span> RmmPoolSlowModel::takeBest(FreeList& list, uint64_t bytes) {
  auto best = list.end();
  for (auto at = list.begin(); at != list.end(); ++at)
    if (at->bytes >= bytes && (best == list.end() || at->bytes < best->bytes)) best = at;
  if (best == list.end()) return std::nullopt;
  const Span span = *best;
  list.erase(best);
  return span;
}

uint64_t RmmPoolSlowModel::cut(FreeList& list, const Span& span, uint64_t bytes) {
  if (span.bytes > bytes) insert(list, {span.address + bytes, span.bytes - bytes, false});
  return span.address;
}

void RmmPoolSlowModel::insert(FreeList& list, Span span) {
  list.push_back(span);
  std::sort(list.begin(), list.end(), [](const Span& a, const Span& b) { return a.address < b.address; });
  for (size_t i = 0; i + 1 < list.size();) {
    const bool touches = list[i].address + list[i].bytes == list[i + 1].address && !list[i + 1].isHead;
    if (!touches) {
      ++i;
      continue;
    }
    list[i].bytes += list[i + 1].bytes;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

std::optional<Span> RmmPoolSlowModel::grow(uint64_t bytes) {
  uint64_t attempt = std::max(bytes, poolBytes_);
  if (options_.maximumBytes) {
    const uint64_t left = rounded(*options_.maximumBytes - std::min(*options_.maximumBytes, poolBytes_));
    if (bytes > left) return std::nullopt;
    attempt = std::max(bytes, left / 2);
  }
  while (true) {
    if (const auto span = fromDevice(attempt)) return span;
    if (attempt == bytes) return std::nullopt;
    attempt = std::max(bytes, attempt / 2);
  }
}

std::optional<Span> RmmPoolSlowModel::fromDevice(uint64_t bytes) {
  const auto address = driver_.allocate((bytes + 15) / 16 * 16);
  if (!address) return std::nullopt;
  poolBytes_ += bytes;
  heads_.push_back(*address);
  return Span{*address, bytes, true};
}

std::optional<uint64_t> RmmArenaSlowModel::allocate(uint64_t requested, uint32_t stream) {
  if (requested == 0) return std::nullopt;
  const uint64_t bytes = rounded(requested);
  if (const auto address = attempt(bytes, stream)) return address;
  for (auto& [number, arena] : streams_) {
    for (auto& [address, superblock] : arena) giveBack(address, std::move(superblock));
    arena.clear();
  }
  return attempt(bytes, stream);
}

std::optional<uint64_t> RmmArenaSlowModel::attempt(uint64_t bytes, uint32_t stream) {
  Arena& arena = bytes > kMebibyte ? global_ : streams_[stream];
  if (&arena != &global_) {
    if (const auto address = firstFit(arena, bytes)) return address;
  }
  auto taken = takeGlobal(bytes);
  if (!taken) return std::nullopt;
  Arena one = {*taken};
  const auto address = firstFit(one, bytes);
  arena.insert(*one.begin());
  return address;
}

std::optional<uint64_t> RmmArenaSlowModel::firstFit(Arena& arena, uint64_t bytes) {
  for (auto& [start, superblock] : arena) {
    for (const auto& [address, size] : superblock.free) {
      if (size < bytes) continue;
      const uint64_t found = address, rest = size - bytes;
      superblock.free.erase(found);
      if (rest > 0) superblock.free[found + bytes] = rest;
      return found;
    }
  }
  return std::nullopt;
}

std::optional<std::pair<uint64_t, RmmArenaSlowModel::Superblock>> RmmArenaSlowModel::takeGlobal(
    uint64_t bytes) {
  for (auto& [address, superblock] : global_) {
    const bool isFit = std::any_of(superblock.free.begin(), superblock.free.end(),
                                   [&](const auto& block) { return block.second >= bytes; });
    if (!isFit) continue;
    std::pair<uint64_t, Superblock> taken = {address, superblock};
    global_.erase(taken.first);
    const uint64_t head = std::max(bytes, kMebibyte);
    if (isEmpty(taken.second) && taken.second.bytes >= head + kMebibyte) {
      const uint64_t rest = taken.second.bytes - head;
      global_[taken.first + head] = {rest, {{taken.first + head, rest}}};
      taken.second = {head, {{taken.first, head}}};
    }
    return taken;
  }
  return std::nullopt;
}

void RmmArenaSlowModel::giveBack(uint64_t address, Superblock superblock) {
  const auto next = global_.lower_bound(address);
  if (isEmpty(superblock) && next != global_.end() && isEmpty(next->second) &&
      address + superblock.bytes == next->first) {
    superblock.bytes += next->second.bytes;
    superblock.free = {{address, superblock.bytes}};
    global_.erase(next);
  }
  const auto after = global_.lower_bound(address);
  if (isEmpty(superblock) && after != global_.begin()) {
    const auto previous = std::prev(after);
    if (isEmpty(previous->second) && previous->first + previous->second.bytes == address) {
      previous->second.bytes += superblock.bytes;
      previous->second.free = {{previous->first, previous->second.bytes}};
      return;
    }
  }
  global_[address] = std::move(superblock);
}

void RmmArenaSlowModel::free(uint64_t address, uint64_t requested) {
  const auto contains = [&](const auto& entry) {
    return entry.first <= address && address < entry.first + entry.second.bytes;
  };
  const auto global = std::find_if(global_.begin(), global_.end(), contains);
  if (global != global_.end()) {
    auto [start, superblock] = *global;
    global_.erase(global);
    merge(superblock, address, rounded(requested));
    giveBack(start, std::move(superblock));
    return;
  }
  for (auto& [number, arena] : streams_)
    for (auto& entry : arena)
      if (contains(entry)) merge(entry.second, address, rounded(requested));
}

bool RmmArenaSlowModel::isEmpty(const Superblock& superblock) {
  return superblock.free.size() == 1 && superblock.free.begin()->second == superblock.bytes;
}

void RmmArenaSlowModel::merge(Superblock& superblock, uint64_t address, uint64_t bytes) {
  superblock.free[address] = bytes;
  for (auto at = superblock.free.begin(); std::next(at) != superblock.free.end();) {
    const auto next = std::next(at);
    if (at->first + at->second != next->first) {
      ++at;
      continue;
    }
    at->second += next->second;
    superblock.free.erase(next);
  }
}

}  // namespace strata::test
