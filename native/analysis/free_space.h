#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/changes.h"
#include "trace/trace.h"

namespace strata {

/// The holes of one region by address, with the largest always known.
///
///   chunks   [ hole hole hole ]  [ hole hole ]  [ hole ... up to 128 ]
///   lowest      0x1000              0x9000          0xf000               searched to find the chunk
///   largest       64 K                4 K            512 K               searched when the largest shrinks
///
/// Two holes that touch are one hole when they lie in the same range, and stay two otherwise.
/// insert and erase: O(log n) to find, then moves within one chunk; no allocation in the steady state.
class HoleSet {
 public:
  /// Adds [from, to), joined with what touches it in the same range and with what it overlaps.
  void insert(uint64_t from, uint64_t to, uint32_t range);
  /// Takes [from, to) out of every hole.
  void erase(uint64_t from, uint64_t to);
  /// Bytes of the largest hole, 0 when there is none.
  uint64_t largest() const { return largest_; }
  size_t count() const;

  template <typename Visit>
  void forEach(Visit&& visit) const {
    for (const auto& chunk : chunks_) {
      for (uint32_t i = 0; i < chunk->count; ++i) visit(chunk->from[i], chunk->to[i]);
    }
  }

 private:
  static constexpr uint32_t kCapacity = 128;
  struct Chunk {
    uint32_t count = 0;
    uint32_t range[kCapacity];
    uint64_t from[kCapacity];
    uint64_t to[kCapacity];
    uint64_t largest() const;
  };
  struct Place {
    size_t chunk;
    uint32_t slot;
  };

  /// The last hole that starts at or before an address; false when there is none.
  bool findAtOrBefore(uint64_t address, Place& place) const;
  bool next(Place& place) const;
  void insertAlone(uint64_t from, uint64_t to, uint32_t range);
  void insertAfter(Place place, uint64_t from, uint64_t to, uint32_t range);
  void resize(Place place, uint64_t from, uint64_t to);
  void remove(Place place);
  void split(size_t chunk);
  void grew(size_t chunk, uint64_t bytes);
  void shrank(size_t chunk, uint64_t oldBytes);

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<uint64_t> lowest_;
  std::vector<uint64_t> largestOf_;
  uint64_t largest_ = 0;
};

/// The free space of every region while events are replayed forwards. A hole belongs to the region of its
/// segment and never crosses from one range to another. Where no segments are known there are no holes.
class FreeSpace {
 public:
  /// The state before the first event.
  explicit FreeSpace(const Device& device);

  /// Applies all changes of one event.
  void apply(const Changes& changes, EventIndex event);
  uint64_t largest(int region) const { return holes_[region].largest(); }
  const HoleSet& holes(int region) const { return holes_[region]; }

 private:
  struct Piece {
    uint64_t from, to;
    uint32_t range;
    int region;
  };

  void occupy(uint32_t block);
  void vacate(uint32_t block, EventIndex event);
  void remap();
  Piece pieceOf(uint32_t segment) const;

  const BlockColumns& blocks_;
  const SegmentColumns& segments_;
  bool isKnown_;
  HoleSet holes_[kRegionCount];
  std::vector<Piece> dying_, born_;  ///< pieces of the event at hand
};

}  // namespace strata
