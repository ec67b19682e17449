#include "analysis/index.h"

#include <future>

#include "analysis/address_map.h"
#include "analysis/axis.h"
#include "analysis/call_site.h"
#include "analysis/changes.h"
#include "analysis/checkpoints.h"
#include "analysis/live_picture.h"
#include "analysis/moments.h"
#include "analysis/series.h"
#include "analysis/sites.h"

namespace strata {

namespace {

/// The moment of most active bytes, before anything that could tell is built.
EventIndex peakOfActive(const Device& device, const Changes& changes) {
  const BlockColumns& blocks = device.blocks;
  uint64_t active = 0;
  for (uint32_t block = 0; block < blocks.count() && blocks.birth[block] < 0; ++block) {
    if (isAlive(blocks.birth[block], blocks.death[block], kBeforeFirst)) active += blocks.bytes[block];
  }
  uint64_t most = active;
  EventIndex peak = kBeforeFirst;
  for (EventIndex event = 0; event < changes.eventCount(); ++event) {
    changes.visit(event, [&](Changes::Kind kind, uint32_t, const Changes::Amount& amount) {
      if (kind == Changes::BlockBirth) active += amount.bytes;
      if (kind == Changes::BlockDeath) active -= amount.bytes;
    });
    if (active > most) most = active, peak = event;
  }
  return peak;
}

}  // namespace

/// Whether each segment is just its block, as where a capture knows of blocks alone.
bool areSegmentsBlocks(const Device& device) {
  const BlockColumns& blocks = device.blocks;
  const SegmentColumns& segments = device.segments;
  return device.layout == DeviceLayout::Blocks && segments.address == blocks.address &&
         segments.birth == blocks.birth && segments.death == blocks.death;
}

template <typename Columns>
std::unique_ptr<Checkpoints> checkpointsOf(const Columns& columns, EventIndex eventCount) {
  return std::make_unique<Checkpoints>(columns.address, columns.birth, columns.death, eventCount);
}

/// Who lives when, who asked for it, and how all that is drawn as a stack.
struct Lives {
  std::unique_ptr<Checkpoints> ofBlocks, ofSegments;  ///< the latter empty when both are the same
  const Checkpoints& blocks;
  const Checkpoints& segments;
  CallSites callSites;
  RankedSites sites;
  LivePicture picture;
  Moments moments;

  Lives(const Trace& trace, const Device& device, const Changes& changes, const std::vector<Site>& before)
      : ofBlocks(checkpointsOf(device.blocks, changes.eventCount())),
        ofSegments(areSegmentsBlocks(device) ? nullptr
                                             : checkpointsOf(device.segments, changes.eventCount())),
        blocks(*ofBlocks),
        segments(ofSegments ? *ofSegments : *ofBlocks),
        callSites(trace, !device.hasHistory),
        sites(callSites, device.blocks, blocks.alive(peakOfActive(device, changes)), before),
        picture(device, changes, blocks, sites),
        moments(device, callSites, sites, blocks, segments) {}

  size_t bytes() const {
    return blocks.bytes() + (ofSegments ? ofSegments->bytes() : 0) + callSites.bytes() + sites.bytes() +
           picture.bytes();
  }
};

struct Index::Parts {
  const Device& device;
  Changes changes;
  std::unique_ptr<Lives> lives;
  std::unique_ptr<FoldedSpace> space;
  std::unique_ptr<Series> series;
  std::unique_ptr<AddressMap> map;

  /// The series and the lives need only the changes, and the space not even those, so they are built side by
  /// side.
  Parts(const Trace& trace, const Device& device, const Progress& progress, const std::vector<Site>& before)
      : device(device), changes(device) {
    auto living = std::async(std::launch::async,
                             [&] { return std::make_unique<Lives>(trace, device, changes, before); });
    auto folding = std::async(std::launch::async, [&] { return std::make_unique<FoldedSpace>(device); });
    series = std::make_unique<Series>(device, changes, [&](EventIndex done) {
      const auto events = static_cast<uint64_t>(changes.eventCount());
      if (progress && !progress("index", static_cast<uint64_t>(done), events, events)) throw Cancelled();
    });
    lives = living.get();
    space = folding.get();
    map = std::make_unique<AddressMap>(device, *space, lives->sites, lives->blocks, lives->segments);
  }
};

Index::Index(const Trace& trace, const Device& device, const Progress& progress,
             const std::vector<Site>& before)
    : parts_(std::make_unique<Parts>(trace, device, progress, before)) {}

Index::~Index() = default;

SeriesWindow Index::series(const Window& window) const {
  const AxisScale scale(parts_->device.events, window.axis);
  return parts_->series->window(ColumnMoments(scale, window));
}

LiveWindow Index::liveBlocks(const Window& window, uint32_t pixelRows) const {
  const AxisScale scale(parts_->device.events, window.axis);
  return parts_->lives->picture.window(parts_->series->peaksActive(ColumnMoments(scale, window)), pixelRows);
}

MapWindow Index::map(Region region, const Window& window, uint64_t fromOffset, uint64_t toOffset,
                     uint32_t rows) const {
  return parts_->map->window(region, window, fromOffset, toOffset, rows);
}

const std::vector<FoldedRange>& Index::ranges(Region region) const { return parts_->space->ranges(region); }

State Index::stateAt(EventIndex event) const { return parts_->lives->moments.stateAt(event); }

Hit Index::hit(EventIndex event, uint64_t address) const {
  return parts_->lives->moments.hit(event, address);
}

Moment Index::moment(EventIndex event) const { return parts_->lives->moments.moment(event); }

const Extremes& Index::extremes() const { return parts_->series->extremes(); }

const std::vector<Site>& Index::sites() const { return parts_->lives->sites.list(); }

uint16_t Index::siteOf(uint32_t block) const { return parts_->lives->sites.rankOfBlock(block); }

EventIndex Index::eventAtTime(int64_t time) const {
  const std::vector<int64_t>& times = parts_->device.events.time;
  if (times.empty()) {
    const auto last = static_cast<int64_t>(parts_->device.events.count()) - 1;
    return static_cast<EventIndex>(std::clamp<int64_t>(time, kBeforeFirst, last));
  }
  return static_cast<EventIndex>(std::upper_bound(times.begin(), times.end(), time) - times.begin()) - 1;
}

size_t Index::bytes() const {
  return parts_->changes.bytes() + parts_->series->bytes() + parts_->lives->bytes() + parts_->space->bytes() +
         parts_->map->bytes();
}

}  // namespace strata
