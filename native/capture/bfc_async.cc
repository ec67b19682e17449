#include "capture/bfc_async.h"

#include <algorithm>

#include "capture/possible_memory.h"
#include "capture/text.h"

namespace strata::bfc {

bool AsyncFailureReport::take(const Message& message) {
  if (const auto* memory = std::get_if<DriverMemory>(&message)) {
    driverFree_ = memory->free;
    driverTotal_ = memory->total;
    return true;
  }
  if (std::holds_alternative<StatsStart>(message)) return isInStats_ = true;
  if (const auto* stat = std::get_if<Stat>(&message); stat != nullptr && isInStats_) {
    constexpr size_t kMostStats = 32;
    if (stats_.size() < kMostStats) stats_[std::string(stat->name)] = stat->value;
    return true;
  }
  if (std::holds_alternative<HistogramStart>(message)) {
    isInStats_ = false;
    return isInHistogram_ = true;
  }
  if (const auto* row = std::get_if<HistogramRow>(&message); row != nullptr && isInHistogram_) {
    if (row->size != 0 && row->count != 0) rows_.emplace_back(row->size, row->count);
    return true;
  }
  if (const auto* attribute = std::get_if<PoolAttribute>(&message)) {
    isInHistogram_ = false;
    constexpr size_t kMostAttributes = 16;
    if (attributes_.size() < kMostAttributes) attributes_[std::string(attribute->name)] = attribute->value;
    return true;
  }
  return false;
}

Dump AsyncFailureReport::asDump(LogWarnings& warnings) const {
  Dump dump(allocator_, place_);
  dump.hasFailed = true;
  dump.rounded = bytes_;
  dump.requestText = std::to_string(bytes_);
  dump.totals = PoolTotals{0, 0, driverFree_, 0};
  dump.isPastChunks = true;
  constexpr uint64_t kMostBlocks = 10'000'000;
  std::vector<std::pair<uint64_t, uint64_t>> rows = rows_;
  std::sort(rows.begin(), rows.end());
  uint64_t end = 0;
  for (const auto& [size, count] : rows) {
    if (count > kMostBlocks - dump.chunks.size() || size > (kMostBytes - end) / count) {
      warnings.add("bfc-histogram-impossible",
                   "Left out, because no device holds as much: " + grouped(count) + " blocks of " +
                       grouped(size) + " bytes.",
                   place_.line, true);
      continue;
    }
    for (uint64_t i = 0; i < count; ++i, end += size)
      dump.chunks.push_back({end, size, true, false, false, {}});
  }
  const auto reserved = attributes_.find("RESERVED_MEM_CURRENT");
  if (reserved != attributes_.end() && reserved->second > end && reserved->second <= kMostBytes) {
    dump.chunks.push_back({end, reserved->second - end, false, false, false, {}});
    end = reserved->second;
  }
  if (end != 0) dump.runs.push_back({0, end, 0, dump.chunks.size()});
  return dump;
}

std::map<std::string, uint64_t> AsyncFailureReport::facts() const {
  std::map<std::string, uint64_t> facts = stats_;
  for (const auto& [name, value] : attributes_) facts[name] = value;
  if (driverTotal_ != 0) {
    facts["device_free_bytes"] = driverFree_;
    facts["device_total_bytes"] = driverTotal_;
  }
  return facts;
}

}  // namespace strata::bfc
