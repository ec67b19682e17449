#include "allocator/pytorch_settle.h"

#include <algorithm>

namespace strata::pytorch {
namespace {

/// Address ranges that may overlap, asked whether any of them touches another one.
class Extents {
 public:
  void add(uint64_t address, uint64_t bytes) { ranges_.push_back({address, address + bytes}); }
  void sort() {
    std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
    uint64_t reach = 0;
    for (Range& range : ranges_) range.to = reach = std::max(reach, range.to);
  }
  /// `to` holds the furthest end of all ranges that start no later, so one look is enough.
  bool touches(uint64_t address, uint64_t bytes) const {
    const auto above = std::lower_bound(ranges_.begin(), ranges_.end(), address + bytes,
                                        [](const Range& range, uint64_t a) { return range.from < a; });
    return above != ranges_.begin() && std::prev(above)->to > address;
  }

 private:
  struct Range {
    uint64_t from, to;
  };
  std::vector<Range> ranges_;
};

class Settlement {
 public:
  Settlement(Device& device, RecordedHeap& recorded, Ledger& ledger, Score& score)
      : final_(device.final),
        recorded_(recorded),
        ledger_(ledger),
        score_(score),
        last_(static_cast<EventIndex>(device.events.count()) - 1) {}

  FinalCheck run() {
    collectLive();
    uint64_t reach = 0;
    for (const FinalState::Segment& segment : final_.segments) {
      const uint64_t end = segment.address + segment.bytes;
      const bool isSound = segment.bytes != 0 && segment.address >= reach && end > segment.address;
      check_.blocks += segment.blockCount;
      if (!isSound) {
        differ();
        continue;
      }
      reach = end;
      settleSegment(segment);
      settleBlocks(segment);
    }
    endTheRest();
    return check_;
  }

 private:
  void collectLive() {
    const SegmentColumns& segments = ledger_.segments();
    for (uint32_t row = 0; row < segments.count(); ++row)
      if (segments.death[row] == kNever) liveSegments_.push_back(row);
    std::sort(liveSegments_.begin(), liveSegments_.end(),
              [&](uint32_t a, uint32_t b) { return segments.address[a] < segments.address[b]; });
    isSegmentKept_.assign(liveSegments_.size(), false);
    isBlockKept_.assign(ledger_.blocks().count(), false);
  }

  void differ() { score_.mismatch("final-differs", std::max(last_, 0)); }

  /// Live segment rows that touch a final segment: [first, second) in liveSegments_.
  std::pair<size_t, size_t> touching(const FinalState::Segment& segment) const {
    const SegmentColumns& rows = ledger_.segments();
    auto from =
        std::lower_bound(liveSegments_.begin(), liveSegments_.end(), segment.address,
                         [&](uint32_t row, uint64_t a) { return rows.address[row] + rows.bytes[row] <= a; });
    auto to = std::lower_bound(from, liveSegments_.end(), segment.address + segment.bytes,
                               [&](uint32_t row, uint64_t a) { return rows.address[row] < a; });
    return {static_cast<size_t>(from - liveSegments_.begin()),
            static_cast<size_t>(to - liveSegments_.begin())};
  }

  void settleSegment(const FinalState::Segment& segment) {
    const SegmentColumns& rows = ledger_.segments();
    const auto [from, to] = touching(segment);
    uint64_t reach = segment.address;
    bool isEqual = from < to && (segment.isExpandable || to - from == 1);
    for (size_t at = from; at < to && isEqual; ++at) {
      const uint32_t row = liveSegments_[at];
      isEqual = rows.address[row] == reach && (rows.isExpandable[row] != 0) == segment.isExpandable;
      reach = rows.address[row] + rows.bytes[row];
    }
    if (isEqual && reach == segment.address + segment.bytes) {
      std::fill(isSegmentKept_.begin() + static_cast<std::ptrdiff_t>(from),
                isSegmentKept_.begin() + static_cast<std::ptrdiff_t>(to), true);
      segmentRow_ = liveSegments_[from];
      isSegmentNew_ = false;
      return;
    }
    differ();
    isSegmentNew_ = true;
    segmentRow_ = ledger_.segmentBorn({segment.address, segment.bytes, segment.stack, kNone, segment.stream,
                                       segment.pool, segment.isLarge, segment.isExpandable},
                                      last_);
  }

  void settleBlocks(const FinalState::Segment& segment) {
    uint64_t reach = segment.address;
    const uint64_t end = segment.address + segment.bytes;
    for (uint32_t at = segment.firstBlock; at < segment.firstBlock + segment.blockCount; ++at) {
      const uint64_t address = final_.blockAddress[at];
      const uint64_t bytes = final_.blockBytes[at];
      const bool isSound = bytes != 0 && address >= reach && address < end && bytes <= end - address;
      const bool isMatched = isSound && settleBlock(segment, at);
      if (isSound) reach = address + bytes;
      if (isMatched) {
        ++check_.matched;
      } else {
        differ();
      }
    }
  }

