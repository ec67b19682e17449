#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/sorted_search.h"

namespace strata {

/// A set of addresses in order.
///
///   firsts:   | 0x1000 | 0x9000 | ...        one for each chunk
///   chunks:   0x1000 0x2000 0x4000 - -   0x9000 0xa000 - - -      sorted, up to kMost in each
///
/// A question costs two short binary searches in memory that lies together, a change a move within one chunk
/// besides; a tree of nodes costs several times as much.
class AddressOrder {
 public:
  /// The highest address below one; false when there is none.
  bool before(uint64_t address, uint64_t& found) const {
    Place place = placeOf(address);
    if (place.index == 0) {
      if (place.chunk == 0) return false;
      --place.chunk;
      place.index = chunkAt(place.chunk).count;
    }
    found = chunkAt(place.chunk).address[place.index - 1];
    return true;
  }

  /// The lowest address that is not below one; false when there is none.
  bool atOrAfter(uint64_t address, uint64_t& found) const {
    Place place = placeOf(address);
    if (place.chunk < order_.size() && place.index == chunkAt(place.chunk).count)
      place = {place.chunk + 1, 0};
    if (place.chunk >= order_.size()) return false;
    found = chunkAt(place.chunk).address[place.index];
    return true;
  }

  /// An address that is not in the set yet.
  void insert(uint64_t address) {
    if (order_.empty()) addChunk(0, address);
    Place place = placeOf(address);
    if (chunkAt(place.chunk).count == kMost) {
      split(place.chunk);
      place = placeOf(address);
    }
    Chunk& chunk = chunkAt(place.chunk);
    std::copy_backward(chunk.address + place.index, chunk.address + chunk.count,
                       chunk.address + chunk.count + 1);
    chunk.address[place.index] = address;
    ++chunk.count;
    firsts_[place.chunk] = chunk.address[0];
  }

  /// An address that is in the set.
  void remove(uint64_t address) {
    const Place place = placeOf(address);
    Chunk& chunk = chunkAt(place.chunk);
    std::copy(chunk.address + place.index + 1, chunk.address + chunk.count, chunk.address + place.index);
    --chunk.count;
    if (chunk.count > 0) {
      firsts_[place.chunk] = chunk.address[0];
      return;
    }
    spare_.push_back(order_[place.chunk]);
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(place.chunk));
    firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(place.chunk));
  }

 private:
  static constexpr uint32_t kMost = 64;

  struct Chunk {
    uint32_t count = 0;
    uint64_t address[kMost];
  };
  /// Where an address is, or would have to be put: in the last chunk that does not start behind it. The index
  /// may be the chunk's count.
  struct Place {
    size_t chunk = 0;
    uint32_t index = 0;
  };

  Place placeOf(uint64_t address) const {
    if (order_.empty()) return {};
    const size_t upTo =
        countBefore(firsts_.data(), firsts_.size(), [&](uint64_t first) { return first <= address; });
    const size_t chunk = upTo == 0 ? 0 : upTo - 1;
    const Chunk& found = chunkAt(chunk);
    const size_t index =
        countBefore(found.address, found.count, [&](uint64_t other) { return other < address; });
    return {chunk, static_cast<uint32_t>(index)};
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
    full.count = upper.count = kHalf;
  }

  std::vector<uint64_t> firsts_;  ///< the lowest address of each chunk, in order
  std::vector<uint32_t> order_;   ///< the number of each chunk, in the same order
  std::vector<Chunk> chunks_;
  std::vector<uint32_t> spare_;  ///< numbers of chunks that are not used
};

}  // namespace strata
