#include "analysis/checkpoints.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

constexpr EventIndex kShortestDistance = 4096;

}  // namespace

Checkpoints::Checkpoints(std::span<const uint64_t> address, std::span<const EventIndex> birth,
                         std::span<const EventIndex> death, EventIndex eventCount)
    : address_(address), birth_(birth), death_(death) {
  if (!std::is_sorted(birth.begin(), birth.end())) {
    order_.resize(birth.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](uint32_t a, uint32_t b) { return birth[a] < birth[b]; });
  }
  std::vector<uint32_t> alive;
  int64_t event = kBeforeFirst;
  while (event < eventCount) {
    const auto at = static_cast<EventIndex>(event);
    alive = events_.empty() ? next({}, std::numeric_limits<EventIndex>::min(), at)
                            : next(alive, events_.back(), at);
    events_.push_back(at);
    rows_.insert(rows_.end(), alive.begin(), alive.end());
    starts_.push_back(rows_.size());
    event += std::max<int64_t>(kShortestDistance, 2 * static_cast<int64_t>(alive.size()));
  }
  rows_.shrink_to_fit();
}

std::vector<uint32_t> Checkpoints::next(std::span<const uint32_t> alive, EventIndex from,
                                        EventIndex to) const {
  const auto byAddress = [&](uint32_t a, uint32_t b) { return address_[a] < address_[b]; };
  std::vector<uint32_t> born;
  const size_t end = bornUpTo(to);
  for (size_t i = bornUpTo(from); i < end; ++i) {
    if (isAliveAt(rowAt(i), to)) born.push_back(rowAt(i));
  }
  std::sort(born.begin(), born.end(), byAddress);
  std::vector<uint32_t> result;
  result.reserve(alive.size() + born.size());
  size_t b = 0;
  for (const uint32_t row : alive) {
    if (death_[row] <= to) continue;
    while (b < born.size() && address_[born[b]] < address_[row]) result.push_back(born[b++]);
    result.push_back(row);
  }
  result.insert(result.end(), born.begin() + static_cast<ptrdiff_t>(b), born.end());
  return result;
}

std::vector<uint32_t> Checkpoints::alive(EventIndex event) const {
  const size_t checkpoint = checkpointBefore(event);
  return next(rowsOf(checkpoint), events_[checkpoint], event);
}

Checkpoints::Neighbours Checkpoints::around(EventIndex event, uint64_t address) const {
  const size_t checkpoint = checkpointBefore(event);
  const auto rows = rowsOf(checkpoint);
  const auto split = std::upper_bound(rows.begin(), rows.end(), address,
                                      [&](uint64_t wanted, uint32_t row) { return wanted < address_[row]; });
  Neighbours found;
  for (auto before = split; before != rows.begin();) {
    if (death_[*--before] <= event) continue;
    found.atOrBefore = *before;
    break;
  }
  for (auto after = split; after != rows.end(); ++after) {
    if (death_[*after] <= event) continue;
    found.after = *after;
    break;
  }
  forEachBorn(events_[checkpoint], event, [&](uint32_t row) {
    const uint64_t at = address_[row];
    const uint32_t rival = at <= address ? found.atOrBefore : found.after;
    const bool isCloser = rival == kNone || (at <= address ? at >= address_[rival] : at < address_[rival]);
    if (!isCloser || death_[row] <= event) return;
    (at <= address ? found.atOrBefore : found.after) = row;
  });
  return found;
}

size_t Checkpoints::bornUpTo(EventIndex event) const {
  if (order_.empty()) {
    return static_cast<size_t>(std::upper_bound(birth_.begin(), birth_.end(), event) - birth_.begin());
  }
  const auto end = std::upper_bound(order_.begin(), order_.end(), event,
                                    [&](EventIndex wanted, uint32_t row) { return wanted < birth_[row]; });
  return static_cast<size_t>(end - order_.begin());
}

size_t Checkpoints::checkpointBefore(EventIndex event) const {
  const auto after = std::upper_bound(events_.begin(), events_.end(), std::max(event, kBeforeFirst));
  return static_cast<size_t>(after - events_.begin()) - 1;
}

std::span<const uint32_t> Checkpoints::rowsOf(size_t checkpoint) const {
  return {rows_.data() + starts_[checkpoint], starts_[checkpoint + 1] - starts_[checkpoint]};
}

size_t Checkpoints::bytes() const {
  return order_.capacity() * 4 + events_.capacity() * 4 + starts_.capacity() * 8 + rows_.capacity() * 4;
}

}  // namespace strata
