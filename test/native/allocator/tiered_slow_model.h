#pragma once

#include <map>
#include <optional>
#include <set>

#include "allocator/tiered.h"

namespace strata::test {

/// The rules in tiered.h word for word, over lists that are scanned.
class TieredSlowModel {
 public:
  TieredSlowModel(const TieredOptions& options, Driver& driver);

  struct Place {
    uint64_t address = 0, bytes = 0;
    Region tier = Region::Pooled;
  };
  /// Places request `id`; nothing when it is refused.
  std::optional<Place> allocate(uint32_t id, uint64_t bytes, uint32_t stream);
  void free(uint32_t id);
  void recordStream(uint32_t id, uint32_t stream);
  void synchronize(std::optional<uint32_t> stream);
  void emptyCache();

  uint64_t heldBytes() const { return held_.size() * options_.pageBytes; }
  uint64_t allocated() const;
  uint64_t active() const;
  uint64_t synchronizations() const { return synchronizations_; }
  /// Who uses each page up to the last that is held.
  std::vector<TieredAllocator::PageUse> pageUses() const;

 private:
  struct Hole {
    uint64_t offset, bytes;
  };
  struct Slab {
    uint64_t page = 0;
    uint32_t stream = 0;
    uint64_t classBytes = 0;
    uint64_t slots = 0, handedOut = 0, used = 0;
  };
  struct Block {
    Place place;
    uint32_t stream = 0;
    size_t slab = 0;
    uint64_t slot = 0;
    std::vector<uint64_t> pages;
    std::set<uint32_t> otherStreams;
    bool isWaiting = false;
  };
  using SlotName = std::pair<size_t, uint64_t>;  ///< slab and slot

  std::vector<Hole> holes() const;
  std::vector<uint64_t> freePages() const;
  bool hold(const std::vector<uint64_t>& pages);
  std::optional<Place> askAll(uint32_t id, uint64_t bytes, uint32_t stream);
  bool askImmediate(Block& block, uint64_t bytes);
  bool askPooled(Block& block, uint64_t bytes);
  bool askVirtual(Block& block, uint64_t bytes);
  void release(uint32_t id);
  bool returnSlabs(std::optional<uint32_t> stream);

  TieredOptions options_;
  Driver& driver_;
  uint64_t pages_ = 0, base_ = 0;
  std::set<uint64_t> held_;
  std::map<uint64_t, uint64_t> taken_;  ///< offset -> bytes, of everything that any tier uses
  std::map<size_t, Slab> slabs_;        ///< by age
  size_t slabsMade_ = 0;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<SlotName>>
      freed_;  ///< by stream and class, last at the back
  std::map<uint32_t, Block> blocks_;
  std::vector<uint32_t> waiting_;
  uint64_t synchronizations_ = 0;
};

}  // namespace strata::test
