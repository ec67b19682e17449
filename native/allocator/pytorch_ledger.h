#pragma once

#include "trace/trace.h"

namespace strata::pytorch {

/// Writes births and deaths into the block and segment columns of a device.
class Ledger {
 public:
  explicit Ledger(Device& device) : blocks_(device.blocks), segments_(device.segments) {}

  struct Block {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t requested = 0;
    uint32_t stack = kNone;
    uint32_t segment = kNone;
    Region region = Region::Pooled;
    uint16_t stream = 0;
    uint16_t pool = 0;
  };
  struct Segment {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint32_t stack = kNone;
    uint32_t range = kNone;  ///< kNone: the row itself
    uint16_t stream = 0;
    uint16_t pool = 0;
    bool isLarge = true;
    bool isExpandable = false;
  };

  void reserveBlocks(size_t count);
  uint32_t blockBorn(const Block& block, EventIndex event);
  uint32_t segmentBorn(const Segment& segment, EventIndex event);
  void freeRequested(uint32_t block, EventIndex event) { blocks_.freeRequested[block] = event; }
  void blockDied(uint32_t block, EventIndex event) {
    blocks_.death[block] = event;
    if (blocks_.freeRequested[block] == kNever) blocks_.freeRequested[block] = event;
  }
  void segmentDied(uint32_t segment, EventIndex event) { segments_.death[segment] = event; }

  BlockColumns& blocks() { return blocks_; }
  SegmentColumns& segments() { return segments_; }
  /// A row as it would have to be born again.
  Segment segment(uint32_t row) const;

  static Region regionOf(bool isExpandable, bool isPrivate, bool isLarge) {
    if (isExpandable) return Region::Virtual;
    return isPrivate || isLarge ? Region::Pooled : Region::Immediate;
  }
  void setPrivatePools(std::vector<uint8_t> isPrivate) { isPrivate_ = std::move(isPrivate); }
  bool isPrivate(uint16_t pool) const { return pool < isPrivate_.size() && isPrivate_[pool] != 0; }

 private:
  BlockColumns& blocks_;
  SegmentColumns& segments_;
  std::vector<uint8_t> isPrivate_;  ///< by Device::pools row
};

}  // namespace strata::pytorch
