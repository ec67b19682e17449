#include "capture/final_state.h"

#include <algorithm>

namespace strata {
namespace {

/// Adds one segment's blocks to the columns and returns the sums over them.
struct BlockSums {
  uint64_t bytes = 0, allocated = 0, active = 0, requested = 0;
  bool isTiled = true;
};

BlockSums addBlocks(Machine& machine, const StagedSegment& segment, FinalState& final,
                    FinalStateOddities& oddities) {
  BlockSums sums;
  if (segment.blocks == kNone) return sums;
  Node& list = machine.heap.node(segment.blocks);
  if (list.isTaken && !list.items.empty()) {
    oddities.repeated.note(segment.byte);
    return sums;
  }
  list.isTaken = true;
  for (const Value item : list.items) {
    if (!item.is(Kind::Block)) {
      oddities.notBlocks.note(segment.byte);
      continue;
    }
    const StagedBlock& block = machine.entries.blocks[item.row()];
    const uint64_t expected = segment.address + sums.bytes;
    if (block.hasAddress && block.address != expected) sums.isTiled = false;
    final.blockAddress.push_back(block.hasAddress ? block.address : expected);
    final.blockBytes.push_back(block.bytes);
    final.blockRequested.push_back(block.requested);
    final.blockState.push_back(block.state);
    final.blockStack.push_back(block.stack);
    sums.bytes += block.bytes;
    if (block.state == BlockState::Allocated) sums.allocated += block.bytes;
    if (block.state != BlockState::Inactive) sums.active += block.bytes;
    sums.requested += block.requested;
  }
  if (sums.bytes != segment.bytes) sums.isTiled = false;
  return sums;
}

void addSegment(Machine& machine, const StagedSegment& staged, FinalState::Segment segment, FinalState& final,
                FinalStateOddities& oddities) {
  segment.address = staged.address;
  segment.bytes = staged.bytes;
  segment.allocated = staged.allocated;
  segment.active = staged.active;
  segment.stack = staged.stack;
  segment.isLarge = staged.isLarge;
  segment.isExpandable = staged.isExpandable;
  segment.firstBlock = static_cast<uint32_t>(final.blockAddress.size());
  const BlockSums sums = addBlocks(machine, staged, final, oddities);
  segment.blockCount = static_cast<uint32_t>(final.blockAddress.size()) - segment.firstBlock;
  segment.requested = staged.hasRequested ? staged.requested : sums.requested;
  if (!sums.isTiled) oddities.gaps.note(staged.byte);
  const bool isAgreed = sums.allocated == segment.allocated && sums.active == segment.active &&
                        sums.requested == segment.requested;
  if (!isAgreed) oddities.sums.note(staged.byte);
  if (!final.segments.empty()) {
    const FinalState::Segment& before = final.segments.back();
    if (before.address + before.bytes > segment.address) oddities.overlaps.note(staged.byte);
  }
  final.segments.push_back(segment);
  ++oddities.segments;
}

}  // namespace

void fillFinalState(Machine& machine, std::span<const uint32_t> rows, Dictionary<uint64_t>& streams,
                    Dictionary<std::pair<int64_t, int64_t>>& pools, FinalState& final,
                    FinalStateOddities& oddities) {
  const std::vector<StagedSegment>& staged = machine.entries.segments;
  std::vector<uint32_t> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](uint32_t a, uint32_t b) { return staged[a].address < staged[b].address; });
  for (const uint32_t row : sorted) {
    if (staged[row].address + staged[row].bytes < staged[row].address) {
      oddities.beyond.note(staged[row].byte);
      continue;
    }
    FinalState::Segment segment;
    segment.stream = streams.rowOf(staged[row].stream);
    segment.pool = pools.rowOf(staged[row].pool);
    addSegment(machine, staged[row], segment, final, oddities);
  }
}

}  // namespace strata
