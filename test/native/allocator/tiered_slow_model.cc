#include "allocator/tiered_slow_model.h"

#include <algorithm>

namespace strata::test {
namespace {

uint64_t classFor(uint64_t bytes) {
  for (uint64_t size = 512; size <= 2048; size += 512)
    if (bytes <= size) return size;
  for (uint64_t power = 2048;; power *= 2)
    for (uint64_t quarter = 1; quarter <= 4; ++quarter)
      if (bytes <= power + quarter * power / 4) return power + quarter * power / 4;
}

}  // namespace

TieredSlowModel::TieredSlowModel(const TieredOptions& options, Driver& driver)
    : options_(options), driver_(driver), pages_(driver.capacity() / options.pageBytes) {
  if (pages_ > 0) base_ = driver.reserveRange(pages_ * options.pageBytes);
}

std::vector<TieredSlowModel::Hole> TieredSlowModel::holes() const {
  std::vector<Hole> holes;
  uint64_t end = 0;
  for (const auto& [offset, bytes] : taken_) {
    if (offset > end) holes.push_back({end, offset - end});
    end = offset + bytes;
  }
  if (end < pages_ * options_.pageBytes) holes.push_back({end, pages_ * options_.pageBytes - end});
  return holes;
}

std::vector<uint64_t> TieredSlowModel::freePages() const {
  std::vector<uint64_t> pages;
  for (const Hole& hole : holes())
    for (uint64_t page = hole.offset / options_.pageBytes;
         (page + 1) * options_.pageBytes <= hole.offset + hole.bytes; ++page)
      if (page * options_.pageBytes >= hole.offset) pages.push_back(page);
  return pages;
}

bool TieredSlowModel::hold(const std::vector<uint64_t>& pages) {
  std::vector<uint64_t> fresh;
  for (const uint64_t page : pages)
    if (!held_.contains(page)) fresh.push_back(page);
  if (!driver_.createPhysical(fresh.size() * options_.pageBytes)) return false;
  held_.insert(fresh.begin(), fresh.end());
  return true;
}

std::optional<TieredSlowModel::Place> TieredSlowModel::allocate(uint32_t id, uint64_t bytes,
                                                                uint32_t stream) {
  if (bytes > kLargestRequest) return std::nullopt;
  std::optional<Place> place = askAll(id, bytes, stream);
  if (place) return place;
  bool didAnything = !waiting_.empty();
  if (didAnything) {
    ++synchronizations_;
    for (auto& [other, block] : blocks_) block.otherStreams.clear();
    for (const uint32_t other : waiting_) release(other);
    waiting_.clear();
  }
  if (returnSlabs(std::nullopt)) didAnything = true;
  return didAnything ? askAll(id, bytes, stream) : std::nullopt;
}

std::optional<TieredSlowModel::Place> TieredSlowModel::askAll(uint32_t id, uint64_t bytes, uint32_t stream) {
  Block block;
  block.stream = stream;
  const bool isVirtualFirst = options_.virtualFrom > 0 && bytes >= options_.virtualFrom;
  const bool isPlaced = askImmediate(block, bytes) || (isVirtualFirst && askVirtual(block, bytes)) ||
                        askPooled(block, bytes) || (!isVirtualFirst && askVirtual(block, bytes));
  if (!isPlaced) return std::nullopt;
  blocks_[id] = block;
  return block.place;
}

bool TieredSlowModel::askImmediate(Block& block, uint64_t bytes) {
  if (!options_.hasImmediate || bytes >= options_.immediateBelow || bytes > options_.pageBytes) return false;
  const uint64_t classBytes = classFor(bytes);
  std::vector<SlotName>& freed = freed_[{block.stream, classBytes}];
  const auto newest = std::find_if(slabs_.rbegin(), slabs_.rend(), [&](const auto& entry) {
    return entry.second.stream == block.stream && entry.second.classBytes == classBytes;
  });
  if (!freed.empty()) {
    std::tie(block.slab, block.slot) = freed.back();
    freed.pop_back();
  } else if (newest != slabs_.rend() && newest->second.handedOut < newest->second.slots) {
    block.slab = newest->first;
    block.slot = newest->second.handedOut++;
  } else {
    const std::vector<uint64_t> pages = freePages();
    if (pages.empty() || !hold({pages[0]})) return false;
    taken_[pages[0] * options_.pageBytes] = options_.pageBytes;
    block.slab = slabsMade_++;
    slabs_[block.slab] = {.page = pages[0],
                          .stream = block.stream,
                          .classBytes = classBytes,
                          .slots = options_.pageBytes / classBytes,
                          .handedOut = 1};
  }
  Slab& slab = slabs_[block.slab];
  ++slab.used;
  const uint64_t inSlab = block.slot * classBytes;
  const bool isLast = block.slot + 1 == slab.slots;
  block.place = {base_ + slab.page * options_.pageBytes + inSlab,
                 isLast ? options_.pageBytes - inSlab : classBytes, Region::Immediate};
  return true;
}

bool TieredSlowModel::askPooled(Block& block, uint64_t bytes) {
  const uint64_t rounded = (bytes + 511) / 512 * 512;
  if (!options_.hasPooled) return false;
  const Hole* best = nullptr;
  const std::vector<Hole> all = holes();
  for (const Hole& hole : all)
    if (hole.bytes >= rounded && (!best || hole.bytes < best->bytes)) best = &hole;
  if (!best) return false;
  std::vector<uint64_t> touched;
  for (uint64_t page = best->offset / options_.pageBytes; page * options_.pageBytes < best->offset + rounded;
       ++page)
    touched.push_back(page);
  if (!hold(touched)) return false;
  taken_[best->offset] = rounded;
  block.place = {base_ + best->offset, rounded, Region::Pooled};
  return true;
}

bool TieredSlowModel::askVirtual(Block& block, uint64_t bytes) {
  const uint64_t count = (bytes + options_.pageBytes - 1) / options_.pageBytes;
  block.pages = freePages();
  if (!options_.hasVirtual || count > block.pages.size()) return false;
  block.pages.resize(count);
  if (!hold(block.pages)) return false;
  for (const uint64_t page : block.pages) taken_[page * options_.pageBytes] = options_.pageBytes;
  const uint64_t rounded = count * options_.pageBytes;
  const uint64_t range = (rounded + options_.rangeBytes - 1) / options_.rangeBytes * options_.rangeBytes;
  block.place = {driver_.reserveRange(range), rounded, Region::Virtual};
  return true;
}

void TieredSlowModel::free(uint32_t id) {
  if (blocks_[id].otherStreams.empty()) {
    release(id);
    return;
  }
  blocks_[id].isWaiting = true;
  waiting_.push_back(id);
}

void TieredSlowModel::release(uint32_t id) {
  const Block& block = blocks_[id];
  if (block.place.tier == Region::Immediate) {
    Slab& slab = slabs_[block.slab];
    --slab.used;
    freed_[{slab.stream, slab.classBytes}].push_back({block.slab, block.slot});
  }
  if (block.place.tier == Region::Pooled) taken_.erase(block.place.address - base_);
  if (block.place.tier == Region::Virtual)
    for (const uint64_t page : block.pages) taken_.erase(page * options_.pageBytes);
  blocks_.erase(id);
}

void TieredSlowModel::recordStream(uint32_t id, uint32_t stream) {
  if (stream != blocks_[id].stream) blocks_[id].otherStreams.insert(stream);
}

void TieredSlowModel::synchronize(std::optional<uint32_t> stream) {
  for (auto& [id, block] : blocks_) {
    if (stream)
      block.otherStreams.erase(*stream);
    else
      block.otherStreams.clear();
  }
  std::vector<uint32_t> still;
  for (const uint32_t id : waiting_) {
    if (blocks_[id].otherStreams.empty())
      release(id);
    else
      still.push_back(id);
  }
  waiting_ = still;
  returnSlabs(stream);
}

bool TieredSlowModel::returnSlabs(std::optional<uint32_t> stream) {
  std::set<size_t> returned;
  for (const auto& [age, slab] : slabs_)
    if (slab.used == 0 && (!stream || slab.stream == *stream)) returned.insert(age);
  for (const size_t age : returned) {
    taken_.erase(slabs_[age].page * options_.pageBytes);
    slabs_.erase(age);
  }
  for (auto& [key, slots] : freed_)
    std::erase_if(slots, [&](const SlotName& slot) { return returned.contains(slot.first); });
  return !returned.empty();
}

void TieredSlowModel::emptyCache() {
  returnSlabs(std::nullopt);
  for (const uint64_t page : freePages())
    if (held_.erase(page) > 0) driver_.releasePhysical(options_.pageBytes);
}

uint64_t TieredSlowModel::allocated() const {
  uint64_t sum = 0;
  for (const auto& [id, block] : blocks_)
    if (!block.isWaiting) sum += block.place.bytes;
  return sum;
}

uint64_t TieredSlowModel::active() const {
  uint64_t sum = 0;
  for (const auto& [id, block] : blocks_) sum += block.place.bytes;
  return sum;
}

std::vector<TieredAllocator::PageUse> TieredSlowModel::pageUses() const {
  using By = TieredAllocator::PageUse::By;
  std::vector<TieredAllocator::PageUse> uses;
  for (uint64_t page = 0; !held_.empty() && page <= *held_.rbegin(); ++page) {
    TieredAllocator::PageUse use{.pages = {page, 1}, .by = held_.contains(page) ? By::Nobody : By::NotHeld};
    for (const auto& [age, slab] : slabs_)
      if (slab.page == page) use.by = By::Immediate;
    for (const auto& [id, block] : blocks_) {
      const uint64_t offset = block.place.address - base_;
      if (block.place.tier == Region::Pooled && offset < (page + 1) * options_.pageBytes &&
          page * options_.pageBytes < offset + block.place.bytes)
        use.by = By::Pooled;
      for (size_t i = 0; i < block.pages.size(); ++i) {
        if (block.place.tier != Region::Virtual || block.pages[i] != page) continue;
        use.by = By::Virtual;
        use.address = block.place.address + i * options_.pageBytes;
      }
    }
    uses.push_back(use);
  }
  return uses;
}

}  // namespace strata::test
