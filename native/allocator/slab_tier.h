#pragma once

#include <optional>
#include <vector>

#include "allocator/allocator.h"
#include "allocator/slot_table.h"

namespace strata {

/// Slots of equal size in slabs, last in, first out: the immediate tier of the tiered allocator, which see.
///
///   slab of 2 MiB, class 640 KiB:  |  slot 0  |  slot 1  |    slot 2     |    the last slot takes the rest
///
/// Every stream has its own slabs and its own list of free slots for each size class. All operations are
/// O(1); giving back a slab is O(its slots).
class SlabTier {
 public:
  static constexpr int kClasses = 4 + 4 * 21;
  enum class State : uint8_t { Free, InUse, Waiting };
  struct Slot {
    uint64_t offset = 0;
    uint64_t bytes = 0;
    uint64_t requested = 0;
    uint32_t slab = 0;
    uint32_t previous = kNoBlock, next = kNoBlock;  ///< in the list of free slots
    State state = State::Free;
  };
  struct Slab {
    uint64_t offset = 0;
    uint32_t stream = 0;
    uint32_t list = 0;
    int sizeClass = 0;
    uint32_t slotCount = 0;
    uint32_t used = 0;                 ///< slots that are not free
    std::vector<uint32_t> slots = {};  ///< those handed out so far, lowest first
    bool isLive = false;
    bool isListed = false;  ///< in emptied_
  };

  explicit SlabTier(uint64_t slabBytes) : slabBytes_(slabBytes) {}

  /// Four classes up to 2 KiB (512, 1024, 1536, 2048), then four for each doubling (2.5, 3, 3.5, 4 KiB, …).
  static int classOf(uint64_t bytes);
  static uint64_t classBytes(int sizeClass);

  /// The slot that came back last, or the next one of the newest slab; kNoBlock when a new slab is needed.
  uint32_t take(int sizeClass, uint32_t stream, uint64_t requested);
  void addSlab(int sizeClass, uint32_t stream, uint64_t offset);
  void give(uint32_t slot);
  void wait(uint32_t slot) { slots_[slot].state = State::Waiting; }
  /// Forgets the slabs, of one stream or of all, that have no slot in use, and answers their offsets, lowest
  /// first.
  std::vector<uint64_t> removeEmpty(std::optional<uint32_t> stream);

  const Slot& slot(uint32_t slot) const { return slots_[slot]; }
  uint32_t streamOf(uint32_t slot) const { return slabs_[slots_[slot].slab].stream; }
  uint64_t largestFree() const;
  /// Calls visit(slab, blocks) for every slab, by no particular order; blocks tile it, addresses are offsets.
  template <typename Visit>
  void forEachSlab(Visit&& visit) const {
    for (uint32_t row = 0; row < rows_; ++row)
      if (slabs_[row].isLive) visit(slabs_[row], blocksOf(slabs_[row]));
  }

 private:
  struct List {
    uint32_t top = kNoBlock;   ///< slot freed last
    uint32_t open = kNoBlock;  ///< slab with slots that were never handed out
  };
  List& listOf(int sizeClass, uint32_t stream);
  uint64_t slotBytes(const Slab& slab, uint32_t index) const;
  bool isLast(const Slot& slot) const;
  void unlink(uint32_t slot);
  std::vector<LayoutBlock> blocksOf(const Slab& slab) const;

  uint64_t slabBytes_;
  StreamOrder streams_;
  std::vector<List> lists_;  ///< kClasses for each stream
  SlotTable<Slot> slots_;
  SlotTable<Slab> slabs_;
  uint32_t rows_ = 0;              ///< of slabs_
  std::vector<uint32_t> emptied_;  ///< slabs that have, or had, no slot in use
  std::vector<uint32_t> freeSlots_ = std::vector<uint32_t>(kClasses, 0);  ///< by class, but for last ones
  std::vector<uint32_t> freeLast_ = std::vector<uint32_t>(kClasses, 0);
};

}  // namespace strata
