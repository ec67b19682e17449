#pragma once

#include <map>
#include <optional>
#include <vector>

#include "allocator/best_fit_index.h"
#include "allocator/device_model.h"
#include "allocator/first_fit_index.h"
#include "allocator/slot_table.h"

namespace strata {

/// Physical pages that follow each other; numbered from 0.
struct PageRun {
  uint64_t first = 0, count = 0;
};

/// Which physical pages exist: runs that do not touch.
class PageSet {
 public:
  /// Calls visit(run, isIn) for the parts of a run, in order, by whether they are in the set.
  template <typename Visit>
  void forEachPart(const PageRun& whole, Visit&& visit) const {
    uint64_t at = whole.first;
    const uint64_t end = whole.first + whole.count;
    auto next = runs_.upper_bound(at);
    if (next != runs_.begin() && std::prev(next)->second > at) --next;
    for (; at < end; ++next) {
      const uint64_t begin = next == runs_.end() ? end : std::min(std::max(next->first, at), end);
      if (begin > at) visit(PageRun{at, begin - at}, false);
      if (begin == end) return;
      at = std::min(next->second, end);
      visit(PageRun{begin, at - begin}, true);
    }
  }
  void add(const PageRun& run);     ///< none of it may be in the set
  void remove(const PageRun& run);  ///< all of it must be in the set

 private:
  std::map<uint64_t, uint64_t> runs_;  ///< first page -> the one behind the last
};

/// The physical memory of a device as tiers share it: bytes from 0 upwards, in pages that come from the
/// driver when first used and stay until they are given back on purpose.
///
///   bytes:  | taken |    hole     |taken|          hole            |        holes never touch each other
///   pages:  |   0   |   1   |   2   |   3   |   4   |   5   |   6  |
///   there:     yes     yes     yes     yes      no      no     yes         a page with taken bytes is there
///
/// A hole is free memory, whether its pages are there or not; a free page lies in a hole as a whole. Page p
/// has the address base + p x page size: one reserved range, into which each page is mapped when it comes.
/// As many pages as the device's capacity holds, at most 2^48 bytes. All operations are O(log n), times the
/// runs of pages that are there or not in the piece concerned.
class PagedMemory {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{1} << 48;

  struct Piece {
    uint64_t offset = 0, bytes = 0;
  };
  struct TakenRun {
    PageRun pages;
    bool isNew = false;  ///< came from the driver just now
  };

  PagedMemory(Driver& driver, uint64_t pageBytes);
  void start();

  uint64_t pageBytes() const { return pageBytes_; }
  uint64_t address(uint64_t offset) const { return base_ + offset; }

  /// The smallest hole that holds so many bytes, the lowest of equals.
  std::optional<Piece> bestHole(uint64_t bytes) const;
  uint64_t largestHole() const { return holesBySize_.largest(); }
  uint64_t freePages() const { return freePages_; }
  uint64_t totalPages() const { return pages_; }

  /// Takes bytes that lie in one hole. Answers the runs of pages it touches, lowest first; none, and nothing
  /// is taken, when the driver refuses a page.
  std::vector<TakenRun> take(const Piece& piece);
  /// Takes the lowest free pages, wherever they are; none when there are not as many or the driver refuses.
  std::vector<TakenRun> takePages(uint64_t count);
  /// Frees what was taken; answers the hole that it is now part of.
  Piece give(const Piece& piece);
  /// Gives all free pages that are there back to the driver; answers them.
  std::vector<PageRun> releaseFreePages();

  uint64_t heldBytes() const { return heldPages_ * pageBytes_; }
  /// The largest piece of a hole whose pages are all there.
  uint64_t largestHeld() const { return heldInHole_.largest(); }
  /// The pieces of all holes whose pages are there, lowest first.
  std::vector<Piece> heldPieces() const;
  template <typename Visit>
  void forEachPart(const PageRun& whole, Visit&& visit) const {
    held_.forEachPart(whole, visit);
  }

 private:
  PageRun pagesTouched(const Piece& piece) const;
  PageRun pagesInside(const Piece& piece) const;
  void insertHole(const Piece& hole);
  void eraseHole(uint32_t row);
  uint64_t largestHeldIn(const Piece& hole) const;
  template <typename Visit>
  void forEachHeldPiece(const Piece& hole, Visit&& visit) const;
  bool hold(const PageRun& run, std::vector<TakenRun>& runs);
  void letGo(const PageRun& run);

  Driver& driver_;
  uint64_t pageBytes_;
  uint64_t pages_;
  uint64_t base_ = 0;
  SlotTable<Piece> holes_;
  BestFitIndex holesBySize_;
  FirstFitIndex freePagesInHole_;  ///< every hole by offset, weighing its free pages
  FirstFitIndex heldInHole_;       ///< every hole by offset, weighing largestHeldIn
  uint64_t freePages_ = 0;
  PageSet held_;
  uint64_t heldPages_ = 0;
};

}  // namespace strata
