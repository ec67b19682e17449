#include "capture/running_totals.h"

namespace strata {

EventIndex RunningTotals::allocate(const Entry& entry) {
  const EventIndex event = rows_.add(entry);
  if (entry.bytes == 0) return event;
  bySize_[entry.bytes].push_back(static_cast<uint32_t>(spans_.size()));
  spans_.push_back({entry.bytes, event, kNever, rows_.streamOf(event)});
  return event;
}

EventIndex RunningTotals::free(const Entry& entry) {
  const EventIndex event = rows_.add(entry);
  if (entry.bytes == 0) return event;
  const auto live = bySize_.find(entry.bytes);
  if (live == bySize_.end()) {
    older_.push_back({entry.bytes, kBeforeFirst, event, rows_.streamOf(event)});
    return event;
  }
  spans_[live->second.back()].death = event;
  live->second.pop_back();
  if (live->second.empty()) bySize_.erase(live);
  return event;
}

void RunningTotals::finish(Device& device) {
  bySize_.clear();
  BlockColumns& blocks = device.blocks;
  const auto append = [&](const Span& span) {
    const auto row = static_cast<uint32_t>(blocks.count());
    blocks.address.push_back(0);
    blocks.bytes.push_back(span.bytes);
    blocks.requested.push_back(span.bytes);
    blocks.birth.push_back(span.birth);
    blocks.freeRequested.push_back(span.death);
    blocks.death.push_back(span.death);
    blocks.stack.push_back(kNone);
    blocks.segment.push_back(kNone);
    blocks.region.push_back(regionBySize(span.bytes));
    blocks.stream.push_back(span.stream);
    blocks.pool.push_back(0);
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
