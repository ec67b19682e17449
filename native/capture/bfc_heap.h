#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace strata::bfc {

/// Follows where a BFC allocator put its blocks, from the events of a log: which chunks are free is known as
/// soon as the regions are, and so is what a block got, because the split rule depends on sizes alone.
///
///   region: |  block  | free |   block   |     free     |
///
/// Rules (bfc_allocator.cc): requests are rounded up to 256; the smallest free chunk that fits is taken, the
/// lowest on a tie; it is split when it is at least twice the request or 128 MiB would be left. Regions that
/// touch are one for allocators that coalesce them, which the first block across their border tells. What a
/// block takes up is never free, whatever the lines before it say.
class Heap {
 public:
  struct Taken {
    uint64_t bytes = 0;       ///< what the block got
    bool isForetold = false;  ///< the rules put it there
    bool isInRegion = false;  ///< otherwise bytes is only the rounded request
  };

  void addRegion(uint64_t address, uint64_t bytes);
  /// The place was chosen by the real allocator; blocks that the log lost the end of must be given back
  /// first.
  Taken take(uint64_t address, uint64_t requested);
  void giveBack(uint64_t address, uint64_t bytes);
  /// Nothing in a range is free any more.
  void use(uint64_t address, uint64_t bytes);
  /// Forgets everything, for a dump that states it anew.
  void clear();
  /// A free chunk as a dump states it.
  void addFree(uint64_t address, uint64_t bytes);
  /// A region whose chunks are stated one by one.
  void noteRegion(uint64_t address, uint64_t bytes) { regions_[address] = bytes; }

  bool hasRegions() const { return !regions_.empty(); }
  struct Extent {
    uint64_t address = 0, bytes = 0;
  };
  /// Forgets the regions that overlap a range, or, without one, those that are wholly free; answers them.
  std::vector<Extent> dropOverlapping(uint64_t address, uint64_t bytes);
  std::vector<Extent> dropWhollyFree();
  /// The start of the region that holds an address.
  std::optional<uint64_t> regionOf(uint64_t address) const;
  static uint64_t rounded(uint64_t requested);

 private:
  using Chunks = std::map<uint64_t, uint64_t>;
  Chunks::iterator dropRegion(Chunks::iterator region);
  void removeFree(Chunks::iterator chunk);
  void joinRegions(uint64_t address, uint64_t bytes);

  Chunks regions_;  ///< address to size
  Chunks free_;
  std::set<std::pair<uint64_t, uint64_t>> bySize_;  ///< size, address of the free chunks
};

}  // namespace strata::bfc
