#include "allocator/what_if/recorded_flushes.h"

#include <algorithm>

namespace strata::what_if {
namespace {

bool isReturn(Action action) { return action == Action::SegmentFree || action == Action::SegmentUnmap; }
bool isGrowth(Action action) { return action == Action::SegmentAlloc || action == Action::SegmentMap; }

class Search {
 public:
  explicit Search(const Device& device) : events_(device.events), segments_(device.segments) {
    for (const auto& pool : device.pools) isPrivate_.push_back(pool != std::pair<int64_t, int64_t>{0, 0});
    countReserved();
  }

  std::vector<Flush> run() {
    std::vector<Flush> flushes;
    for (size_t at = 0; at < events_.count();) {
      size_t end = at;
      while (end < events_.count() && isLinked(end)) ++end;
      const bool isFailure = end < events_.count() && events_.action[end] == Action::OutOfMemory;
      const size_t first = firstReturn(at, end);
      if (first < end || isFailure) flushes.push_back(describe(at, first, end));
      at = end + 1;
    }
    return flushes;
  }

 private:
  /// Part of a call that goes on: a segment event, or a block that waited for a stream.
  bool isLinked(size_t at) const {
    const Action action = events_.action[at];
    if (isReturn(action) || isGrowth(action)) return true;
    if (action != Action::FreeCompleted) return false;
    return at == 0 || events_.action[at - 1] != Action::FreeRequested ||
           events_.address[at - 1] != events_.address[at];
  }

  size_t firstReturn(size_t at, size_t end) const {
    while (at < end && !isReturn(events_.action[at])) ++at;
    return at;
  }

  Flush describe(size_t begin, size_t first, size_t end) const {
    Flush flush;
    flush.event = static_cast<EventIndex>(first);
    flush.request = static_cast<EventIndex>(end);
    for (size_t at = begin; at < first; ++at)
      if (events_.action[at] == Action::SegmentMap) flush.granted += events_.size[at];
    for (size_t at = first; at < end; ++at) addPool(flush, at);
    if (end >= events_.count()) return flush;
    flush.isFinal = events_.action[end] == Action::OutOfMemory;
    flush.isRefused = flush.isFinal || (events_.action[end] == Action::Alloc && wouldExceed(first, end));
    return flush;
  }

  void addPool(Flush& flush, size_t at) const {
    const uint32_t row = at < events_.row.size() ? events_.row[at] : kNone;
    if (!isReturn(events_.action[at]) || row == kNone) return;
    const uint16_t pool = segments_.pool[row];
    const bool isPrivate = pool < isPrivate_.size() && isPrivate_[pool];
    const bool isKnown = std::find(flush.pools.begin(), flush.pools.end(), pool) != flush.pools.end();
    if (isPrivate && !isKnown) flush.pools.push_back(pool);
  }

  /// Whether what was held before the return and what was taken after it are more than was ever held.
  bool wouldExceed(size_t first, size_t end) const {
    uint64_t wanted = 0;
    for (size_t at = first; at < end; ++at)
      if (isGrowth(events_.action[at])) wanted += events_.size[at];
    return wanted > 0 && reservedBefore_[first] + wanted > peak_;
  }

  void countReserved() {
    std::vector<int64_t> change(events_.count() + 1, 0);
    for (size_t row = 0; row < segments_.count(); ++row) {
      const auto bytes = static_cast<int64_t>(segments_.bytes[row]);
      change[static_cast<size_t>(segments_.birth[row] + 1)] += bytes;
      if (segments_.death[row] != kNever) change[static_cast<size_t>(segments_.death[row] + 1)] -= bytes;
    }
    reservedBefore_.resize(events_.count() + 1);
    int64_t reserved = 0;
    for (size_t at = 0; at < change.size(); ++at) {
      reserved += change[at];
      reservedBefore_[at] = static_cast<uint64_t>(reserved);
      peak_ = std::max(peak_, reservedBefore_[at]);
    }
  }

  const EventColumns& events_;
  const SegmentColumns& segments_;
  std::vector<bool> isPrivate_;
  std::vector<uint64_t> reservedBefore_;  ///< by event; the last entry is the end
  uint64_t peak_ = 0;
};

}  // namespace

std::vector<Flush> flushesOf(const Device& device) { return Search(device).run(); }

}  // namespace strata::what_if
