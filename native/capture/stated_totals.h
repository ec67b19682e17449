#pragma once

#include <cstdint>
#include <vector>

#include "capture/event_rows.h"
#include "trace/trace.h"

namespace strata {

/// Turns totals that a capture states moment by moment into a device of DeviceLayout::Totals whose active
/// bytes are right after every event. The rows of its blocks only carry sizes, with one exception: of one
/// moment a capture may say who holds the total, and then the live blocks of that moment are those. O(1) for
/// each moment, amortised.
class StatedTotals {
 public:
  using Entry = EventRows::Entry;

  struct Owner {
    uint64_t bytes = 0;
    uint64_t count = 1;  ///< blocks of that size
    uint32_t stack = kNone;
  };

  /// What was there before the first event; only before any.
  void startWith(uint64_t bytes);
  /// The total after an event; entry.bytes is what the event itself was about.
  EventIndex state(const Entry& entry, uint64_t total);
  /// Who holds the total after the last event, or before any. The owners must add up to it: false, and
  /// nothing is changed, if they do not. That moment becomes the peak of the device, unless another total is
  /// higher.
  bool own(const std::vector<Owner>& owners);

  EventIndex eventCount() const { return rows_.count(); }
  uint64_t total() const { return total_; }
  uint64_t backwards() const { return rows_.backwards(); }

  /// Fills the device; nothing may be added afterwards.
  void finish(Device& device);

 private:
  struct Span {
    uint64_t bytes;
    EventIndex birth, death;
    uint32_t stack;
  };

  void grow(uint64_t bytes, EventIndex event, uint32_t stack);
  void shrink(uint64_t bytes, EventIndex event);

  EventRows rows_;
  std::vector<Span> spans_;   ///< in order of birth
  std::vector<size_t> live_;  ///< rows of spans_, youngest last
  uint64_t total_ = 0, most_ = 0;
  uint64_t owned_ = 0;  ///< the total at `peak_`
  EventIndex peak_ = kNever;
};

}  // namespace strata
