#include <algorithm>
#include <numeric>
#include <utility>

#include "capture/address_spans.h"
#include "capture/bfc_timeline.h"
#include "capture/text.h"

namespace strata::bfc {
namespace {

template <typename Column>
void permute(Column& column, const std::vector<uint32_t>& order) {
  Column sorted;
  sorted.reserve(order.size());
  for (const uint32_t row : order) sorted.push_back(column[row]);
  column = std::move(sorted);
}

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
  const std::vector<uint32_t> newRow = sortByBirth();
  Device device;
  if (isCensus) {
    device.layout = DeviceLayout::Totals;
    for (size_t event = 0; event < events_.count(); ++event) {
      const Action action = events_.action[event];
      if (action == Action::SegmentAlloc || action == Action::SegmentFree) events_.row[event] = kNone;
    }
    std::fill(blocks_.segment.begin(), blocks_.segment.end(), kNone);
    std::fill(blocks_.address.begin(), blocks_.address.end(), 0);
    segments_ = {};
  } else if (segments_.count() == 0) {
    device.layout = DeviceLayout::Blocks;
    giveEachItsSegment();
  } else {
    placeInSegments();
    inferSegments();
  }
  device.exactness = judge();
  fillFinal(device.final, newRow);
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
  device.segments = std::move(segments_);
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

/// Answers where each row has gone.
std::vector<uint32_t> Timeline::sortByBirth() {
  std::vector<uint32_t> order(blocks_.count());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return blocks_.birth[a] < blocks_.birth[b]; });
  std::vector<uint32_t> newRow(order.size());
  for (uint32_t row = 0; row < order.size(); ++row) newRow[order[row]] = row;
  permute(blocks_.address, order);
  permute(blocks_.bytes, order);
  permute(blocks_.requested, order);
  permute(blocks_.birth, order);
  permute(blocks_.freeRequested, order);
  permute(blocks_.death, order);
  permute(blocks_.stack, order);
  permute(blocks_.segment, order);
  permute(blocks_.region, order);
  for (size_t event = 0; event < events_.count(); ++event) {
    const Action action = events_.action[event];
    const bool isOfBlock = action == Action::Alloc || action == Action::FreeCompleted;
    if (isOfBlock && events_.row[event] != kNone) events_.row[event] = newRow[events_.row[event]];
  }
  return newRow;
}

/// Follows births and deaths of segments along the births of blocks.
void Timeline::placeInSegments() {
  std::vector<uint32_t> born(segments_.count());
  std::iota(born.begin(), born.end(), 0u);
  std::vector<uint32_t> dying = born;
  std::sort(born.begin(), born.end(),
            [&](uint32_t a, uint32_t b) { return segments_.birth[a] < segments_.birth[b]; });
  std::sort(dying.begin(), dying.end(),
            [&](uint32_t a, uint32_t b) { return segments_.death[a] < segments_.death[b]; });
  std::map<uint64_t, uint32_t> alive;
  size_t nextBorn = 0, nextDying = 0;
  for (size_t block = 0; block < blocks_.count(); ++block) {
    const EventIndex now = blocks_.birth[block];
    for (; nextDying < dying.size() && segments_.death[dying[nextDying]] <= now; ++nextDying) {
      const auto gone = alive.find(segments_.address[dying[nextDying]]);
      if (gone != alive.end() && gone->second == dying[nextDying]) alive.erase(gone);
    }
    for (; nextBorn < born.size() && segments_.birth[born[nextBorn]] <= now; ++nextBorn)
      if (segments_.death[born[nextBorn]] > now) alive[segments_.address[born[nextBorn]]] = born[nextBorn];
    auto segment = alive.upper_bound(blocks_.address[block]);
    if (segment == alive.begin()) continue;
    --segment;
    if (blocks_.address[block] - segment->first < segments_.bytes[segment->second])
      blocks_.segment[block] = segment->second;
  }
}

/// No region is known at all: a block is all that is known to be reserved.
void Timeline::giveEachItsSegment() {
  for (size_t block = 0; block < blocks_.count(); ++block) {
    const uint32_t row = addSegment(blocks_.address[block], blocks_.bytes[block], blocks_.birth[block]);
    segments_.death[row] = blocks_.death[block];
    segments_.region[row] = blocks_.region[block];
    blocks_.segment[block] = row;
  }
}

/// Blocks outside of every region that is known: the addresses they ever used are taken for regions.
void Timeline::inferSegments() {
  AddressSpans unknown;
  for (size_t block = 0; block < blocks_.count(); ++block)
    if (blocks_.segment[block] == kNone)
      unknown.add(blocks_.address[block], blocks_.address[block] + blocks_.bytes[block]);
  if (unknown.spans().empty()) return;
  std::map<uint64_t, uint32_t> rows;
  for (const auto& [from, to] : unknown.spans()) rows[from] = addSegment(from, to - from, kBeforeFirst);
  for (size_t block = 0; block < blocks_.count(); ++block)
    if (blocks_.segment[block] == kNone)
      blocks_.segment[block] = std::prev(rows.upper_bound(blocks_.address[block]))->second;
}

/// The last state, by address.
void Timeline::fillFinal(FinalState& final, const std::vector<uint32_t>& newRow) const {
  std::map<uint64_t, uint32_t> alive;
  for (uint32_t row = 0; row < segments_.count(); ++row)
    if (segments_.death[row] == kNever) alive[segments_.address[row]] = row;
  auto block = live_.begin();
  for (const auto& [address, row] : alive) {
    FinalState::Segment segment;
    segment.address = address;
    segment.bytes = segments_.bytes[row];
    segment.firstBlock = static_cast<uint32_t>(final.blockAddress.size());
    while (block != live_.end() && block->first < address) ++block;
    for (; block != live_.end() && block->first - address < segment.bytes; ++block) {
      const uint32_t at = newRow[block->second.row];
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
