#pragma once

#include <algorithm>
#include <map>
#include <tuple>

#include "allocator/pytorch_undo.h"

namespace strata::pytorch {

/// Follows, backwards in time, where the expandable range of each stream and pool begins.
class RangeBases {
 public:
  /// A piece that was mapped before the event that is being undone.
  void mapped(const StartSegment& piece) {
    Range& range = ranges_[{piece.stream, piece.pool, piece.isLarge}];
    range.lowest = std::min(range.lowest, piece.address);
    range.mapped += piece.bytes;
  }
  /// A piece that was not: when it was the last one, the range was another one before.
  void unmapped(const StartSegment& piece) {
    Range& range = ranges_[{piece.stream, piece.pool, piece.isLarge}];
    range.lowest = std::min(range.lowest, piece.address);
    range.mapped -= std::min(range.mapped, piece.bytes);
    if (range.mapped == 0) range.lowest = PytorchConfig::kUnlimited;
  }
  std::vector<RangeBase> all() const {
    std::vector<RangeBase> result;
    for (const auto& [key, range] : ranges_) {
      if (range.mapped == 0) continue;
      result.push_back({range.lowest, std::get<0>(key), std::get<1>(key), std::get<2>(key)});
    }
    return result;
  }

 private:
  struct Range {
    uint64_t lowest = PytorchConfig::kUnlimited;
    uint64_t mapped = 0;
  };
  std::map<std::tuple<uint16_t, uint16_t, bool>, Range> ranges_;
};

/// Mapped pieces of expandable segments, disjoint, by address.
class MappedPieces {
 public:
  void add(const StartSegment& piece) {
    remove(piece.address, piece.bytes);
    pieces_[piece.address] = piece;
  }

  /// Removes a range; answers how many of its bytes were mapped, and the last piece that held some of them.
  uint64_t remove(uint64_t address, uint64_t bytes, StartSegment* removed = nullptr) {
    const uint64_t end = address + bytes;
    uint64_t found = 0;
    auto at = pieces_.upper_bound(address);
    if (at != pieces_.begin() && std::prev(at)->first + std::prev(at)->second.bytes > address) --at;
    while (at != pieces_.end() && at->first < end) {
      const StartSegment piece = at->second;
      at = pieces_.erase(at);
      const uint64_t pieceEnd = piece.address + piece.bytes;
      found += std::min(end, pieceEnd) - std::max(address, piece.address);
      if (removed != nullptr) *removed = piece;
      if (piece.address < address) keep(piece, piece.address, address);
      if (pieceEnd > end) keep(piece, end, pieceEnd);
    }
    return found;
  }

  /// The piece that ends where another begins, or begins where it ends.
  const StartSegment* neighbour(uint64_t address, uint64_t bytes) const {
    const auto above = pieces_.lower_bound(address);
    if (above != pieces_.end() && above->first == address + bytes) return &above->second;
    if (above == pieces_.begin()) return nullptr;
    const StartSegment& below = std::prev(above)->second;
    return below.address + below.bytes == address ? &below : nullptr;
  }

  std::vector<StartSegment> all() const {
    std::vector<StartSegment> result;
    for (const auto& [address, piece] : pieces_) result.push_back(piece);
    return result;
  }

 private:
  void keep(StartSegment piece, uint64_t from, uint64_t to) {
    piece.address = from;
    piece.bytes = to - from;
    pieces_[from] = piece;
  }
  std::map<uint64_t, StartSegment> pieces_;
};

}  // namespace strata::pytorch
