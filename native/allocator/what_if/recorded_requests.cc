#include "allocator/what_if/recorded_requests.h"

#include <algorithm>
#include <numeric>

#include "allocator/replay_error.h"
#include "allocator/what_if/recorded_flushes.h"

namespace strata::what_if {
namespace {

using Operation = RequestTrace::Operation;
using OperationKind = RequestTrace::Operation::Kind;

std::vector<uint32_t> rankByHandle(const std::vector<uint64_t>& streams) {
  std::vector<uint32_t> order(streams.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return streams[a] < streams[b]; });
  std::vector<uint32_t> ranks(std::max<size_t>(streams.size(), 1), 0);
  for (uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
  return ranks;
}

/// Rows sorted by a column, those outside [0, never) left out.
std::vector<uint32_t> rowsBy(const std::vector<EventIndex>& column) {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < column.size(); ++row)
    if (column[row] != kBeforeFirst && column[row] != kNever) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return column[a] < column[b]; });
  return rows;
}

class Conversion {
 public:
  explicit Conversion(const Device& device)
      : events_(device.events),
        blocks_(device.blocks),
        device_(device),
        requestOf_(device.blocks.count(), kNone),
        uses_(std::max<size_t>(device.pools.size(), 1), 0) {
    result_.streamRank = rankByHandle(device.streams);
    for (const auto& pool : device.pools) isPrivate_.push_back(pool != std::pair<int64_t, int64_t>{0, 0});
    released_.assign(uses_.size(), 0);
    for (size_t row = 0; row < device.segments.count(); ++row)
      if (device.segments.birth[row] == kBeforeFirst) uses_.at(device.segments.pool[row]) = 1;
  }

  RecordedRequests run() {
    addOlderBlocks();
    const std::vector<Flush> flushes = flushesOf(device_);
    const std::vector<uint32_t> births = rowsBy(blocks_.birth);
    const std::vector<uint32_t> requested = rowsBy(blocks_.freeRequested);
    const std::vector<uint32_t> deaths = rowsBy(blocks_.death);
    size_t birth = 0, request = 0, death = 0, flush = 0;
    lastAllocation_ = births.empty() ? kBeforeFirst : blocks_.birth[births.back()];
    for (EventIndex event = 0; event < static_cast<EventIndex>(events_.count()); ++event) {
      for (; flush < flushes.size() && flushes[flush].event == event; ++flush) addFlush(flushes[flush]);
      for (; request < requested.size() && blocks_.freeRequested[requested[request]] == event; ++request)
        noteFree(requested[request], event);
      const size_t firstDeath = death;
      while (death < deaths.size() && blocks_.death[deaths[death]] == event) ++death;
      const auto freeThose = [&](bool bornNow) {
        for (size_t at = firstDeath; at < death; ++at)
          if ((blocks_.birth[deaths[at]] == event) == bornNow) addFree(deaths[at], event);
      };
      freeThose(false);
      for (; birth < births.size() && blocks_.birth[births[birth]] == event; ++birth)
        addAllocation(births[birth], event);
      freeThose(true);
      if (events_.action[static_cast<size_t>(event)] == Action::OutOfMemory) addFailure(event);
      if (isUnmatchedFree(event)) ++result_.unmatchedFrees;
    }
    closePool(static_cast<EventIndex>(events_.count()) - 1);
    for (size_t pool = 0; pool < isPrivate_.size(); ++pool)
      if (isPrivate_[pool] && uses_[pool] > 0) ++result_.privatePools;
    return std::move(result_);
  }

