#include "analysis/moments.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "analysis/changes.h"

namespace strata {

namespace {

/// Calls visit(from, to) for each hole of a segment, by address.
template <typename Visit>
void forEachHole(const State::Segment& segment, const std::vector<uint32_t>& blocks,
                 const BlockColumns& columns, Visit&& visit) {
  uint64_t at = segment.address;
  const uint64_t end = segment.address + segment.bytes;
  for (uint32_t i = 0; i < segment.blockCount; ++i) {
    const uint32_t block = blocks[segment.firstBlock + i];
    if (columns.address[block] > at) visit(at, std::min(columns.address[block], end));
    at = std::max(at, columns.address[block] + columns.bytes[block]);
  }
  if (at < end) visit(at, end);
}

}  // namespace

std::vector<State::Segment> Moments::runsAt(EventIndex event) const {
  const SegmentColumns& columns = device_.segments;
  std::vector<State::Segment> runs;
  for (const uint32_t row : segments_.alive(event)) {
    const uint64_t address = columns.address[row], bytes = columns.bytes[row];
    if (!runs.empty()) {
      State::Segment& before = runs.back();
      if (before.address + before.bytes == address && columns.range[before.row] == columns.range[row]) {
        before.bytes += bytes;
        continue;
      }
    }
    runs.push_back({address, bytes, 0, 0, row, 0, 0, columns.region[row]});
  }
  return runs;
}

State Moments::stateAt(EventIndex event) const {
  State state;
  state.segments = runsAt(event);
  const std::vector<uint32_t> alive = blocks_.alive(event);
  state.blocks.reserve(alive.size());
  size_t next = 0;
  for (State::Segment& segment : state.segments) {
    const uint64_t end = segment.address + segment.bytes;
    segment.firstBlock = static_cast<uint32_t>(state.blocks.size());
    while (next < alive.size() && device_.blocks.address[alive[next]] < segment.address) ++next;
    for (; next < alive.size() && device_.blocks.address[alive[next]] < end; ++next) {
      segment.active += device_.blocks.bytes[alive[next]];
      state.blocks.push_back(alive[next]);
    }
    segment.blockCount = static_cast<uint32_t>(state.blocks.size()) - segment.firstBlock;
    forEachHole(segment, state.blocks, device_.blocks, [&](uint64_t from, uint64_t to) {
      segment.largestFree = std::max(segment.largestFree, to - from);
    });
  }
  return state;
}

Hit Moments::hit(EventIndex event, uint64_t address) const {
  const SegmentColumns& segments = device_.segments;
  const BlockColumns& blocks = device_.blocks;
  const auto blockEnd = [&](uint32_t row) { return blocks.address[row] + blocks.bytes[row]; };
  const auto pieceEnd = [&](uint32_t row) { return segments.address[row] + segments.bytes[row]; };
  const std::vector<uint32_t> pieces = segments_.alive(event);
  const auto after =
      std::upper_bound(pieces.begin(), pieces.end(), address,
                       [&](uint64_t wanted, uint32_t row) { return wanted < segments.address[row]; });
  const bool isMapped = after != pieces.begin() && address < pieceEnd(*(after - 1));
  const Checkpoints::Neighbours neighbours = blocks_.around(event, address);
  const uint32_t before = neighbours.atOrBefore;

  Hit hit;
  if (isMapped) hit.segment = *(after - 1);
  if (before != kNone && address < blockEnd(before)) {
    hit.kind = Hit::Kind::Block;
    hit.block = before;
    if (!isMapped) hit.segment = blocks.segment[before];
    hit.address = blocks.address[before];
    hit.bytes = blocks.bytes[before];
    return hit;
  }
  uint64_t from = 0, to = std::numeric_limits<uint64_t>::max();
  if (isMapped) {
    hit.kind = Hit::Kind::Hole;
    const uint32_t range = segments.range[hit.segment];
    auto low = after - 1, high = after;
    while (low != pieces.begin() && segments.range[*(low - 1)] == range &&
           pieceEnd(*(low - 1)) == segments.address[*low]) {
      --low;
    }
    while (high != pieces.end() && segments.range[*high] == range &&
           pieceEnd(*(high - 1)) == segments.address[*high]) {
      ++high;
    }
    from = segments.address[*low];
    to = pieceEnd(*(high - 1));
  } else {
    if (after != pieces.begin()) from = pieceEnd(*(after - 1));
    if (after != pieces.end()) to = segments.address[*after];
  }
  if (before != kNone) from = std::max(from, blockEnd(before));
  if (neighbours.after != kNone) to = std::min(to, blocks.address[neighbours.after]);
  hit.address = from;
  hit.bytes = to - from;
  return hit;
}

Moment Moments::moment(EventIndex event) const {
  Moment moment;
  moment.event = std::clamp(event, kBeforeFirst, static_cast<EventIndex>(device_.events.count()) - 1);
  const State state = stateAt(moment.event);
  for (const State::Segment& segment : state.segments) {
    RegionMoment& region = moment.regions[static_cast<int>(segment.region)];
    ++region.segments;
    region.reserved += segment.bytes;
    region.largestFree = std::max(region.largestFree, segment.largestFree);
    const bool isReturnable =
        segment.region != Region::Virtual && !device_.segments.isExpandable[segment.row];
    if (segment.blockCount == 0 && isReturnable) {
      region.cachedWhole += segment.bytes;
      ++region.cachedWholeSegments;
    }
    forEachHole(segment, state.blocks, device_.blocks, [&](uint64_t from, uint64_t to) {
      const int exponent = std::bit_width(to - from) - 1;
      const auto place = std::lower_bound(region.holes.begin(), region.holes.end(), exponent,
                                          [](const HoleClass& hole, int e) { return hole.exponent < e; });
      const bool isNew = place == region.holes.end() || place->exponent != exponent;
      HoleClass& hole = isNew ? *region.holes.insert(place, {exponent, 0, 0}) : *place;
      ++hole.count;
      hole.bytes += to - from;
      ++region.holeCount;
    });
  }
  const std::vector<uint32_t> alive = blocks_.alive(moment.event);
  for (const uint32_t block : alive) {
    RegionMoment& region = moment.regions[static_cast<int>(device_.blocks.region[block])];
    ++region.blocks;
    if (device_.isRegionBySize && device_.blocks.region[block] == Region::Immediate) {
      region.reserved += device_.blocks.bytes[block];
      moment.regions[static_cast<int>(Region::Pooled)].reserved -= device_.blocks.bytes[block];
    }
    region.active += device_.blocks.bytes[block];
    region.requested += device_.blocks.requested[block];
    if (releaseOf(device_.blocks, block) > moment.event) region.allocated += device_.blocks.bytes[block];
  }
  if (device_.layout != DeviceLayout::Segments) {
    for (RegionMoment& region : moment.regions) region.reserved = region.active;
  }
  moment.sites = sharesOf(alive);
  return moment;
}

std::vector<SiteShare> Moments::sharesOf(const std::vector<uint32_t>& alive) const {
  const BlockColumns& blocks = device_.blocks;
  std::unordered_map<uint32_t, size_t> places;          // by call site
  std::unordered_map<uint64_t, uint64_t> bytesOfStack;  // by call site and stack
  std::vector<SiteShare> shares;
  std::vector<uint64_t> mostOfStack;
  for (const uint32_t block : alive) {
    const uint32_t site = callSites_.ofBlock(blocks, block);
    const auto [place, isNew] = places.try_emplace(site, shares.size());
    if (isNew) {
      const uint8_t rank = sites_.rankOfSite(site);
      const bool isRanked = rank != sites_.other();
      shares.push_back({isRanked ? uint16_t{rank} : uint16_t{0xffff}, kNone, 0, 0, callSites_.at(site).name});
      mostOfStack.push_back(0);
    }
    SiteShare& share = shares[place->second];
    share.bytes += blocks.bytes[block];
    ++share.blocks;
    if (blocks.stack[block] == kNone) continue;
    uint64_t& ofStack = bytesOfStack[static_cast<uint64_t>(site) << 32 | blocks.stack[block]];
    ofStack += blocks.bytes[block];
    if (ofStack <= mostOfStack[place->second]) continue;
    mostOfStack[place->second] = ofStack;
    share.stack = blocks.stack[block];
  }
  std::sort(shares.begin(), shares.end(), [](const SiteShare& a, const SiteShare& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  return shares;
}

}  // namespace strata
