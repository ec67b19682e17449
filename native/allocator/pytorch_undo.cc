#include "allocator/pytorch_undo.h"

#include <algorithm>

#include "allocator/pytorch_address_map.h"
#include "allocator/pytorch_mapped_pieces.h"
#include "allocator/pytorch_ordered_set.h"

namespace strata::pytorch {
namespace {

constexpr uint64_t kTickEvery = uint64_t{1} << 16;

/// Records of what is alive, found by address.
template <typename Record>
class Living {
 public:
  Record* find(uint64_t address) {
    const uint32_t row = rows_.find(address);
    return row == kNone ? nullptr : &records_[row];
  }
  void put(const Record& record) {
    uint32_t row = rows_.find(record.address);
    if (row != kNone) {
      records_[row] = record;
      return;
    }
    if (spare_.empty()) {
      row = static_cast<uint32_t>(records_.size());
      records_.push_back(record);
    } else {
      row = spare_.back();
      spare_.pop_back();
      records_[row] = record;
    }
    rows_.set(record.address, row);
  }
  /// Removes and answers a record; its address is 0 and `isFound` false when there is none.
  bool take(uint64_t address, Record& record) {
    const uint32_t row = rows_.take(address);
    if (row == kNone) return false;
    record = records_[row];
    spare_.push_back(row);
    return true;
  }
  std::vector<Record> all() const {
    std::vector<Record> result;
    result.reserve(rows_.size());
    rows_.forEach([&](uint64_t, uint32_t row) { result.push_back(records_[row]); });
    return result;
  }

 private:
  AddressMap rows_;
  std::vector<Record> records_;
  std::vector<uint32_t> spare_;
};

/// A segment with the final row it turned into.
struct LivingSegment : StartSegment {
  uint32_t finalSegment = kNone;
};

bool isPossible(uint64_t address, uint64_t bytes) {
  return bytes < kLargestSize && address < PytorchConfig::kUnlimited - 2 * kLargestSize;
}

StartSegment segmentOfFinal(const FinalState::Segment& segment) {
  return {segment.address, segment.bytes,   segment.stack,        segment.stream,
          segment.pool,    segment.isLarge, segment.isExpandable, true};
}

/// A segment known from an event only: 2 MiB ones are small as far as the size tells.
StartSegment segmentOfEvent(const EventColumns& events, size_t at, bool isExpandable,
                            const PytorchConfig& config) {
  StartSegment segment{events.address[at], events.size[at], kNone, events.stream[at], events.pool[at]};
  segment.isExpandable = isExpandable;
  segment.isLarge =
      isExpandable ? segment.bytes % config.largeSegmentSize == 0 : segment.bytes > kSmallSegment;
  segment.isClassKnown = false;
  return segment;
}

StartBlock blockOfFree(const EventColumns& events, size_t at, bool isWaiting) {
  StartBlock block;
  block.address = events.address[at];
  block.requested = events.size[at];
  block.isWaiting = isWaiting;
  return block;
}

/// The large blocks that are alive at one moment, by address, to see how close each ever had a neighbour.
///
/// A block taken whole keeps up to 1 MiB more than its rounded request, and while the memory behind it is
/// free nothing tells how much. A neighbour closer than 1 MiB, at any moment of its life, does: no free block
/// is that small, so what lies between belongs to the block in front.
class Neighbours {
 public:
  explicit Neighbours(const PytorchConfig& config) : config_(config) {}

  void add(const StartBlock& block, Living<StartBlock>& blocks) {
    if (const auto* before = order_.lastAtOrBelow({0, block.address}))
      settle(*blocks.find(before->key.low), block.address);
    const auto after = order_.lowerBound({0, block.address});
    if (!order_.isEnd(after)) settle(*blocks.find(block.address), order_.at(after).key.low);
    order_.insert({0, block.address}, 0);
  }
  void remove(uint64_t address) { order_.erase({0, address}); }

 private:
  void settle(StartBlock& block, uint64_t neighbour) {
    if (block.bytes != 0) return;
    const uint64_t rounded = roundRequest(block.requested, config_);
    const uint64_t room = neighbour - block.address;
    if (room >= rounded && room - rounded <= mostWaste(rounded, config_)) block.bytes = room;
  }

  const PytorchConfig& config_;
  OrderedSet order_;  ///< (0, address)
};

/// Runs the events of one device backwards.
class Undo {
 public:
  Undo(Device& device, const PytorchConfig& config)
      : events_(device.events),
        final_(device.final),
        config_(config),
        kinds_(freeKindsOf(device.events)),
        hasLeftovers_(!config.isExpandable && config.requestPadding == 0),
        neighbours_(config) {
    for (size_t row = 0; row < final_.segments.size(); ++row) addFinalSegment(static_cast<uint32_t>(row));
  }

