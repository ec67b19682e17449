#include <algorithm>
#include <map>
#include <utility>

#include "capture/address_spans.h"
#include "capture/bfc_timeline.h"
#include "trace/append_rows.h"
#include "trace/order_rows.h"

namespace strata::bfc {
namespace {

DeviceKind kindOf(const std::string& allocator) {
  if (allocator.find("host") != std::string::npos || allocator.find("Pinned") != std::string::npos ||
      allocator.find("cpu") != std::string::npos || allocator == "Cpu")
    return DeviceKind::Host;
  return DeviceKind::Cuda;
}

/// 1 of "GPU_1_bfc"; 0 where the name has no number.
int ordinalOf(const std::string& allocator) {
  const size_t digit = allocator.find_first_of("0123456789");
  if (digit == std::string::npos) return 0;
  int ordinal = 0;
  for (size_t i = digit; i < allocator.size() && allocator[i] >= '0' && allocator[i] <= '9'; ++i)
    if (ordinal < 1000) ordinal = 10 * ordinal + (allocator[i] - '0');
  return ordinal;
}

}  // namespace

Device Timeline::finish(std::optional<int64_t> origin) {
  if (unnamedFree_) freeUnnamed(*std::exchange(unnamedFree_, std::nullopt), unnamedFreePlace_);
  sortBlocks();
  Device device;
  if (isCensus) {
    device.layout = DeviceLayout::Totals;
    dropAddresses();
  } else if (segments_.isEmpty()) {
    device.layout = DeviceLayout::Blocks;
    for (uint32_t block = 0; block < blocks_.count(); ++block) standAlone(block, blocks_.region[block]);
  } else {
    placeInSegments();
    inferSegments();
  }
  sortSegments();
  device.exactness = judge();
  fillFinal(device.final);
  if (origin) {
    for (int64_t& time : events_.time) time -= *origin;
  } else {
    events_.time = {};
  }
  const bool isLabelled =
      std::any_of(events_.label.begin(), events_.label.end(), [](uint32_t label) { return label != kNone; });
  if (!isLabelled) events_.label = {};
  device.ordinal = ordinalOf(name_);
  device.kind = kindOf(name_);
  device.allocator = name_;
  device.events = std::move(events_);
  device.blocks = std::move(blocks_);
  device.segments = std::move(segments_.columns());
  device.streams = {0};
  device.pools = {{0, 0}};
  device.hasHistory = streamed_ != 0 || dumps_ > 1;
  device.isPlaced = true;
  device.isRegionBySize = device.layout == DeviceLayout::Segments;
  device.areRequestsKnown = areRequestsKnown_;
  device.isEventListComplete = isWhole_;
  device.possible[static_cast<int>(Region::Pooled)] = possible_;
  return device;
}

void Timeline::dropAddresses() {
  for (size_t event = 0; event < events_.count(); ++event) {
    const Action action = events_.action[event];
    if (action == Action::SegmentAlloc || action == Action::SegmentFree) events_.row[event] = kNone;
  }
  std::fill(blocks_.segment.begin(), blocks_.segment.end(), kNone);
  std::fill(blocks_.address.begin(), blocks_.address.end(), 0);
  segments_.columns() = {};
}

/// In order of birth. Nothing that is live is followed any more.
void Timeline::sortBlocks() {
  const std::vector<uint32_t> order = orderOfBirth(blocks_.birth);
  const std::vector<uint32_t> places = placesOf(order, order.size());
  reorder(blocks_, order);
  for (size_t event = 0; event < events_.count(); ++event) {
    const Action action = events_.action[event];
    const bool isOfBlock = action == Action::Alloc || action == Action::FreeCompleted;
    if (isOfBlock && events_.row[event] != kNone) events_.row[event] = places[events_.row[event]];
  }
  std::unordered_map<uint32_t, EventIndex> later;
  for (const auto& [row, event] : laterRegion_) later[places[row]] = event;
  laterRegion_ = std::move(later);
}

void Timeline::sortSegments() {
  SegmentColumns& segments = segments_.columns();
  const std::vector<uint32_t> order = orderOfBirth(segments.birth);
  const std::vector<uint32_t> places = placesOf(order, order.size());
  reorder(segments, order);
  for (uint32_t& range : segments.range) range = places[range];
  for (uint32_t& segment : blocks_.segment)
    if (segment != kNone) segment = places[segment];
  for (size_t event = 0; event < events_.count(); ++event) {
    const Action action = events_.action[event];
    const bool isOfSegment = action == Action::SegmentAlloc || action == Action::SegmentFree;
    if (isOfSegment && events_.row[event] != kNone) events_.row[event] = places[events_.row[event]];
  }
}

/// Follows births and deaths of segments along the births of blocks.
void Timeline::placeInSegments() {
  const SegmentColumns& segments = segments_.columns();
  const std::vector<uint32_t> born = orderOfBirth(segments.birth), dying = orderOfBirth(segments.death);
  std::map<uint64_t, uint32_t> alive;
  size_t nextBorn = 0, nextDying = 0;
  for (size_t block = 0; block < blocks_.count(); ++block) {
    const EventIndex now = blocks_.birth[block];
    for (; nextDying < dying.size() && segments.death[dying[nextDying]] <= now; ++nextDying) {
      const auto gone = alive.find(segments.address[dying[nextDying]]);
      if (gone != alive.end() && gone->second == dying[nextDying]) alive.erase(gone);
    }
    for (; nextBorn < born.size() && segments.birth[born[nextBorn]] <= now; ++nextBorn)
      if (segments.death[born[nextBorn]] > now) alive[segments.address[born[nextBorn]]] = born[nextBorn];
    auto segment = alive.upper_bound(blocks_.address[block]);
    if (segment == alive.begin()) continue;
    --segment;
    if (blocks_.address[block] - segment->first < segments.bytes[segment->second])
      blocks_.segment[block] = segment->second;
  }
}

/// A segment row of the block's own, until its region is known: what is known to be there.
void Timeline::standAlone(uint32_t block, Region region) {
  const auto later = laterRegion_.find(block);
  const EventIndex end = later == laterRegion_.end() ? kNever : later->second;
  blocks_.segment[block] =
      appendRow(segments_.columns(), {blocks_.address[block], blocks_.bytes[block], blocks_.birth[block],
                                      std::min(end, blocks_.death[block]), blocks_.stack[block], region, 0});
}

/// Blocks outside of every region that is known: the addresses they ever used are taken for regions, unless
/// another region was there at some time. There each block stands for itself.
void Timeline::inferSegments() {
  SegmentColumns& segments = segments_.columns();
  AddressSpans known, unknown;
  for (size_t row = 0; row < segments.count(); ++row)
    known.add(segments.address[row], segments.address[row] + segments.bytes[row]);
  for (size_t block = 0; block < blocks_.count(); ++block)
    if (blocks_.segment[block] == kNone)
      unknown.add(blocks_.address[block], blocks_.address[block] + blocks_.bytes[block]);
  std::map<uint64_t, uint32_t> rows;
  for (const auto& [from, to] : unknown.spans()) {
    if (known.overlaps(from, to)) continue;
    rows[from] = appendRow(segments, SegmentRow{from, to - from});
  }
  for (uint32_t block = 0; block < blocks_.count(); ++block) {
    if (blocks_.segment[block] != kNone) continue;
    const uint64_t address = blocks_.address[block];
    const auto after = rows.upper_bound(address);
    const bool isInferred =
        after != rows.begin() && address - std::prev(after)->first < segments.bytes[std::prev(after)->second];
    if (isInferred) {
      blocks_.segment[block] = std::prev(after)->second;
      continue;
    }
    ++oddities_.outsideSegments;
    standAlone(block, Region::Pooled);  // of which small blocks take their part, as of any segment
  }
}

/// The last state, by address.
void Timeline::fillFinal(FinalState& final) const {
  const SegmentColumns& segments = segments_.columns();
  std::map<uint64_t, uint32_t> alive, live;
  for (uint32_t row = 0; row < segments.count(); ++row)
    if (segments.death[row] == kNever) alive[segments.address[row]] = row;
  for (uint32_t row = 0; row < blocks_.count() && !alive.empty(); ++row)
    if (blocks_.death[row] == kNever) live[blocks_.address[row]] = row;
  auto block = live.begin();
  for (const auto& [address, row] : alive) {
    FinalState::Segment segment;
    segment.address = address;
    segment.bytes = segments.bytes[row];
    segment.firstBlock = static_cast<uint32_t>(final.blockAddress.size());
    while (block != live.end() && block->first < address) ++block;
    for (; block != live.end() && block->first - address < segment.bytes; ++block) {
      const uint32_t at = block->second;
      segment.allocated += blocks_.bytes[at];
      segment.requested += blocks_.requested[at];
      final.blockAddress.push_back(block->first);
      final.blockBytes.push_back(blocks_.bytes[at]);
      final.blockRequested.push_back(blocks_.requested[at]);
      final.blockState.push_back(BlockState::Allocated);
      final.blockStack.push_back(blocks_.stack[at]);
      ++segment.blockCount;
    }
    segment.active = segment.allocated;
    final.segments.push_back(segment);
  }
}

/// A dump is what it is; between dumps and without regions the rest is an estimate.
Exactness Timeline::judge() const {
  Exactness exactness;
  exactness.placements = placements_ - outsideRegions_;
  exactness.placementsMatched = foretold_;
  exactness.finalBlocks = compared_;
  exactness.finalBlocksMatched = agreed_;
  const auto say = [&](Exactness::Verdict verdict, const char* code, const char* because) {
    exactness.verdict = verdict;
    exactness.code = code;
    exactness.because = because;
  };
  using Verdict = Exactness::Verdict;
  if (isCensus) {
    say(Verdict::Estimated, "no-addresses",
        "The log counts blocks by size and has no addresses: where they lie, and the holes between them, are "
        "not known.");
  } else if (streamed_ == 0 && dumps_ <= 1) {
    say(Verdict::NotApplicable, "", "");
  } else if (streamed_ == 0) {
    say(Verdict::Estimated, "between-dumps",
        "Each dump is one instant, as it was recorded; what came and went between two of them is shown at "
        "the "
        "later one.");
  } else if (outsideRegions_ != 0) {
    exactness.firstMismatch = 0;
    say(Verdict::Estimated, "regions-unknown",
        "The log does not say where regions begin and end, so what blocks got beyond their request, and what "
        "is free, are estimates.");
  } else if (ambiguousFrees_ != 0) {
    say(Verdict::Estimated, "frees-without-address",
        "Lines of verbosity 3 do not say what is freed: of several blocks of one size the oldest is taken.");
  } else if (firstMismatch_ != kNever) {
    exactness.firstMismatch = firstMismatch_;
    say(Verdict::Estimated, "bfc-order-differs",
        "A block lies where the allocator's rules would not have put it: lines are missing, or several "
        "threads wrote them in another order.");
  } else if (olderFrees_ != 0) {
    say(Verdict::Estimated, "began-late",
        "The log begins when blocks were there already; they are known only from when they are freed.");
  } else if (compared_ != agreed_) {
    say(Verdict::Estimated, "dump-differs",
        "The dump holds blocks that the events before it do not explain.");
  } else {
    say(Verdict::Exact, "", "");
  }
  return exactness;
}

}  // namespace strata::bfc
