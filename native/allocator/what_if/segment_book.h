#pragma once

#include <map>

#include "trace/trace.h"

namespace strata::what_if {

/// Births and deaths of the memory that a run takes from the driver, written into a device's segment columns.
class SegmentBook {
 public:
  explicit SegmentBook(SegmentColumns& rows) : rows_(rows) {}

  struct Birth {
    uint64_t address = 0, bytes = 0;
    uint32_t stack = kNone;
    uint32_t range = kNone;  ///< row of another piece of the same range; kNone: its own
    Region region = Region::Pooled;
    uint16_t stream = 0, pool = 0;
    bool isLarge = true, isExpandable = false;
  };
  uint32_t born(const Birth& birth, EventIndex event);
  /// Ends all memory in [address, address + bytes); what is left of a piece lives on as a new row. Answers
  /// the first row that ended, or kNone. Memory that came and went before the first event leaves no row
  /// alive.
  uint32_t died(uint64_t address, uint64_t bytes, EventIndex event);
  /// The row of the memory that holds an address, or kNone.
  uint32_t rowAt(uint64_t address) const;
  const std::map<uint64_t, uint32_t>& live() const { return live_; }

 private:
  Birth birthOf(uint32_t row) const;

  SegmentColumns& rows_;
  std::map<uint64_t, uint32_t> live_;  ///< address -> row
};

}  // namespace strata::what_if
