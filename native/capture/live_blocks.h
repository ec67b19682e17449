#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata {

/// The blocks that are live, by address; no two overlap.
///
///   firsts:   | 0x1000 | 0x9000 | ...        one for each chunk
///   chunks:   0x1000 0x2000 0x4000 - -   0x9000 0xa000 - - -      sorted, up to kMost in each
///
/// Readers look up, add and take away a block for every row of a log. A row costs two short binary searches
/// in memory that lies together, and a move within one chunk; a tree of nodes costs several times as much.
class LiveBlocks {
 public:
  struct Block {
    uint64_t address, end;
    uint32_t row;
  };

  bool isLive(uint64_t address) const { return isAt(placeOf(address), address); }

  /// Gives the row of the block that starts at an address; false when there is none.
  bool find(uint64_t address, uint32_t& row) const {
    const Place place = placeOf(address);
    if (!isAt(place, address)) return false;
    row = chunkAt(place.chunk).row[place.index];
    return true;
  }

  /// Takes away the block that starts at an address and gives its row; false when there is none.
  bool remove(uint64_t address, uint32_t& row) {
    const Place place = placeOf(address);
    if (!isAt(place, address)) return false;
    row = chunkAt(place.chunk).row[place.index];
    erase(place);
    return true;
  }

  /// Takes away every block that overlaps a range, after calling with each, lowest address first.
  template <typename OnBlock>
  void removeOverlapping(uint64_t from, uint64_t to, OnBlock&& onBlock) {
    empty(placeOf(from), from, to, onBlock);
  }

  /// Adds a block; those that it overlaps are taken away before.
  template <typename OnBlock>
  void insert(const Block& block, OnBlock&& onOverlapping) {
    Place place = placeOf(block.address);
    if (empty(place, block.address, block.end, onOverlapping)) place = placeOf(block.address);
    if (order_.empty()) addChunk(0, block.address);
    if (chunkAt(place.chunk).count == kMost) {
      split(place.chunk);
      place = placeOf(block.address);
    }
    chunkAt(place.chunk).insert(place.index, block);
    firsts_[place.chunk] = chunkAt(place.chunk).address[0];
  }

  void clear() {
    chunks_.clear();
    order_.clear();
    spare_.clear();
    firsts_.clear();
  }

 private:
  static constexpr uint32_t kMost = 64;

  struct Chunk {
    uint32_t count = 0;
    uint64_t address[kMost];
    uint64_t end[kMost];
    uint32_t row[kMost];

    void insert(uint32_t at, const Block& block) {
      std::move_backward(address + at, address + count, address + count + 1);
      std::move_backward(end + at, end + count, end + count + 1);
      std::move_backward(row + at, row + count, row + count + 1);
      address[at] = block.address;
      end[at] = block.end;
      row[at] = block.row;
      ++count;
    }
    void erase(uint32_t at) {
      std::move(address + at + 1, address + count, address + at);
      std::move(end + at + 1, end + count, end + at);
      std::move(row + at + 1, row + count, row + at);
      --count;
    }
  };
  /// Where a block is, or would have to be put: index may be the chunk's count.
  struct Place {
    size_t chunk = 0;
    uint32_t index = 0;
  };

  /// How many of the sorted numbers are less than the limit. Without a branch, because which way to go is a
  /// coin toss that no processor can foresee.
  static size_t countBelow(const uint64_t* numbers, size_t count, uint64_t limit) {
    const uint64_t* at = numbers;
    while (count > 0) {
      const size_t half = (count + 1) / 2;
      at += at[half - 1] < limit ? half : 0;
      count -= half;
    }
    return static_cast<size_t>(at - numbers);
  }

  /// The first block at or after an address, in the chunk of what lies before it.
  Place placeOf(uint64_t address) const {
    if (order_.empty()) return {};
    const size_t upTo = countBelow(firsts_.data(), firsts_.size(), address + 1);
    const size_t chunk = upTo == 0 ? 0 : upTo - 1;
    const Chunk& found = chunkAt(chunk);
    return {chunk, static_cast<uint32_t>(countBelow(found.address, found.count, address))};
  }

  bool isAt(const Place& place, uint64_t address) const {
    if (place.chunk >= order_.size()) return false;
    const Chunk& chunk = chunkAt(place.chunk);
    return place.index < chunk.count && chunk.address[place.index] == address;
  }

  void erase(const Place& place) {
    Chunk& chunk = chunkAt(place.chunk);
    chunk.erase(place.index);
    if (chunk.count > 0) {
      firsts_[place.chunk] = chunk.address[0];
      return;
    }
    spare_.push_back(order_[place.chunk]);
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(place.chunk));
    firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(place.chunk));
  }

  /// Answers whether anything was taken away.
  template <typename OnBlock>
  bool empty(Place place, uint64_t from, uint64_t to, OnBlock&& onBlock) {
    if (order_.empty()) return false;
    bool isChanged = false;
    if (place.index > 0 && chunkAt(place.chunk).end[place.index - 1] > from) --place.index;
    while (place.chunk < order_.size()) {
      const Chunk& chunk = chunkAt(place.chunk);
      if (place.index == chunk.count) {
        place = {place.chunk + 1, 0};
        continue;
      }
      const Block block{chunk.address[place.index], chunk.end[place.index], chunk.row[place.index]};
      if (block.address >= to) break;
      erase(place);  // what was behind it has its place now
      onBlock(block);
      isChanged = true;
    }
    return isChanged;
  }

  Chunk& chunkAt(size_t place) { return chunks_[order_[place]]; }
  const Chunk& chunkAt(size_t place) const { return chunks_[order_[place]]; }

  /// A new, empty chunk at a place in the order.
  void addChunk(size_t place, uint64_t first) {
    auto number = static_cast<uint32_t>(chunks_.size());
    if (spare_.empty()) {
      chunks_.emplace_back();
    } else {
      number = spare_.back();
      spare_.pop_back();
    }
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place), number);
    firsts_.insert(firsts_.begin() + static_cast<std::ptrdiff_t>(place), first);
  }

  void split(size_t at) {
    constexpr uint32_t kHalf = kMost / 2;
    addChunk(at + 1, chunkAt(at).address[kHalf]);
    Chunk& full = chunkAt(at);
    Chunk& upper = chunkAt(at + 1);
    std::copy(full.address + kHalf, full.address + kMost, upper.address);
    std::copy(full.end + kHalf, full.end + kMost, upper.end);
    std::copy(full.row + kHalf, full.row + kMost, upper.row);
    full.count = upper.count = kHalf;
  }

  std::vector<uint64_t> firsts_;  ///< the lowest address of each chunk, in order
  std::vector<uint32_t> order_;   ///< the number of each chunk, in the same order
  std::vector<Chunk> chunks_;
  std::vector<uint32_t> spare_;  ///< numbers of chunks that are not used
};

}  // namespace strata
