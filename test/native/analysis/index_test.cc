#include "analysis/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <random>

#include "analysis/random_trace.h"
#include "analysis/slow_model.h"

namespace strata {
namespace {

using test::randomTrace;
using test::RandomTraceOptions;
using test::SlowModel;

/// Random traces of all kinds; the seed is printed when something fails.
class IndexOfRandomTrace : public testing::TestWithParam<uint32_t> {
 protected:
  IndexOfRandomTrace() {
    const uint32_t seed = GetParam();
    RandomTraceOptions options;
    options.hasClock = seed % 3 != 0;
    options.hasRows = seed % 4 != 1;
    options.before = seed % 5 == 2 ? 0 : 60;
    options.events = seed % 7 == 3 ? 0 : static_cast<int>(200 + seed % 4 * 300);
    // Some long ones, to have several checkpoints and levels.
    if (seed % 8 == 4) options.events = 9500, options.liveBlocks = 120;
    trace_ = randomTrace(seed, options);
    random_.seed(seed + 1000);
    index_ = std::make_unique<Index>(trace_, device());
    model_ = std::make_unique<SlowModel>(device());
  }

  const Device& device() const { return trace_.devices[0]; }
  EventIndex count() const { return static_cast<EventIndex>(device().events.count()); }
  EventIndex someMoment() { return static_cast<EventIndex>(random_() % (count() + 1)) - 1; }

  /// Whole, zoomed in, narrower than an event, beyond the ends.
  Window someWindow() {
    Window window;
    window.axis = random_() % 2 == 0 ? Axis::Event : Axis::Time;
    const bool isTime = window.axis == Axis::Time && !device().events.time.empty() && count() > 0;
    const double end =
        isTime ? static_cast<double>(device().events.time.back()) : static_cast<double>(count());
    const double length =
        std::max(1.0, end) * std::pow(0.5, random_() % 9) * (random_() % 4 == 0 ? 1.3 : 1.0);
    window.from = (static_cast<double>(random_() % 1000) / 1000.0 * 1.2 - 0.1) * (end - length * 0.5);
    if (random_() % 3 == 0) window.from = std::floor(window.from);
    window.to = window.from + (random_() % 3 == 0 ? std::ceil(length) : length);
    window.columns = 1 + random_() % 40;
    return window;
  }

