#pragma once

#include <unordered_map>

#include "allocator/allocator.h"
#include "allocator/paged_memory.h"
#include "allocator/slab_tier.h"

namespace strata {

struct TieredOptions {
  bool hasImmediate = true, hasPooled = true, hasVirtual = true;
  uint64_t immediateBelow = uint64_t{2} << 20;  ///< smaller requests ask the immediate tier first
  uint64_t virtualFrom = 0;                     ///< these and larger ones ask the virtual tier first; 0: none
  uint64_t pageBytes = uint64_t{2} << 20;       ///< a power of two, from 4 KiB to 1 GiB
  uint64_t rangeBytes = uint64_t{32} << 20;     ///< address ranges are multiples of it; not 0
};

/// A teaching model: the three regions of memory as tiers of one allocator. No driver works in exactly this
/// way.
///
///   request --> immediate --> pooled --> virtual --> out of memory       each tier takes it or passes it on
///                   |            |          :
///   physical:   [slab][  block  |  hole  |  block  | hole ]              virtual pages: any free pages, from
///   pages:        0     1    2    3    4    5    6    7                  wherever they are
///
/// Physical memory (paged_memory.h): one row of bytes in pages, as many as the device's capacity holds. A
/// page
///   comes from the driver when a tier first touches it and then stays, whoever uses it. A hole is what no
///   tier uses; a page is free when it lies in a hole as a whole. All tiers take from the same holes.
/// Order:     a request under `immediateBelow` asks the immediate, pooled and virtual tier; another one the
///   pooled and the virtual tier, and from `virtualFrom` on the virtual and the pooled tier. A tier that is
///   off passes everything on.
/// Immediate: rounds up to a size class (512, 1024, 1536, 2048, then four for each doubling: 2.5, 3, 3.5, 4
/// KiB
///   and so on) and hands out slots of slabs; a slab is one page, for one stream and one class. First the
///   slot of that stream and class that was freed last; else the next never used slot, lowest first, of its
///   newest slab; else the first of a new slab in the lowest free page. The last slot of a slab takes the
///   rest of the page. Passes on requests larger than a page, and when there is no free page or the driver
///   refuses it.
/// Pooled:    rounds up to 512 bytes. The smallest hole that holds them, the lowest of equals; the block lies
///   at its low end, and the rest stays a hole, however small. A freed block merges with the holes beside it.
///   Passes on when no hole is large enough, or the driver refuses a page of it.
/// Virtual:   rounds up to pages. Reserves a range of addresses, a multiple of `rangeBytes`, and maps the
///   lowest free pages into its start, in order. Passes on when there are fewer free pages than it needs, or
///   the driver refuses one. A freed block unmaps its pages and gives the range back.
/// Streams:   memory that is freed may be reused at once, by the immediate tier on its own stream only. A
/// block
///   that other streams used (recordStream) waits, whole, until each of them or all are synchronized.
/// Step end:  Control::Synchronize. What waits for that stream, or for any, is freed in the order of the
/// frees;
///   then the slabs of that stream, or all, without a slot in use give their pages back to physical memory.
/// Empty cache: Control::EmptyCache gives back all slabs without a slot in use, and then every free page to
/// the
///   driver.
/// Failure:   before a request is refused, all streams are synchronized if anything waits, and empty slabs
/// give
///   back their pages. If either did anything, the tiers are asked once more.
/// Limits:    0 bytes are no request. Nothing above kLargestRequest is served, nor more than 2^48 bytes of
///   physical memory used, nor more than 2^62 bytes of address ranges ever reserved.
///
/// Reserved is the bytes of pages held. Events: SegmentMap and SegmentUnmap say which addresses pages appear
/// at and for which region: a page that changes hands is unmapped from one and mapped for the other; free
/// pages count as pooled. Driver calls: a page is an allocation of its own and is mapped at its own address;
/// for a virtual block it is mapped once more. Cost:      O(1) for slots, O(log holes) for blocks, O(pieces
/// log holes) for virtual blocks. Source:    this project's own; its parts follow slab allocators, the best
/// fit of bfc.h, and PyTorch's
///            expandable segments and GMLake (arXiv 2401.08156) for pages without neighbours.
class TieredAllocator final : public Allocator {
 public:
  TieredAllocator(const TieredOptions& options, Driver& driver)
      : options_(options), driver_(driver), memory_(driver, options.pageBytes), slabs_(options.pageBytes) {}

