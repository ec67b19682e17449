#include "analysis/series.h"

#include "analysis/series_state.h"

namespace strata {

namespace {

constexpr int kTotal = kAllRegions;
constexpr auto kLargest = static_cast<int>(Metric::LargestFree);
constexpr auto kActive = static_cast<int>(Metric::Active);

}  // namespace

double Counters::fragmentation() const {
  const uint64_t reserved = (*this)[Metric::Reserved], active = (*this)[Metric::Active];
  if (reserved <= active) return 0;
  const auto free = static_cast<double>(reserved - active);
  return std::max(0.0, 1.0 - static_cast<double>(value[kLargest]) / free);
}

Metrics Counters::metrics() const {
  Metrics metrics;
  for (int i = 0; i < kCount; ++i) metrics.value[i] = static_cast<double>(static_cast<int64_t>(value[i]));
  metrics.value[static_cast<int>(Metric::Fragmentation)] = fragmentation();
  return metrics;
}

void Extent::include(const Metrics& metrics) {
  for (int i = 0; i < kMetricCount; ++i) {
    min.value[i] = std::min(min.value[i], metrics.value[i]);
    max.value[i] = std::max(max.value[i], metrics.value[i]);
  }
}

void Extent::include(const Extent& other) {
  for (int i = 0; i < kMetricCount; ++i) {
    min.value[i] = std::min(min.value[i], other.min.value[i]);
    max.value[i] = std::max(max.value[i], other.max.value[i]);
  }
}

/// Replays moments forwards from the start of a bucket. Going on within a bucket costs only the step.
class Series::Cursor {
 public:
  explicit Cursor(const Series& series) : series_(series), state_(series.device_) { load(0); }

  const State& state() const { return state_; }

  void seek(uint32_t moment) {
    const uint32_t bucket = moment / kBucket;
    if (moment < moment_ || bucket != moment_ / kBucket) load(bucket);
    while (moment_ < moment) step();
  }

  /// Goes to the next moment; answers a bit for each group that may have moved.
  uint32_t step() {
    uint32_t changed = 0;
    const auto event = static_cast<EventIndex>(moment_);
    series_.changes_.visit(event, [&](Changes::Kind kind, uint32_t, const Changes::Amount& amount) {
      changed |= state_.apply(kind, amount);
    });
    if (++moment_ == nextLargest_) changed |= takeLargest();
    return changed != 0 ? changed | 1u << kTotal : 0;
  }

 private:
  void load(uint32_t bucket) {
    moment_ = bucket * kBucket;
    std::fill(std::begin(state_.of), std::end(state_.of), Counters());
    for (int region = 0; region < kRegionCount; ++region) {
      if (!series_.isUsed_[region]) continue;
      const Start& start = series_.starts_[region][bucket];
      for (int i = 0; i < 4; ++i) {
        state_.of[region].value[i] = start.value[i];
        state_.of[kTotal].value[i] += start.value[i];
      }
      largestIndex_[region] = start.largestIndex;
      state_.setLargest(region, series_.largest_[region].bytes[start.largestIndex - 1]);
    }
    findNextLargest();
  }

  uint32_t takeLargest() {
    uint32_t changed = 0;
    for (int region = 0; region < kRegionCount; ++region) {
      const LargestChanges& changes = series_.largest_[region];
      uint32_t& index = largestIndex_[region];
      if (index >= changes.moment.size() || changes.moment[index] != moment_) continue;
      state_.setLargest(region, changes.bytes[index++]);
      changed |= 1u << region;
    }
    findNextLargest();
    return changed;
  }

  void findNextLargest() {
    nextLargest_ = kNone;
    for (int region = 0; region < kRegionCount; ++region) {
      const LargestChanges& changes = series_.largest_[region];
      if (!series_.isUsed_[region] || largestIndex_[region] >= changes.moment.size()) continue;
      nextLargest_ = std::min(nextLargest_, changes.moment[largestIndex_[region]]);
    }
  }

  const Series& series_;
  State state_;
  uint32_t moment_ = 0;
  uint32_t largestIndex_[kRegionCount] = {};
  uint32_t nextLargest_ = kNone;
};

/// Calls visit(level, bucket) for as few buckets as make up [from, to) of level 0; not in order.
template <typename Visit>
void Series::coverBuckets(uint32_t from, uint32_t to, Visit&& visit) const {
  for (uint32_t level = 0; from < to; ++level) {
    while (from < to && from % kFanout != 0) visit(level, from++);
    while (from < to && to % kFanout != 0) visit(level, --to);
    from /= kFanout;
    to /= kFanout;
  }
}

void Series::includeBuckets(uint32_t from, uint32_t to, Extent* extents) const {
  coverBuckets(from, to, [&](uint32_t level, uint32_t bucket) {
    for (int group = 0; group < kGroups; ++group) {
      if (isUsed_[group]) extents[group].include(extents_[group][level][bucket]);
    }
  });
}

namespace {

void write(SeriesColumns* columns, uint32_t column, const Extent& extent, const Metrics& last) {
  for (int metric = 0; metric < kMetricCount; ++metric) {
    columns[metric].min[column] = extent.min.value[metric];
    columns[metric].max[column] = extent.max.value[metric];
    columns[metric].last[column] = last.value[metric];
  }
}

}  // namespace

SeriesWindow Series::window(const ColumnMoments& columns) const {
  SeriesWindow result;
  for (auto& group : result.series) {
    for (auto& metric : group) {
      metric.min.resize(columns.count());
      metric.max.resize(columns.count());
      metric.last.resize(columns.count());
    }
  }
  Cursor cursor(*this);
  Extent extents[kGroups];
  const auto includeAll = [&] {
    for (int group = 0; group < kGroups; ++group) extents[group].include(cursor.state().of[group].metrics());
  };
  for (uint32_t column = 0; column < columns.count(); ++column) {
    const auto first = static_cast<uint32_t>(columns.first(column) + 1);
    const auto last = static_cast<uint32_t>(columns.last(column) + 1);
    cursor.seek(first);
    for (int group = 0; group < kGroups; ++group)
      extents[group] = Extent::of(cursor.state().of[group].metrics());
    const auto stepTo = [&](uint32_t from, uint32_t to) {
      for (uint32_t moment = from; moment < to; ++moment) {
        const uint32_t changed = cursor.step();
        for (int group = 0; group < kGroups; ++group) {
          if (changed >> group & 1) extents[group].include(cursor.state().of[group].metrics());
        }
      }
    };
    const uint32_t head = first / kBucket, tail = last / kBucket;
    if (head == tail) {
      stepTo(first, last);
    } else {
      stepTo(first, head * kBucket + kBucket - 1);
      includeBuckets(head + 1, tail, extents);
      cursor.seek(tail * kBucket);
      includeAll();
      stepTo(tail * kBucket, last);
    }
    for (int group = 0; group < kGroups; ++group) {
      write(result.series[group], column, extents[group], cursor.state().of[group].metrics());
    }
  }
  return result;
}

/// As Cursor, for the active bytes of all regions alone.
class Series::ActiveCursor {
 public:
  explicit ActiveCursor(const Series& series) : series_(series) { load(0); }

