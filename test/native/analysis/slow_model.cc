#include "analysis/slow_model.h"

#include <algorithm>
#include <limits>

namespace strata::test {

std::vector<uint32_t> SlowModel::blocksAt(EventIndex event) const {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < device_.blocks.count(); ++row) {
    if (device_.blocks.birth[row] <= event && event < device_.blocks.death[row]) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [&](uint32_t a, uint32_t b) { return device_.blocks.address[a] < device_.blocks.address[b]; });
  return rows;
}

std::vector<SlowModel::Run> SlowModel::runsAt(EventIndex event) const {
  const SegmentColumns& segments = device_.segments;
  std::vector<Run> pieces;
  for (uint32_t row = 0; row < segments.count(); ++row) {
    if (segments.birth[row] > event || event >= segments.death[row]) continue;
    pieces.push_back(
        {segments.address[row], segments.address[row] + segments.bytes[row], row, segments.region[row]});
  }
  std::sort(pieces.begin(), pieces.end(), [](const Run& a, const Run& b) { return a.from < b.from; });
  std::vector<Run> runs;
  for (const Run& piece : pieces) {
    const bool joins = !runs.empty() && runs.back().to == piece.from &&
                       segments.range[runs.back().row] == segments.range[piece.row];
    joins ? (void)(runs.back().to = piece.to) : runs.push_back(piece);
  }
  return runs;
}

std::vector<SlowModel::Hole> SlowModel::holesAt(EventIndex event) const {
  std::vector<Hole> holes;
  const std::vector<uint32_t> blocks = blocksAt(event);
  for (const Run& run : runsAt(event)) {
    uint64_t at = run.from;
    for (const uint32_t block : blocks) {
      const uint64_t from = device_.blocks.address[block];
      if (from < run.from) continue;
      if (from >= run.to) break;
      if (from > at) holes.push_back({at, from, run.region});
      at = from + device_.blocks.bytes[block];
    }
    if (at < run.to) holes.push_back({at, run.to, run.region});
  }
  return holes;
}

SlowModel::Values SlowModel::valuesAt(EventIndex event) const {
  Values values;
  const auto add = [&](Region region, Metric metric, uint64_t bytes) {
    values.of[static_cast<int>(region)][static_cast<int>(metric)] += static_cast<double>(bytes);
    values.of[kAllRegions][static_cast<int>(metric)] += static_cast<double>(bytes);
  };
  const BlockColumns& blocks = device_.blocks;
  for (const uint32_t row : blocksAt(event)) {
    add(blocks.region[row], Metric::Active, blocks.bytes[row]);
    add(blocks.region[row], Metric::Requested, blocks.requested[row]);
    if (event < blocks.freeRequested[row]) add(blocks.region[row], Metric::Allocated, blocks.bytes[row]);
  }
  for (const Run& run : runsAt(event)) add(run.region, Metric::Reserved, run.to - run.from);
  double free[kRegionCount + 1] = {};
  constexpr auto kLargest = static_cast<int>(Metric::LargestFree);
  for (const Hole& hole : holesAt(event)) {
    for (const int region : {static_cast<int>(hole.region), kAllRegions}) {
      const auto bytes = static_cast<double>(hole.to - hole.from);
      free[region] += bytes;
      values.of[region][kLargest] = std::max(values.of[region][kLargest], bytes);
    }
  }
  for (int region = 0; region <= kRegionCount; ++region) {
    if (free[region] == 0) continue;
    values.of[region][static_cast<int>(Metric::Fragmentation)] =
        1 - values.of[region][kLargest] / free[region];
  }
  return values;
}

uint64_t SlowModel::activeAt(EventIndex event) const {
  uint64_t active = 0;
  for (uint32_t row = 0; row < device_.blocks.count(); ++row) {
    if (device_.blocks.birth[row] <= event && event < device_.blocks.death[row])
      active += device_.blocks.bytes[row];
  }
  return active;
}

double SlowModel::position(Axis axis, EventIndex event) const {
  if (event < 0) return -std::numeric_limits<double>::infinity();
  if (event >= static_cast<EventIndex>(device_.events.count()))
    return std::numeric_limits<double>::infinity();
  const bool isTime = axis == Axis::Time && !device_.events.time.empty();
  return isTime ? static_cast<double>(device_.events.time[event]) : static_cast<double>(event);
}

std::vector<EventIndex> SlowModel::momentsIn(const Window& window, uint32_t column) const {
  const double width = window.to - window.from;
  const double left = window.from + width * column / window.columns;
  const double right = window.from + width * (column + 1.0) / window.columns;
  std::vector<EventIndex> moments;
  for (EventIndex event = kBeforeFirst; event < static_cast<EventIndex>(device_.events.count()); ++event) {
    const double begin = position(window.axis, event), end = position(window.axis, event + 1);
    const bool beginsInside = begin >= left && begin < right;
    const bool isCarriedIn = begin < left && end > left;
    if (beginsInside || isCarriedIn) moments.push_back(event);
  }
  return moments;
}

}  // namespace strata::test
