#include "allocator/bfc_slow_model.h"

#include <algorithm>

namespace strata::test {
namespace {

void mergeFreeNeighbours(std::vector<BfcSlowModel::Chunk>& chunks) {
  for (size_t i = 0; i + 1 < chunks.size();) {
    if (chunks[i].isUsed || chunks[i + 1].isUsed) {
      ++i;
      continue;
    }
    chunks[i].bytes += chunks[i + 1].bytes;
    chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

bool isWhollyFree(const BfcSlowModel::Region& region) {
  return std::none_of(region.chunks.begin(), region.chunks.end(),
                      [](const BfcSlowModel::Chunk& chunk) { return chunk.isUsed; });
}

}  // namespace

std::optional<BfcSlowModel::Chunk> BfcSlowModel::allocate(uint64_t bytes) {
  if (bytes == 0) return std::nullopt;
  const uint64_t rounded = (bytes + 255) / 256 * 256;
  if (auto chunk = takeSmallestThatFits(rounded)) return chunk;
  if (extend(rounded))
    if (auto chunk = takeSmallestThatFits(rounded)) return chunk;
  if (collect(rounded) && extend(rounded)) return takeSmallestThatFits(rounded);
  return std::nullopt;
}

std::optional<BfcSlowModel::Chunk> BfcSlowModel::takeSmallestThatFits(uint64_t rounded) {
  Region* bestRegion = nullptr;
  size_t best = 0;
  for (Region& region : regions_) {
    for (size_t i = 0; i < region.chunks.size(); ++i) {
      const Chunk& chunk = region.chunks[i];
      if (chunk.isUsed || chunk.bytes < rounded) continue;
      if (bestRegion && bestRegion->chunks[best].bytes <= chunk.bytes) continue;
      bestRegion = &region;
      best = i;
    }
  }
  if (!bestRegion) return std::nullopt;
  Chunk& chunk = bestRegion->chunks[best];
  chunk.isUsed = true;
  const uint64_t rest = chunk.bytes - rounded;
  const auto fraction =
      static_cast<uint64_t>(options_.fragmentationFraction * static_cast<double>(options_.limit));
  const uint64_t most = options_.fragmentationFraction > 0 ? fraction : uint64_t{128} << 20;
  if (chunk.bytes >= 2 * rounded || rest >= most) {
    chunk.bytes = rounded;
    const Chunk high{chunk.address + rounded, rest, false};
    bestRegion->chunks.insert(bestRegion->chunks.begin() + static_cast<std::ptrdiff_t>(best) + 1, high);
  }
  return bestRegion->chunks[best];
}

void BfcSlowModel::free(uint64_t address) {
  for (Region& region : regions_) {
    for (Chunk& chunk : region.chunks)
      if (chunk.address == address) chunk.isUsed = false;
    mergeFreeNeighbours(region.chunks);
  }
}

uint64_t BfcSlowModel::pool() const {
  uint64_t bytes = 0;
  for (const Region& region : regions_) bytes += region.bytes;
  return bytes;
}

bool BfcSlowModel::extend(uint64_t rounded) {
  const uint64_t available = (options_.limit - pool()) / 256 * 256;
  if (rounded > available) return false;
  bool isRaised = false;
  for (; aim_ < rounded; aim_ *= 2) isRaised = true;
  for (uint64_t bytes = std::min(aim_, available); bytes >= rounded;) {
    if (const auto address = driver_.allocate(bytes)) {
      if (!isRaised) aim_ *= 2;
      addRegion(*address, driver_.granted(bytes));
      return true;
    }
    const float smaller = static_cast<float>(bytes) * 0.9f;
    const uint64_t next = (static_cast<uint64_t>(smaller) + 255) / 256 * 256;
    bytes = next == bytes ? bytes - 256 : next;
  }
  return false;
}

void BfcSlowModel::addRegion(uint64_t address, uint64_t bytes) {
  for (Region& region : regions_) {
    if (!options_.coalesceRegions || region.address + region.bytes != address) continue;
    region.bytes += bytes;
    region.chunks.push_back({address, bytes, false});
    mergeFreeNeighbours(region.chunks);
    return;
  }
  regions_.push_back({address, bytes, {{address, bytes, false}}});
  std::sort(regions_.begin(), regions_.end(),
            [](const Region& a, const Region& b) { return a.address < b.address; });
}

bool BfcSlowModel::collect(uint64_t rounded) {
  if (!options_.collectGarbage) return false;
  uint64_t freeBytes = 0;
  for (const Region& region : regions_)
    if (isWhollyFree(region)) freeBytes += region.bytes;
  if (freeBytes == 0 || rounded > options_.limit - pool() + freeBytes) return false;
  for (size_t i = 0; i < regions_.size();) {
    if (!isWhollyFree(regions_[i])) {
      ++i;
      continue;
    }
    driver_.free(regions_[i].address, regions_[i].bytes);
    regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return true;
}

}  // namespace strata::test