  StartLayout run(const Tick& tick) {
    for (size_t at = events_.count(); at-- > 0;) {
      if (at % kTickEvery == 0) tick(events_.count() - at);
      if (!isPossible(events_.address[at], events_.size[at])) continue;
      undo(at);
    }
    tick(events_.count());
    start_.blocks = blocks_.all();
    for (const LivingSegment& segment : segments_.all()) start_.segments.push_back(segment);
    const std::vector<StartSegment> pieces = pieces_.all();
    start_.segments.insert(start_.segments.end(), pieces.begin(), pieces.end());
    start_.rangeBases = bases_.all();
    return std::move(start_);
  }

 private:
  void addFinalSegment(uint32_t row) {
    const FinalState::Segment& segment = final_.segments[row];
    if (!isPossible(segment.address, segment.bytes)) return;
    if (segment.isExpandable) {
      pieces_.add(segmentOfFinal(segment));
      bases_.mapped(segmentOfFinal(segment));
    } else {
      segments_.put({segmentOfFinal(segment), row});
    }
    for (uint32_t at = segment.firstBlock; at < segment.firstBlock + segment.blockCount; ++at) {
      if (final_.blockState[at] == BlockState::Inactive) continue;
      put({final_.blockAddress[at], final_.blockBytes[at], final_.blockRequested[at], final_.blockStack[at],
           at, final_.blockState[at] == BlockState::PendingFree});
    }
  }

  void undo(size_t at) {
    switch (events_.action[at]) {
      case Action::Alloc:
        return undoAlloc(at);
      case Action::FreeRequested:
        return undoFreeRequested(at);
      case Action::FreeCompleted:
        return undoFreeCompleted(at);
      case Action::SegmentAlloc:
        return undoSegmentAlloc(at);
      case Action::SegmentFree:
        if (segments_.find(events_.address[at]) != nullptr) contradict(at);
        return segments_.put({segmentOfEvent(events_, at, false, config_), kNone});
      case Action::SegmentMap:
        return undoMap(at);
      case Action::SegmentUnmap:
        return undoUnmap(at);
      default:
        return;
    }
  }

  void undoMap(size_t at) {
    StartSegment piece;
    if (pieces_.remove(events_.address[at], events_.size[at], &piece) != events_.size[at]) contradict(at);
    piece.address = events_.address[at];
    piece.bytes = events_.size[at];
    piece.isLarge = piece.bytes > kSmallSegment;
    bases_.unmapped(piece);
  }

  void undoUnmap(size_t at) {
    StartSegment piece = segmentOfEvent(events_, at, true, config_);
    const StartSegment* neighbour = pieces_.neighbour(piece.address, piece.bytes);
    if (neighbour != nullptr && neighbour->stream == piece.stream) {
      piece.isLarge = neighbour->isLarge;
      piece.pool = neighbour->pool;
      piece.isClassKnown = neighbour->isClassKnown;
    }
    pieces_.add(piece);
    bases_.mapped(piece);
  }

  void undoAlloc(size_t at) {
    StartBlock block;
    if (!blocks_.take(events_.address[at], block)) return contradict(at);
    if (isWatched(block)) neighbours_.remove(block.address);
    events_.row[at] = block.finalBlock;
  }

  /// Only blocks of ordinary large segments can be larger than their rounded request.
  bool isWatched(const StartBlock& block) const {
    return hasLeftovers_ && isLargeRequest(roundRequest(block.requested, config_));
  }

  void put(const StartBlock& block) {
    if (const StartBlock* old = blocks_.find(block.address); old != nullptr && isWatched(*old))
      neighbours_.remove(block.address);
    blocks_.put(block);
    if (isWatched(block)) neighbours_.add(block, blocks_);
  }

  void undoFreeRequested(size_t at) {
    StartBlock* block = blocks_.find(events_.address[at]);
    if (block != nullptr) {
      block->isWaiting = false;
      return;
    }
    if (kinds_.hasCompleted) contradict(at);
    put(blockOfFree(events_, at, false));
  }

  void undoFreeCompleted(size_t at) {
    if (blocks_.find(events_.address[at]) != nullptr) contradict(at);
    put(blockOfFree(events_, at, kinds_.hasRequested));
  }

  void undoSegmentAlloc(size_t at) {
    LivingSegment segment;
    if (!segments_.take(events_.address[at], segment)) return contradict(at);
    if (segment.bytes != events_.size[at]) contradict(at);
    events_.row[at] = segment.finalSegment;
  }