  bool settleBlock(const FinalState::Segment& segment, uint32_t at) {
    if (final_.blockState[at] == BlockState::Inactive) return isFreeAsStated(at);
    BlockColumns& rows = ledger_.blocks();
    const BlockId id = recorded_.liveAt(final_.blockAddress[at]);
    const bool isThere = id != kNone && rows.bytes[recorded_.heap().block(id).tag] == final_.blockBytes[at];
    // A block ends with its segment, also where another block of the same bytes takes its place.
    if (!isThere || isSegmentNew_) {
      bear(segment, at);
      return isThere;
    }
    const uint32_t row = recorded_.heap().block(id).tag;
    isBlockKept_[row] = true;
    const bool isWaiting = final_.blockState[at] == BlockState::PendingFree;
    if (isWaiting == (rows.freeRequested[row] != kNever)) return true;
    rows.freeRequested[row] = isWaiting ? last_ : kNever;
    return false;
  }

  /// Neighbouring free blocks of the file count as one: older versions list ragged ends apart.
  bool isFreeAsStated(uint32_t at) {
    const BlockId id = recorded_.heap().blockAtOrBelow(final_.blockAddress[at]);
    if (id == kNone) return false;
    const PytorchHeap::Block& block = recorded_.heap().block(id);
    return block.use == BlockUse::Free && block.address == final_.blockAddress[at] &&
           block.bytes == final_.blockBytes[at];
  }

  void bear(const FinalState::Segment& segment, uint32_t at) {
    Ledger::Block block;
    block.address = final_.blockAddress[at];
    block.bytes = final_.blockBytes[at];
    block.requested = final_.blockRequested[at];
    block.stack = final_.blockStack[at];
    block.segment = segmentRow_;
    block.stream = segment.stream;
    block.pool = segment.pool;
    block.region = ledger_.segments().region[segmentRow_];
    const uint32_t row = ledger_.blockBorn(block, last_);
    if (final_.blockState[at] == BlockState::PendingFree) ledger_.freeRequested(row, last_);
  }

  void endTheRest() {
    BlockColumns& rows = ledger_.blocks();
    for (uint32_t row = 0; row < isBlockKept_.size(); ++row) {
      if (rows.death[row] != kNever || isBlockKept_[row]) continue;
      differ();
      ledger_.blockDied(row, last_);
    }
    for (size_t at = 0; at < liveSegments_.size(); ++at) {
      if (isSegmentKept_[at]) continue;
      differ();
      ledger_.segmentDied(liveSegments_[at], last_);
    }
  }

  const FinalState& final_;
  RecordedHeap& recorded_;
  Ledger& ledger_;
  Score& score_;
  EventIndex last_;
  FinalCheck check_;
  std::vector<uint32_t> liveSegments_;  ///< rows, by address
  std::vector<bool> isSegmentKept_;     ///< by position in liveSegments_
  std::vector<bool> isBlockKept_;       ///< by Blocks row
  uint32_t segmentRow_ = kNone;         ///< of the final segment being settled
  bool isSegmentNew_ = false;           ///< no live segment is like it
};

Region regionOf(const FinalState::Segment& segment, const Ledger& ledger) {
  return Ledger::regionOf(segment.isExpandable, ledger.isPrivate(segment.pool), segment.isLarge);
}

}  // namespace

FinalCheck settleFinalState(Device& device, RecordedHeap& recorded, Ledger& ledger, Score& score) {
  return Settlement(device, recorded, ledger, score).run();
}

void collectPossible(Device& device, const std::vector<bool>& isProven, const Ledger& ledger) {
  Extents segments, blocks;
  for (size_t row = 0; row < device.segments.count(); ++row)
    segments.add(device.segments.address[row], device.segments.bytes[row]);
  for (size_t row = 0; row < device.blocks.count(); ++row)
    blocks.add(device.blocks.address[row], device.blocks.bytes[row]);
  segments.sort();
  blocks.sort();
  const FinalState& final = device.final;
  for (size_t row = 0; row < final.segments.size(); ++row) {
    const FinalState::Segment& segment = final.segments[row];
    const bool isUntouched = !segments.touches(segment.address, segment.bytes);
    if (!isUntouched && !isProven[row]) continue;
    PossibleExtra& extra = device.possible[static_cast<size_t>(regionOf(segment, ledger))];
    if (isUntouched) {
      extra.reserved += segment.bytes;
      ++extra.segments;
    }
    for (uint32_t at = segment.firstBlock; at < segment.firstBlock + segment.blockCount; ++at) {
      if (final.blockState[at] == BlockState::Inactive) continue;
      if (blocks.touches(final.blockAddress[at], final.blockBytes[at])) continue;
      const bool isAllocated = final.blockState[at] == BlockState::Allocated;
      extra.allocated += isAllocated ? final.blockBytes[at] : 0;
      extra.active += final.blockBytes[at];
      extra.requested += final.blockRequested[at];
      ++extra.blocks;
    }
  }
}

}  // namespace strata::pytorch
