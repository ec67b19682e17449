#include "capture/stated_totals.h"

#include <algorithm>

#include "trace/append_rows.h"

namespace strata {

void StatedTotals::startWith(uint64_t bytes) {
  if (bytes > 0) grow(bytes, kBeforeFirst, kNone);
  total_ = bytes;
  most_ = bytes;
}

EventIndex StatedTotals::state(const Entry& entry, uint64_t total) {
  const EventIndex event = rows_.add(entry);
  if (total > total_) grow(total - total_, event, kNone);
  if (total < total_) shrink(total_ - total, event);
  total_ = total;
  most_ = std::max(most_, total);
  return event;
}

bool StatedTotals::own(const std::vector<Owner>& owners) {
  uint64_t sum = 0;
  for (const Owner& owner : owners) {
    if (owner.bytes != 0 && owner.count > (total_ - sum) / owner.bytes) return false;
    sum += owner.bytes * owner.count;
  }
  const EventIndex event = rows_.count() - 1;
  if (sum != total_) return false;
  shrink(total_, event);
  for (const Owner& owner : owners) {
    for (uint64_t at = 0; owner.bytes > 0 && at < owner.count; ++at) grow(owner.bytes, event, owner.stack);
  }
  peak_ = event;
  owned_ = total_;
  return true;
}

void StatedTotals::grow(uint64_t bytes, EventIndex event, uint32_t stack) {
  live_.push_back(spans_.size());
  spans_.push_back({bytes, event, kNever, stack});
}

/// Ends the youngest spans; what is left of the last one is a span of its own, which nobody owns.
void StatedTotals::shrink(uint64_t bytes, EventIndex event) {
  while (bytes > 0) {
    const size_t row = live_.back();
    const uint64_t ended = spans_[row].bytes;
    live_.pop_back();
    spans_[row].death = event;
    if (ended > bytes) grow(ended - bytes, event, kNone);
    bytes -= std::min(bytes, ended);
  }
}

void StatedTotals::finish(Device& device) {
  // A span of the moment in which it ends was never there.
  std::erase_if(spans_, [](const Span& span) { return span.birth == span.death; });
  for (const Span& span : spans_) {
    appendRow(device.blocks, {0, span.bytes, span.bytes, span.birth, span.death, span.death, span.stack});
  }
  spans_ = {};
  live_ = {};
  device.layout = DeviceLayout::Totals;
  device.isPlaced = true;
  device.areRequestsKnown = false;
  if (peak_ != kBeforeFirst && owned_ == most_) device.peak = peak_;
  device.exactness.code = "as-recorded";
  device.exactness.because = "Totals are as the capture states them; no allocator's rules are compared.";
  rows_.finish(device);
}

}  // namespace strata