  void contradict(size_t at) { start_.contradict(static_cast<EventIndex>(at)); }

  EventColumns& events_;
  const FinalState& final_;
  const PytorchConfig& config_;
  FreeKinds kinds_;
  bool hasLeftovers_;
  Neighbours neighbours_;
  Living<StartBlock> blocks_;
  Living<LivingSegment> segments_;
  MappedPieces pieces_;
  RangeBases bases_;
  StartLayout start_;
};

/// Runs the events of a cut-off device forwards and collects what they take for granted.
class Proof {
 public:
  Proof(Device& device, const PytorchConfig& config, std::vector<bool>& isProven)
      : events_(device.events),
        final_(device.final),
        config_(config),
        kinds_(freeKindsOf(device.events)),
        isProven_(isProven) {
    isProven_.assign(final_.segments.size(), false);
  }

  StartLayout run(const Tick& tick) {
    for (size_t at = 0; at < events_.count(); ++at) {
      if (at % kTickEvery == 0) tick(at);
      if (isPossible(events_.address[at], events_.size[at])) consider(at);
    }
    tick(events_.count());
    addProvenFinalSegments();
    return std::move(start_);
  }

 private:
  void consider(size_t at) {
    const uint64_t address = events_.address[at];
    switch (events_.action[at]) {
      case Action::Alloc:
        open_.set(address, 0);
        return considerPlace(address);
      case Action::FreeRequested:
      case Action::FreeCompleted:
        return considerFree(at);
      case Action::SegmentAlloc:
        return madeSegments_.set(address, 0);
      case Action::SegmentFree:
        if (madeSegments_.take(address) == kNone)
          start_.segments.push_back(segmentOfEvent(events_, at, false, config_));
        return goneSegments_.set(address, 0);
      case Action::SegmentMap:
        return mapped_.add({address, events_.size[at]});
      case Action::SegmentUnmap:
        if (mapped_.remove(address, events_.size[at]) == 0)
          start_.segments.push_back(segmentOfEvent(events_, at, true, config_));
        return;
      default:
        return;
    }
  }

  void considerFree(size_t at) {
    const uint64_t address = events_.address[at];
    const bool isCompleted = events_.action[at] == Action::FreeCompleted;
    if (open_.find(address) != kNone) {
      if (isCompleted) open_.take(address);
      return;
    }
    start_.blocks.push_back(blockOfFree(events_, at, isCompleted && kinds_.hasRequested));
    if (!isCompleted) open_.set(address, 0);
    considerPlace(address);
  }

  /// A block at this address needs a segment; a final one around it that no event touched was there already.
  void considerPlace(uint64_t address) {
    const auto above = std::upper_bound(final_.segments.begin(), final_.segments.end(), address,
                                        [](uint64_t a, const auto& segment) { return a < segment.address; });
    if (above == final_.segments.begin()) return;
    const auto segment = std::prev(above);
    if (address - segment->address >= segment->bytes) return;
    if (madeSegments_.find(segment->address) != kNone || goneSegments_.find(segment->address) != kNone)
      return;
    isProven_[static_cast<size_t>(segment - final_.segments.begin())] = true;
  }

  void addProvenFinalSegments() {
    for (size_t row = 0; row < final_.segments.size(); ++row) {
      const FinalState::Segment& segment = final_.segments[row];
      if (!isPossible(segment.address, segment.bytes) || mapped_.remove(segment.address, segment.bytes) != 0)
        isProven_[row] = false;
      if (isProven_[row]) start_.segments.push_back(segmentOfFinal(segment));
    }
  }

  EventColumns& events_;
  const FinalState& final_;
  const PytorchConfig& config_;
  FreeKinds kinds_;
  std::vector<bool>& isProven_;
  AddressMap open_;
  AddressMap madeSegments_;
  AddressMap goneSegments_;
  MappedPieces mapped_;
  StartLayout start_;
};

}  // namespace

FreeKinds freeKindsOf(const EventColumns& events) {
  constexpr uint64_t kMany = 16;
  uint64_t requested = 0, completed = 0;
  for (const Action action : events.action) {
    requested += action == Action::FreeRequested ? 1 : 0;
    completed += action == Action::FreeCompleted ? 1 : 0;
  }
  return {requested > 0 || completed<kMany, completed> 0 || requested < kMany};
}

StartLayout undoEvents(Device& device, const PytorchConfig& config, const Tick& tick) {
  return Undo(device, config).run(tick);
}

StartLayout provenStart(Device& device, const PytorchConfig& config, std::vector<bool>& isProven,
                        const Tick& tick) {
  return Proof(device, config, isProven).run(tick);
}

}  // namespace strata::pytorch
