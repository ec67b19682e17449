#pragma once

#include <span>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// Which rows (blocks or segments) are alive at any event, by address.
///
///   events   -1 ........ 4095 ........ 9300 ......
///   alive    [rows by address] [rows by address] [...]      a checkpoint each
///   asked                          ^ the checkpoint before it, without what died since,
///                                    merged with what was born since (rows are in order of birth)
///
/// The distance between checkpoints grows with what is alive, so that they cost at most 2 bytes an event.
/// alive: O(live + distance); around: a search of the checkpoint, then a scan of what was born since.
class Checkpoints {
 public:
  /// Keeps the spans; they must outlive it. bytes are only needed by around().
  Checkpoints(std::span<const uint64_t> address, std::span<const EventIndex> birth,
              std::span<const EventIndex> death, EventIndex eventCount);

  /// Rows alive after an event, by address.
  std::vector<uint32_t> alive(EventIndex event) const;

  struct Neighbours {
    uint32_t atOrBefore = kNone;  ///< the row with the highest address at or before the one asked for
    uint32_t after = kNone;       ///< the row with the lowest address behind it
  };
  /// The rows alive after an event on both sides of an address.
  Neighbours around(EventIndex event, uint64_t address) const;

  /// Calls visit(row) for what was born after one event, up to and including another, in order of birth.
  template <typename Visit>
  void forEachBorn(EventIndex after, EventIndex upTo, Visit&& visit) const {
    const size_t end = bornUpTo(upTo);
    for (size_t i = bornUpTo(after); i < end; ++i) visit(rowAt(i));
  }
  /// How many rows were born up to and including an event.
  size_t bornUpTo(EventIndex event) const;

  size_t bytes() const;

 private:
  uint32_t rowAt(size_t i) const { return order_.empty() ? static_cast<uint32_t>(i) : order_[i]; }
  bool isAliveAt(uint32_t row, EventIndex event) const { return birth_[row] <= event && event < death_[row]; }
  std::vector<uint32_t> next(std::span<const uint32_t> alive, EventIndex from, EventIndex to) const;
  size_t checkpointBefore(EventIndex event) const;
  std::span<const uint32_t> rowsOf(size_t checkpoint) const;

  std::span<const uint64_t> address_;
  std::span<const EventIndex> birth_, death_;
  std::vector<uint32_t> order_;  ///< rows by birth; empty when they are stored so
  std::vector<EventIndex> events_;
  std::vector<size_t> starts_{0};
  std::vector<uint32_t> rows_;
};

}  // namespace strata
