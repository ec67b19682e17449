#include "capture/running_totals.h"

#include "capture/possible_memory.h"
#include "trace/append_rows.h"

namespace strata {

bool RunningTotals::fits(uint64_t held, uint64_t bytes, TextPlace place) {
  if (bytes <= kMostBytes && held <= kAddressSpace - bytes) return true;
  impossible_.note(place);
  return false;
}

void RunningTotals::allocate(const Entry& entry, TextPlace place) {
  if (!fits(live_, entry.bytes, place)) return;
  const EventIndex event = rows_.add(entry);
  if (entry.bytes == 0) return;
  live_ += entry.bytes;
  bySize_[entry.bytes].push_back(static_cast<uint32_t>(spans_.size()));
  spans_.push_back({entry.bytes, event, kNever, rows_.streamOf(event)});
}

void RunningTotals::free(const Entry& entry, TextPlace place) {
  const auto live = bySize_.find(entry.bytes);
  const bool isOlder = live == bySize_.end();
  if (isOlder && !fits(olderBytes_, entry.bytes, place)) return;
  const EventIndex event = rows_.add(entry);
  if (entry.bytes == 0) return;
  if (isOlder) {
    olderBytes_ += entry.bytes;
    older_.push_back({entry.bytes, kBeforeFirst, event, rows_.streamOf(event)});
    return;
  }
  live_ -= entry.bytes;
  spans_[live->second.back()].death = event;
  live->second.pop_back();
  if (live->second.empty()) bySize_.erase(live);
}

void RunningTotals::finish(Device& device) {
  bySize_.clear();
  BlockColumns& blocks = device.blocks;
  const auto append = [&](const Span& span) {
    const uint32_t row = appendRow(blocks, {0, span.bytes, span.bytes, span.birth, span.death, span.death,
                                            kNone, kNone, regionBySize(span.bytes), span.stream});
    if (span.birth != kBeforeFirst) rows_.setRow(span.birth, row);
    if (span.death != kNever) rows_.setRow(span.death, row);
  };
  for (const Span& span : older_) append(span);
  for (const Span& span : spans_) append(span);
  older_ = {};
  spans_ = {};
  device.layout = DeviceLayout::Totals;
  device.isPlaced = true;
  device.exactness.code = "as-recorded";
  device.exactness.because = "Totals are as the capture records them; no allocator's rules are compared.";
  rows_.finish(device);
}

}  // namespace strata