  std::mt19937 random_;
  Trace trace_;
  std::unique_ptr<Index> index_;
  std::unique_ptr<SlowModel> model_;
};

TEST_P(IndexOfRandomTrace, ShowsTheExtremesOfEveryMetricInEveryColumn) {
  std::map<EventIndex, std::vector<double>> known;
  const auto valuesAt = [&](EventIndex event) -> const std::vector<double>& {
    std::vector<double>& values = known[event];
    if (!values.empty()) return values;
    const SlowModel::Values at = model_->valuesAt(event);
    for (const auto& region : at.of) values.insert(values.end(), std::begin(region), std::end(region));
    return values;
  };
  for (int round = 0; round < 12; ++round) {
    const Window window = someWindow();
    const SeriesWindow series = index_->series(window);
    for (uint32_t column = 0; column < window.columns; ++column) {
      const std::vector<EventIndex> moments = model_->momentsIn(window, column);
      ASSERT_FALSE(moments.empty());
      std::vector<double> lows = valuesAt(moments[0]), highs = lows;
      const std::vector<double>& last = valuesAt(moments.back());
      for (const EventIndex event : moments) {
        const std::vector<double>& values = valuesAt(event);
        for (size_t at = 0; at < values.size(); ++at) {
          lows[at] = std::min(lows[at], values[at]);
          highs[at] = std::max(highs[at], values[at]);
        }
      }
      for (int at = 0; at < (kRegionCount + 1) * kMetricCount; ++at) {
        const SeriesColumns& got = series.series[at / kMetricCount][at % kMetricCount];
        const double tolerance = at % kMetricCount == static_cast<int>(Metric::Fragmentation) ? 1e-6 : 0;
        ASSERT_NEAR(got.min[column], lows[at], tolerance)
            << "region and metric " << at << " column " << column;
        ASSERT_NEAR(got.max[column], highs[at], tolerance)
            << "region and metric " << at << " column " << column;
        ASSERT_NEAR(got.last[column], last[at], tolerance) << at << " column " << column;
      }
    }
  }
}

TEST_P(IndexOfRandomTrace, KnowsPeaksAndTheFirstEventAfterWhichTheyStood) {
  PeakPoint peaks[kRegionCount + 1][4];
  SlowModel::Values last;
  for (EventIndex event = kBeforeFirst; event < count(); ++event) {
    last = model_->valuesAt(event);
    for (int region = 0; region <= kRegionCount; ++region) {
      for (int metric = 0; metric < 4; ++metric) {
        const auto value = static_cast<uint64_t>(last.of[region][metric]);
        if (value > peaks[region][metric].bytes) peaks[region][metric] = {value, event};
      }
    }
  }
  for (int region = 0; region <= kRegionCount; ++region) {
    for (int metric = 0; metric < 4; ++metric) {
      EXPECT_EQ(index_->extremes().peak[region][metric].bytes, peaks[region][metric].bytes);
      EXPECT_EQ(index_->extremes().peak[region][metric].event, peaks[region][metric].event);
      EXPECT_EQ(static_cast<double>(index_->extremes().final[region][metric]), last.of[region][metric]);
    }
  }
}

TEST_P(IndexOfRandomTrace, StacksTheLiveBlocksOfEachColumnsHighestMoment) {
  const BlockColumns& blocks = device().blocks;
  for (int round = 0; round < 12; ++round) {
    const Window window = someWindow();
    const uint32_t pixelRows = 1 + random_() % 60;
    const LiveWindow live = index_->liveBlocks(window, pixelRows);
    ASSERT_EQ(live.moment.size(), window.columns);
    uint64_t visible = 0;
    for (const EventIndex event : live.moment) visible = std::max(visible, model_->activeAt(event));
    for (uint32_t column = 0; column < window.columns; ++column) {
      const std::vector<EventIndex> moments = model_->momentsIn(window, column);
      const auto highest = std::max_element(moments.begin(), moments.end(), [&](EventIndex a, EventIndex b) {
        return model_->activeAt(a) < model_->activeAt(b);
      });
      const EventIndex moment = live.moment[column];
      ASSERT_EQ(moment, *highest) << "column " << column;

      struct Run {
        uint32_t block;
        uint16_t site;
        double bytes;
        uint32_t count;
        bool operator==(const Run&) const = default;
      };
      std::vector<uint32_t> alive = model_->blocksAt(moment);
      std::sort(alive.begin(), alive.end());
      std::vector<Run> expected;
      for (uint16_t site = 0; site < index_->sites().size(); ++site) {
        Run rest = {kNone, site, 0, 0};
        for (const uint32_t block : alive) {
          if (index_->siteOf(block) != site) continue;
          const auto bytes = static_cast<double>(blocks.bytes[block]);
          if (blocks.bytes[block] * pixelRows >= visible) {
            expected.push_back({block, site, bytes, 1});
          } else {
            rest.bytes += bytes;
            ++rest.count;
          }
        }
        if (rest.count > 0) expected.push_back(rest);
      }
      std::vector<Run> got;
      double height = 0;
      for (uint32_t i = live.firstRun[column]; i < live.firstRun[column + 1]; ++i) {
        got.push_back({live.block[i], live.site[i], live.bytes[i], live.blockCount[i]});
        height += live.bytes[i];
      }
      ASSERT_TRUE(got == expected) << "column " << column << " moment " << moment;
      ASSERT_EQ(height, static_cast<double>(model_->activeAt(moment)));
    }
  }
}

TEST_P(IndexOfRandomTrace, RebuildsTheStateOfAnyMoment) {
  for (int round = 0; round < 30; ++round) {
    const EventIndex event = someMoment();
    const State state = index_->stateAt(event);
    const auto runs = model_->runsAt(event);
    ASSERT_EQ(state.segments.size(), runs.size());
    EXPECT_EQ(state.blocks, model_->blocksAt(event));
    const auto holes = model_->holesAt(event);
    for (size_t i = 0; i < runs.size(); ++i) {
      const State::Segment& segment = state.segments[i];
      uint64_t largest = 0, active = 0;
      for (const auto& hole : holes) {
        if (hole.from >= runs[i].from && hole.to <= runs[i].to)
          largest = std::max(largest, hole.to - hole.from);
      }
      for (uint32_t b = 0; b < segment.blockCount; ++b) {
        active += device().blocks.bytes[state.blocks[segment.firstBlock + b]];
      }
      EXPECT_EQ(segment.address, runs[i].from);
      EXPECT_EQ(segment.bytes, runs[i].to - runs[i].from);
      EXPECT_EQ(segment.row, runs[i].row);
      EXPECT_EQ(segment.region, runs[i].region);
      EXPECT_EQ(segment.largestFree, largest);
      EXPECT_EQ(segment.active, active);
    }
  }
}

TEST_P(IndexOfRandomTrace, SaysWhatLiesAtAnAddress) {
  for (int round = 0; round < 60; ++round) {
    const EventIndex event = someMoment();
    const uint64_t address =
        (random_() % 2 == 0 ? random_() % 1100 : 9900 + random_() % 2600) * 512 + random_() % 512;
    const Hit hit = index_->hit(event, address);
    Hit expected;
    expected.bytes = std::numeric_limits<uint64_t>::max();
    uint64_t low = 0, high = std::numeric_limits<uint64_t>::max();
    for (const auto& run : model_->runsAt(event)) {
      if (run.to <= address) low = std::max(low, run.to);
      if (run.from > address) high = std::min(high, run.from);
    }
    expected.address = low;
    expected.bytes = high - low;
    for (const auto& hole : model_->holesAt(event)) {
      if (address < hole.from || address >= hole.to) continue;
      expected.kind = Hit::Kind::Hole;
      expected.address = hole.from;
      expected.bytes = hole.to - hole.from;
    }
    for (const uint32_t block : model_->blocksAt(event)) {
      const uint64_t from = device().blocks.address[block];
      if (address < from || address >= from + device().blocks.bytes[block]) continue;
      expected.kind = Hit::Kind::Block;
      expected.block = block;
      expected.address = from;
      expected.bytes = device().blocks.bytes[block];
    }
    EXPECT_EQ(hit.kind, expected.kind);
    EXPECT_EQ(hit.block, expected.block);
    EXPECT_EQ(hit.address, expected.address);
    EXPECT_EQ(hit.bytes, expected.bytes);
    if (hit.kind == Hit::Kind::Unmapped) {
      EXPECT_EQ(hit.segment, kNone);
    } else {
      const uint64_t from = device().segments.address[hit.segment];
      EXPECT_TRUE(from <= address && address < from + device().segments.bytes[hit.segment]);
    }
  }
}

TEST_P(IndexOfRandomTrace, CountsTheNumbersOfAMoment) {
  for (int round = 0; round < 20; ++round) {
    const EventIndex event = someMoment();
    const Moment moment = index_->moment(event);
    const SlowModel::Values values = model_->valuesAt(event);
    EXPECT_EQ(moment.event, event);
    for (int region = 0; region < kRegionCount; ++region) {
      const RegionMoment& got = moment.regions[region];
      const uint64_t counters[] = {got.allocated, got.active, got.reserved, got.requested, got.largestFree};
      for (int metric = 0; metric < 5; ++metric) {
        EXPECT_EQ(static_cast<double>(counters[metric]), values.of[region][metric]);
      }
      std::map<int, std::pair<uint64_t, uint64_t>> classes;
      uint64_t holeCount = 0;
      for (const auto& hole : model_->holesAt(event)) {
        if (static_cast<int>(hole.region) != region) continue;
        auto& holeClass = classes[static_cast<int>(std::floor(std::log2(hole.to - hole.from)))];
        ++holeClass.first;
        holeClass.second += hole.to - hole.from;
        ++holeCount;
      }
      EXPECT_EQ(got.holeCount, holeCount);
      ASSERT_EQ(got.holes.size(), classes.size());
      auto expected = classes.begin();
      for (const HoleClass& hole : got.holes) {
        EXPECT_EQ(hole.exponent, expected->first);
        EXPECT_EQ(hole.count, expected->second.first);
        EXPECT_EQ(hole.bytes, expected->second.second);
        ++expected;
      }
    }
    uint64_t ofSites = 0;
    for (size_t i = 0; i < moment.sites.size(); ++i) {
      ofSites += moment.sites[i].bytes;
      if (i > 0) {
        EXPECT_GE(moment.sites[i - 1].bytes, moment.sites[i].bytes);
      }
    }
    EXPECT_EQ(ofSites, model_->activeAt(event));
  }
}

TEST_P(IndexOfRandomTrace, FoldsTheAddressesThatWereNeverUsed) {
  for (int region = 0; region < kRegionCount; ++region) {
    const auto& ranges = index_->ranges(static_cast<Region>(region));
    uint64_t offset = 0, end = 0;
    for (const FoldedRange& range : ranges) {
      EXPECT_EQ(range.offset, offset);
      if (offset > 0) {
        EXPECT_GT(range.address, end);
      }
      offset += range.bytes;
      end = range.address + range.bytes;
    }
    for (uint64_t address = 0; address < 12500ull * 512; address += 512) {
      bool wasUsed = false, isInRange = false;
      for (uint32_t row = 0; row < device().segments.count(); ++row) {
        const uint64_t from = device().segments.address[row];
        wasUsed = wasUsed || (static_cast<int>(device().segments.region[row]) == region && from <= address &&
                              address < from + device().segments.bytes[row]);
      }
      for (const FoldedRange& range : ranges) {
        isInRange = isInRange || (range.address <= address && address < range.address + range.bytes);
      }
      ASSERT_EQ(isInRange, wasUsed) << address;
    }
  }
}

TEST_P(IndexOfRandomTrace, MixesTheCellsOfTheMapByArea) {
  const auto& blocks = device().blocks;
  const auto& segments = device().segments;
  for (int round = 0; round < 6; ++round) {
    const auto region = static_cast<Region>(random_() % kRegionCount);
    const auto& ranges = index_->ranges(region);
    if (ranges.empty()) continue;
    const uint64_t end = ranges.back().offset + ranges.back().bytes;
    const uint64_t from = random_() % 2 == 0 ? 0 : random_() % end;
    const uint64_t to = random_() % 2 == 0 ? end : from + 1 + random_() % (end - from);
    const Window window = someWindow();
    const uint32_t rows = 1 + random_() % 30;
    const MapWindow map = index_->map(region, window, from, to, rows);

    const size_t cells = static_cast<size_t>(rows) * window.columns;
    const size_t siteCount = index_->sites().size();
    std::vector<std::vector<double>> share(siteCount + 1, std::vector<double>(cells));
    const auto add = [&](size_t channel, EventIndex birth, EventIndex death, uint64_t address,
                         uint64_t bytes) {
      double low = 0;
      for (const FoldedRange& range : ranges) {
        if (range.address <= address && address < range.address + range.bytes) {
          low = static_cast<double>(range.offset + (address - range.address));
        }
      }
      const double begins = model_->position(window.axis, birth), ends = model_->position(window.axis, death);
      const double width = (window.to - window.from) / window.columns;
      const double height = static_cast<double>(to - from) / rows;
      for (uint32_t row = 0; row < rows; ++row) {
        const double bottom = static_cast<double>(from) + row * height;
        const double tall =
            std::min(low + static_cast<double>(bytes), bottom + height) - std::max(low, bottom);
        if (tall <= 0) continue;
        for (uint32_t column = 0; column < window.columns; ++column) {
          const double left = window.from + column * width;
          const double wide = std::min(ends, left + width) - std::max(begins, left);
          if (wide > 0) share[channel][row * window.columns + column] += tall / height * wide / width;
        }
      }
    };
    for (uint32_t row = 0; row < blocks.count(); ++row) {
      if (blocks.region[row] != region) continue;
      add(index_->siteOf(row), blocks.birth[row], blocks.death[row], blocks.address[row], blocks.bytes[row]);
    }
    for (uint32_t row = 0; row < segments.count(); ++row) {
      if (segments.region[row] != region) continue;
      add(siteCount, segments.birth[row], segments.death[row], segments.address[row], segments.bytes[row]);
    }
    for (size_t cell = 0; cell < cells; ++cell) {
      double occupied = 0, most = 0;
      for (size_t site = 0; site < siteCount; ++site) {
        occupied += share[site][cell];
        most = std::max(most, share[site][cell]);
      }
      ASSERT_NEAR(map.occupied[cell], occupied * 255, 0.51);
      ASSERT_NEAR(map.mapped[cell], share[siteCount][cell] * 255, 0.51);
      if (map.site[cell] == 0xffff) {
        ASSERT_LT(most, 1e-6);
      } else {
        ASSERT_NEAR(share[map.site[cell]][cell], most, 1e-6);
      }
    }
  }
}

TEST_P(IndexOfRandomTrace, FindsTheLastEventAtATime) {
  for (int round = 0; round < 50; ++round) {
    const bool hasTimes = !device().events.time.empty();
    const int64_t end = hasTimes ? device().events.time.back() : count();
    const int64_t time = static_cast<int64_t>(random_() % static_cast<uint64_t>(end + 20)) - 10;
    EventIndex expected = kBeforeFirst;
    for (EventIndex event = 0; event < count(); ++event) {
      if ((hasTimes ? device().events.time[event] : event) <= time) expected = event;
    }
    EXPECT_EQ(index_->eventAtTime(time), expected);
  }
}

TEST_P(IndexOfRandomTrace, RanksTheSitesWithMostAtThePeak) {
  const auto& sites = index_->sites();
  ASSERT_GE(sites.size(), 2u);
  ASSERT_LE(sites.size(), 9u);
  EXPECT_EQ(sites.front().kind, "before");
  EXPECT_EQ(sites.back().kind, "other");
  const EventIndex peak = index_->extremes().peak[kAllRegions][static_cast<int>(Metric::Active)].event;
  std::vector<uint64_t> bytes(sites.size());
  for (const uint32_t block : model_->blocksAt(peak)) {
    const bool isOld = device().blocks.birth[block] < 0;
    EXPECT_EQ(index_->siteOf(block) == 0, isOld);
    bytes[index_->siteOf(block)] += device().blocks.bytes[block];
  }
  for (size_t rank = 0; rank < sites.size(); ++rank) {
    EXPECT_EQ(sites[rank].bytesAtPeak, bytes[rank]);
    if (rank > 1 && rank + 1 < sites.size()) {
      EXPECT_GE(bytes[rank - 1], bytes[rank]);
    }
  }
}

TEST(Index, AnswersSeveralThreadsAtOnceAsItAnswersOne) {
  RandomTraceOptions options;
  options.events = 420'000;
  options.liveBlocks = 12;
  options.before = 0;
  const Trace trace = randomTrace(5, options);
  ASSERT_GT(trace.devices[0].blocks.count(), 100'000u);  // so that the map needs its grid
  const Index index(trace, trace.devices[0]);
  const auto ask = [&] {
    const Window window = {Axis::Event, 0, 420'000, 200};
    std::vector<double> answers;
    for (const Region region : {Region::Immediate, Region::Pooled}) {
      const auto& last = index.ranges(region).back();
      const MapWindow map = index.map(region, window, 0, last.offset + last.bytes, 50);
      answers.insert(answers.end(), map.occupied.begin(), map.occupied.end());
    }
    const SeriesWindow series = index.series(window);
    const auto& active = series.series[kAllRegions][static_cast<int>(Metric::Active)].max;
    answers.insert(answers.end(), active.begin(), active.end());
    const LiveWindow live = index.liveBlocks(window, 100);
    answers.insert(answers.end(), live.bytes.begin(), live.bytes.end());
    for (const uint32_t block : index.stateAt(200'000).blocks) answers.push_back(block);
    answers.push_back(static_cast<double>(index.moment(100'000).regions[0].active));
    return answers;
  };
  std::vector<std::future<std::vector<double>>> threads;
  for (int i = 0; i < 4; ++i) threads.push_back(std::async(std::launch::async, ask));
  const std::vector<double> alone = ask();
  for (auto& thread : threads) EXPECT_EQ(thread.get(), alone);
}

TEST(Index, CanBeCancelledWhileItIsBuilt) {
  const Trace trace = randomTrace(6);
  EXPECT_THROW(Index(trace, trace.devices[0], [](auto...) { return false; }), Cancelled);
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexOfRandomTrace, testing::Range(1u, 25u),
                         [](const auto& seed) { return "Seed" + std::to_string(seed.param); });

}  // namespace
}  // namespace strata