 private:
  void addOlderBlocks() {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < blocks_.count(); ++row)
      if (blocks_.birth[row] == kBeforeFirst) rows.push_back(row);
    std::sort(rows.begin(), rows.end(),
              [&](uint32_t a, uint32_t b) { return blocks_.address[a] < blocks_.address[b]; });
    for (const uint32_t row : rows) addAllocation(row, kBeforeFirst);
    closePool(kBeforeFirst);
    for (const uint32_t row : rows)
      if (blocks_.freeRequested[row] == kBeforeFirst) add({.request = requestOf_[row]}, kBeforeFirst);
    result_.olderBlocks = rows.size();
    result_.olderOperations = result_.trace.operations.size();
  }

  void add(const Operation& operation, EventIndex event) {
    result_.trace.operations.push_back(operation);
    result_.event.push_back(event);
  }

  void control(const Control& control, EventIndex event) {
    add({.request = static_cast<uint32_t>(result_.trace.controls.size()), .kind = OperationKind::Control},
        event);
    result_.trace.controls.push_back(control);
  }

  /// A request with its place in all tables; answers its number.
  uint32_t newRequest(uint64_t bytes, uint16_t streamRow, uint32_t block, EventIndex event) {
    const auto request = static_cast<uint32_t>(result_.trace.ids.size());
    result_.trace.ids.push_back(request);
    result_.block.push_back(block);
    const uint32_t stream = streamRow < result_.streamRank.size() ? result_.streamRank[streamRow] : 0;
    add({.bytes = bytes, .request = request, .stream = stream, .kind = OperationKind::Allocate}, event);
    return request;
  }

  uint64_t requestedBytes(uint32_t row) const {
    return blocks_.requested[row] != 0 ? blocks_.requested[row] : blocks_.bytes[row];
  }

  void addAllocation(uint32_t row, EventIndex event) {
    openPool(blocks_.pool[row], event);
    requestOf_[row] = newRequest(requestedBytes(row), blocks_.stream[row], row, event);
    live_ += requestedBytes(row);
    result_.lowerBound = std::max(result_.lowerBound, live_);
  }

  void noteFree(uint32_t row, EventIndex event) {
    const bool isAtOnce = blocks_.death[row] == event || blocks_.death[row] == event + 1;
    if (isAtOnce || requestOf_[row] == kNone) return;
    add({.request = requestOf_[row]}, event);
    ++result_.streamFrees;
  }

  void addFree(uint32_t row, EventIndex event) {
    if (requestOf_[row] == kNone) return;
    add({.request = requestOf_[row], .kind = OperationKind::Free}, event);
    live_ -= requestedBytes(row);
  }

  void addFailure(EventIndex event) {
    const auto at = static_cast<size_t>(event);
    const uint64_t bytes = std::min(events_.size[at], uint64_t{1} << 60);
    if (bytes == 0) return;
    openPool(events_.pool[at], event);
    const uint32_t request = newRequest(bytes, events_.stream[at], kNone, event);
    if (lastAllocation_ > event) add({.request = request, .kind = OperationKind::Free}, event);
    ++result_.failedRequests;
  }

  bool isUnmatchedFree(EventIndex event) const {
    const auto at = static_cast<size_t>(event);
    const Action action = events_.action[at];
    const bool isFree = action == Action::FreeRequested || action == Action::FreeCompleted;
    return isFree && at < events_.row.size() && events_.row[at] == kNone;
  }

  void openPool(uint16_t row, EventIndex event) {
    const bool isPrivate = row < isPrivate_.size() && isPrivate_[row];
    const uint32_t wanted = isPrivate ? row : kNone;
    if (wanted == open_) return;
    closePool(event);
    if (!isPrivate) return;
    open_ = row;
    ++uses_[row];
    control({.kind = Control::Kind::BeginPool, .value = row + 1u}, event);
  }

  void closePool(EventIndex event) {
    if (open_ == kNone) return;
    control({.kind = Control::Kind::EndPool, .value = open_ + 1u}, event);
    open_ = kNone;
  }

  void addFlush(const Flush& flush) {
    if (flush.isRefused) {
      result_.refusals.push_back({flush.request, flush.granted, flush.isFinal});
      return;
    }
    closePool(flush.event);
    for (const uint16_t pool : flush.pools)
      for (; released_[pool] < uses_[pool]; ++released_[pool])
        control({.kind = Control::Kind::ReleasePool, .value = pool + 1u}, flush.event);
    control({.kind = Control::Kind::EmptyCache}, flush.event);
  }

  const EventColumns& events_;
  const BlockColumns& blocks_;
  const Device& device_;
  RecordedRequests result_;
  std::vector<uint32_t> requestOf_;  ///< by Blocks row
  std::vector<bool> isPrivate_;      ///< by Device::pools row
  std::vector<uint32_t> uses_;       ///< how often each pool was opened
  std::vector<uint32_t> released_;
  uint32_t open_ = kNone;
  uint64_t live_ = 0;
  EventIndex lastAllocation_ = kBeforeFirst;
};

}  // namespace

RecordedRequests requestsOf(const Device& device) {
  if (device.events.count() == 0 || device.blocks.count() == 0)
    throw ReplayError("nothing-to-simulate",
                      "This device shows no requests over time, so there is nothing to run again.",
                      "Record the history of allocations, not only the state at one moment.");
  return Conversion(device).run();
}

}  // namespace strata::what_if
