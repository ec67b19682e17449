#include "analysis/free_space.h"
#include "analysis/series.h"
#include "analysis/series_state.h"

namespace strata {

namespace {

constexpr int kTotal = kAllRegions;
constexpr auto kLargest = static_cast<int>(Metric::LargestFree);
constexpr auto kActive = static_cast<int>(Metric::Active);

}  // namespace

/// Walks all events once with the free space and fills level 0 of the pyramid.
class Series::Builder {
 public:
  Builder(Series& series) : series_(series), device_(series.device_), free_(device_), state_(device_) {}

  void run(const Tick& tick) {
    start();
    for (uint32_t moment = 1; moment < series_.momentCount_; ++moment) {
      const auto event = static_cast<EventIndex>(moment - 1);
      const uint32_t changed = apply(event);
      if (moment % kBucket == 0) {
        openBucket(moment);
      } else if (changed != 0) {
        include(changed, moment);
      }
      if (event % 65536 == 0) tick(event);
    }
    for (int group = 0; group < kGroups; ++group) {
      std::copy_n(state_.of[group].value, 4, series_.extremes_.final[group]);
    }
  }

 private:
  void start() {
    const auto& blocks = device_.blocks;
    const auto& segments = device_.segments;
    series_.isUsed_[kTotal] = true;
    for (uint32_t segment = 0; segment < segments.count(); ++segment) {
      series_.isUsed_[static_cast<int>(segments.region[segment])] = true;
      if (!state_.hasSegments || !isAlive(segments.birth[segment], segments.death[segment], kBeforeFirst))
        continue;
      apply(Changes::SegmentBirth, segment);
    }
    for (uint32_t block = 0; block < blocks.count(); ++block) {
      series_.isUsed_[static_cast<int>(blocks.region[block])] = true;
      if (!isAlive(blocks.birth[block], blocks.death[block], kBeforeFirst)) continue;
      apply(Changes::BlockBirth, block);
      if (releaseOf(blocks, block) < 0) apply(Changes::BlockRelease, block);
    }
    for (int region = 0; region < kRegionCount; ++region) noteLargest(region, 0);
    for (int group = 0; group < kGroups; ++group) notePeaks(group, kBeforeFirst);
    reserve();
    openBucket(0);
  }

  void apply(Changes::Kind kind, uint32_t row) { state_.apply(kind, series_.changes_.amountOf(kind, row)); }

  void reserve() {
    const size_t buckets = series_.momentCount_ / kBucket + 1;
    for (int group = 0; group < kGroups; ++group) {
      series_.extents_[group].resize(1);
      if (!series_.isUsed_[group]) continue;
      series_.extents_[group][0].reserve(buckets);
      if (group < kRegionCount) series_.starts_[group].reserve(buckets);
    }
    series_.peakOffset_.reserve(buckets);
  }

  /// Applies an event; answers a bit for each group whose counters moved.
  uint32_t apply(EventIndex event) {
    if (series_.changes_.isEmpty(event)) return 0;
    uint32_t changed = 0;
    series_.changes_.visit(event, [&](Changes::Kind kind, uint32_t, const Changes::Amount& amount) {
      changed |= state_.apply(kind, amount);
    });
    free_.apply(series_.changes_, event);
    for (int region = 0; region < kRegionCount; ++region) {
      if (free_.largest(region) == state_.of[region].value[kLargest]) continue;
      noteLargest(region, static_cast<uint32_t>(event) + 1);
      changed |= 1u << region;
    }
    changed |= 1u << kTotal;
    for (int group = 0; group < kGroups; ++group) {
      if (changed >> group & 1) notePeaks(group, event);
    }
    return changed;
  }

  void noteLargest(int region, uint32_t moment) {
    state_.setLargest(region, free_.largest(region));
    series_.largest_[region].moment.push_back(moment);
    series_.largest_[region].bytes.push_back(free_.largest(region));
  }

  void notePeaks(int group, EventIndex event) {
    for (int i = 0; i < 4; ++i) {
      PeakPoint& peak = series_.extremes_.peak[group][i];
      if (state_.of[group].value[i] > peak.bytes) peak = {state_.of[group].value[i], event};
    }
  }

  void openBucket(uint32_t moment) {
    for (int group = 0; group < kGroups; ++group) {
      if (!series_.isUsed_[group]) continue;
      series_.extents_[group][0].push_back(Extent::of(state_.of[group].metrics()));
      if (group == kTotal) continue;
      Start start = {{}, static_cast<uint32_t>(series_.largest_[group].moment.size())};
      std::copy_n(state_.of[group].value, 4, start.value);
      series_.starts_[group].push_back(start);
    }
    series_.peakOffset_.push_back(0);
    bucketStart_ = moment;
  }

  void include(uint32_t changed, uint32_t moment) {
    const auto active = static_cast<double>(state_.of[kTotal].value[kActive]);
    if (active > series_.extents_[kTotal][0].back().max.value[kActive]) {
      series_.peakOffset_.back() = static_cast<uint8_t>(moment - bucketStart_);
    }
    for (int group = 0; group < kGroups; ++group) {
      if (changed >> group & 1) series_.extents_[group][0].back().include(state_.of[group].metrics());
    }
  }

  Series& series_;
  const Device& device_;
  FreeSpace free_;
  State state_;
  uint32_t bucketStart_ = 0;
};

Series::Series(const Device& device, const Changes& changes, const Tick& tick)
    : device_(device), changes_(changes), momentCount_(static_cast<uint32_t>(changes.eventCount()) + 1) {
  Builder(*this).run(tick);
  buildPyramid();
  for (auto& changes : largest_) {
    changes.moment.shrink_to_fit();
    changes.bytes.shrink_to_fit();
  }
}

void Series::buildPyramid() {
  for (int group = 0; group < kGroups; ++group) {
    auto& levels = extents_[group];
    while (levels.back().size() > 1) {
      const std::vector<Extent>& below = levels.back();
      std::vector<Extent> level;
      level.reserve((below.size() + kFanout - 1) / kFanout);
      for (size_t i = 0; i < below.size(); ++i) {
        i % kFanout == 0 ? level.push_back(below[i]) : level.back().include(below[i]);
      }
      levels.push_back(std::move(level));
    }
  }
}

}  // namespace strata
