#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "capture/event_rows.h"
#include "capture/numbered_lines.h"
#include "trace/trace.h"

namespace strata {

/// Turns allocations and frees without addresses into a device of DeviceLayout::Totals. What is allocated is
/// right at every moment; which allocation a free ended is not known, so the rows of blocks only carry sizes:
/// a free ends the youngest of its size. A free of a size that nothing live has is that of memory older than
/// the recording.
class RunningTotals {
 public:
  using Entry = EventRows::Entry;

  /// A row is left out, and counted, when no memory has its size or could hold it besides what is live.
  void allocate(const Entry& entry, TextPlace place);
  void free(const Entry& entry, TextPlace place);
  EventIndex note(const Entry& entry) { return rows_.add(entry); }

  EventIndex eventCount() const { return rows_.count(); }
  uint64_t backwards() const { return rows_.backwards(); }
  const TextOddity& impossible() const { return impossible_; }

  /// Fills the device; nothing may be added afterwards.
  void finish(Device& device);

 private:
  struct Span {
    uint64_t bytes;
    EventIndex birth, death;
    uint16_t stream;
  };

  bool fits(uint64_t held, uint64_t bytes, TextPlace place);

  EventRows rows_;
  uint64_t live_ = 0, olderBytes_ = 0;
  TextOddity impossible_;
  std::vector<Span> spans_;                                     ///< born in the recording, in order
  std::vector<Span> older_;                                     ///< there before it
  std::unordered_map<uint64_t, std::vector<uint32_t>> bySize_;  ///< live rows of spans_, youngest last
};

}  // namespace strata