  bool start() override;
  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  void recordStream(BlockHandle block, uint32_t stream) override;
  ControlResult control(const Control& control) override;
  Usage usage() const override;
  Layout layout() const override;

  /// Who uses a run of pages.
  struct PageUse {
    enum class By : uint8_t { NotHeld, Nobody, Immediate, Pooled, Virtual };
    PageRun pages;
    By by = By::NotHeld;
    uint64_t address = 0;  ///< Virtual: where its first page appears in the virtual range
  };
  /// Up to the last page that is held, lowest first; what a picture of physical memory shows.
  std::vector<PageUse> pageUses() const;

 private:
  struct PoolBlock {
    PagedMemory::Piece piece;
    uint64_t requested = 0;
    uint32_t stream = 0;
    bool isLive = false, isWaiting = false;
  };
  struct VirtualBlock {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t rangeBytes = 0;
    uint64_t requested = 0;
    uint32_t stream = 0;
    bool isLive = false, isWaiting = false;
    std::vector<PageRun> runs = {};
  };
  /// A handle is four times the row in its tier's table plus the tier.
  static BlockHandle handleOf(uint32_t row, Region tier) { return row * 4 + static_cast<uint32_t>(tier); }
  static Region tierOf(BlockHandle block) { return static_cast<Region>(block % 4); }

  Placement askTiers(uint64_t bytes, uint32_t stream);
  Placement askImmediate(uint64_t bytes, uint32_t stream);
  bool addSlab(int sizeClass, uint32_t stream);
  Placement askPooled(uint64_t bytes, uint32_t stream);
  Placement askVirtual(uint64_t bytes, uint32_t stream);
  Placement mapPages(const std::vector<PagedMemory::TakenRun>& taken, uint64_t bytes, uint32_t stream);
  Placement handOut(const Placement& placement);

  bool makeRoom();
  void release(BlockHandle block);
  void releaseVirtual(uint32_t row);
  void giveBack(const PagedMemory::Piece& piece);
  bool returnSlabs(std::optional<uint32_t> stream, Decision::Reason reason);
  void completeWaiting(std::optional<uint32_t> stream);
  void setWaiting(BlockHandle block);
  uint64_t bytesOf(BlockHandle block) const;
  uint32_t streamOf(BlockHandle block) const;

  uint64_t addressOf(const PageRun& run) const { return memory_.address(run.first * options_.pageBytes); }
  void emitRun(AllocatorEvent::Kind kind, const PageRun& run, Region region) const {
    emit(kind, addressOf(run), run.count * options_.pageBytes, region);
  }

  void appendSlabs(Layout& layout) const;
  void appendPool(Layout& layout) const;
  void appendRanges(Layout& layout) const;

  TieredOptions options_;
  Driver& driver_;
  PagedMemory memory_;
  SlabTier slabs_;
  SlotTable<PoolBlock> pool_;
  SlotTable<VirtualBlock> ranges_;
  uint32_t poolRows_ = 0, rangeRows_ = 0;
  std::unordered_map<BlockHandle, std::vector<uint32_t>>
      otherStreams_;                  ///< that use a block, not yet synchronized
  std::vector<BlockHandle> waiting_;  ///< freed, in that order
  uint64_t reservedAddresses_ = 0;
  uint64_t used_ = 0, waitingBytes_ = 0;
  uint64_t peakUsed_ = 0, peakHeld_ = 0;
};

}  // namespace strata