  const uint64_t& active() const { return active_; }

  void seek(uint32_t moment) {
    const uint32_t bucket = moment / kBucket;
    if (moment < moment_ || bucket != moment_ / kBucket) load(bucket);
    while (moment_ < moment) step();
  }

  void step() {
    const auto event = static_cast<EventIndex>(moment_++);
    series_.changes_.visit(event, [&](Changes::Kind kind, uint32_t, const Changes::Amount& amount) {
      if (kind == Changes::BlockBirth) active_ += amount.bytes;
      if (kind == Changes::BlockDeath) active_ -= amount.bytes;
    });
  }

 private:
  void load(uint32_t bucket) {
    moment_ = bucket * kBucket;
    active_ = 0;
    for (const auto& starts : series_.starts_) {
      if (!starts.empty()) active_ += starts[bucket].value[kActive];
    }
  }

  const Series& series_;
  uint32_t moment_ = 0;
  uint64_t active_ = 0;
};

std::vector<PeakPoint> Series::peaksActive(const ColumnMoments& columns) const {
  std::vector<PeakPoint> peaks;
  peaks.reserve(columns.count());
  ActiveCursor cursor(*this);
  for (uint32_t column = 0; column < columns.count(); ++column) {
    peaks.push_back(peakActive(cursor, static_cast<uint32_t>(columns.first(column) + 1),
                               static_cast<uint32_t>(columns.last(column) + 1)));
  }
  return peaks;
}

PeakPoint Series::peakActive(ActiveCursor& cursor, uint32_t first, uint32_t last) const {
  cursor.seek(first);
  const uint64_t& active = cursor.active();
  uint64_t most = active;
  uint32_t where = first;
  const auto stepTo = [&](uint32_t from, uint32_t to) {
    for (uint32_t moment = from + 1; moment <= to; ++moment) {
      cursor.step();
      if (active > most) most = active, where = moment;
    }
  };
  const uint32_t head = first / kBucket, tail = last / kBucket;
  if (head == tail) {
    stepTo(first, last);
    return {most, static_cast<EventIndex>(where) - 1};
  }
  stepTo(first, head * kBucket + kBucket - 1);
  uint32_t bestLevel = 0, bestBucket = kNone;
  const auto startOf = [](uint32_t level, uint32_t bucket) {
    return static_cast<uint64_t>(bucket) << (kFanoutBits * level);
  };
  coverBuckets(head + 1, tail, [&](uint32_t level, uint32_t bucket) {
    const auto here = static_cast<uint64_t>(extents_[kTotal][level][bucket].max.value[kActive]);
    const bool isEarlierTie =
        here == most && bestBucket != kNone && startOf(level, bucket) < startOf(bestLevel, bestBucket);
    if (here > most || isEarlierTie) most = here, bestLevel = level, bestBucket = bucket;
  });
  if (bestBucket != kNone) where = momentOfMost(bestLevel, bestBucket);
  cursor.seek(tail * kBucket);
  if (active > most) most = active, where = tail * kBucket;
  stepTo(tail * kBucket, last);
  return {most, static_cast<EventIndex>(where) - 1};
}

/// The first moment of a bucket that reaches its maximum of active.
uint32_t Series::momentOfMost(uint32_t level, uint32_t bucket) const {
  const auto& levels = extents_[kTotal];
  const double most = levels[level][bucket].max.value[kActive];
  while (level > 0) {
    --level;
    bucket *= kFanout;
    while (levels[level][bucket].max.value[kActive] != most) ++bucket;
  }
  return bucket * kBucket + peakOffset_[bucket];
}

size_t Series::bytes() const {
  size_t bytes = peakOffset_.capacity();
  for (const auto& levels : extents_) {
    for (const auto& level : levels) bytes += level.capacity() * sizeof(Extent);
  }
  for (const auto& starts : starts_) bytes += starts.capacity() * sizeof(Start);
  for (const auto& changes : largest_) bytes += changes.moment.capacity() * 4 + changes.bytes.capacity() * 8;
  return bytes;
}

}  // namespace strata
