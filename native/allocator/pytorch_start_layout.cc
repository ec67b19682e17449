#include <algorithm>

#include "allocator/pytorch_undo.h"

namespace strata::pytorch {
namespace {

/// A stretch of memory without holes: a segment, or touching pieces of one range.
struct Run {
  uint64_t address = 0;
  uint64_t end = 0;
  bool isLarge = false;
  bool isExpandable = false;
};

bool isSameRange(const StartSegment& a, const StartSegment& b) {
  return a.isExpandable && b.isExpandable && a.address + a.bytes == b.address && a.stream == b.stream &&
         a.pool == b.pool && a.isLarge == b.isLarge;
}

void sortSegments(StartLayout& start) {
  std::sort(start.segments.begin(), start.segments.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  std::vector<StartSegment> kept;
  kept.reserve(start.segments.size());
  for (const StartSegment& segment : start.segments) {
    const bool isOverlapping = !kept.empty() && kept.back().address + kept.back().bytes > segment.address;
    if (segment.bytes == 0 || isOverlapping) {
      start.contradict(0);
    } else {
      kept.push_back(segment);
    }
  }
  start.segments = std::move(kept);
}

/// A segment whose class only its size suggests takes the class of the blocks that lie in it.
void settleClasses(StartLayout& start, const PytorchConfig& config) {
  size_t at = 0;
  for (StartSegment& segment : start.segments) {
    while (at < start.blocks.size() && start.blocks[at].address < segment.address) ++at;
    if (segment.isClassKnown) continue;
    if (at < start.blocks.size() && start.blocks[at].address < segment.address + segment.bytes) {
      segment.isLarge = isLargeRequest(roundRequest(start.blocks[at].requested, config));
      segment.isClassKnown = true;
    }
  }
}

std::vector<Run> runsOf(const std::vector<StartSegment>& segments) {
  std::vector<Run> runs;
  for (size_t at = 0; at < segments.size(); ++at) {
    const StartSegment& segment = segments[at];
    if (at > 0 && isSameRange(segments[at - 1], segment)) {
      runs.back().end = segment.address + segment.bytes;
    } else {
      runs.push_back(
          {segment.address, segment.address + segment.bytes, segment.isLarge, segment.isExpandable});
    }
  }
  return runs;
}

/// Gives a block that has `room` bytes, up to the next block or the end of its run, its exact size, or the
/// smallest it can have and the slack above that.
void settleSize(StartBlock& block, uint64_t room, const Run* run, const PytorchConfig& config) {
  if (block.bytes != 0) {
    block.bytes = std::min(block.bytes, room);
    return;
  }
  const uint64_t rounded = roundRequest(block.requested, config);
  const bool isWhole = config.isNeverSplit && run != nullptr;
  block.bytes = isWhole ? room : std::min(rounded, room);
  const bool isRoundedExact = run == nullptr || !run->isLarge || run->isExpandable || config.isExpandable;
  if (isRoundedExact || isWhole || config.requestPadding != 0) return;
  const uint64_t gap = room - block.bytes;
  if (gap <= mostWaste(rounded, config)) {
    block.bytes = room;
  } else {
    block.slack = std::min(mostWaste(rounded, config), gap - kSmallRequest - kUnit);
  }
}

}  // namespace

uint64_t mostWaste(uint64_t rounded, const PytorchConfig& config) {
  if (rounded < config.maxSplitSize) return kSmallRequest;
  return std::max(kSmallRequest, config.maxNonSplitRounding - 1);
}

void layOut(StartLayout& start, const PytorchConfig& config) {
  std::sort(start.blocks.begin(), start.blocks.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  sortSegments(start);
  settleClasses(start, config);
  const std::vector<Run> runs = runsOf(start.segments);
  std::vector<StartBlock> kept;
  kept.reserve(start.blocks.size());
  size_t runAt = 0;
  for (size_t at = 0; at < start.blocks.size(); ++at) {
    StartBlock block = start.blocks[at];
    while (runAt < runs.size() && runs[runAt].end <= block.address) ++runAt;
    const bool isInside = runAt < runs.size() && runs[runAt].address <= block.address;
    uint64_t end = PytorchConfig::kUnlimited;
    if (runAt < runs.size()) end = isInside ? runs[runAt].end : runs[runAt].address;
    if (at + 1 < start.blocks.size()) end = std::min(end, start.blocks[at + 1].address);
    const uint64_t room = end - block.address;
    const uint64_t least = block.finalBlock != kNone ? block.bytes : roundRequest(block.requested, config);
    if (least > room) start.contradict(0);
    settleSize(block, room, isInside ? &runs[runAt] : nullptr, config);
    if (block.bytes != 0) kept.push_back(block);
  }
  start.blocks = std::move(kept);
}

}  // namespace strata::pytorch
