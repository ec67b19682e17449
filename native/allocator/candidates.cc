#include "allocator/candidates.h"

#include <algorithm>
#include <map>
#include <vector>

namespace strata {
namespace {

/// Of one reason; a list that no one reads to its end explains nothing.
constexpr size_t kMostOfOneReason = 8;

}  // namespace

void considerFree(const Layout& layout, uint64_t rounded, const Verdict& verdict, DecisionSink& sink) {
  std::map<Decision::Reason, std::vector<const LayoutBlock*>> passed;
  for (const LayoutSegment& segment : layout.segments) {
    for (uint32_t i = 0; i < segment.blockCount; ++i) {
      const LayoutBlock& block = layout.blocks[segment.firstBlock + i];
      if (block.state != BlockState::Inactive) continue;
      const Decision::Reason reason = verdict(segment, block);
      if (reason != Decision::Reason::Fits) passed[reason].push_back(&block);
    }
  }
  if (passed.empty()) sink.onDecision({Decision::Step::Consider, Decision::Reason::NothingFree, 0, rounded});
  for (auto& [reason, blocks] : passed) {
    std::sort(blocks.begin(), blocks.end(), [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
    // Too small: the largest came closest. For any other reason: the smallest that would have been enough.
    const auto enough = std::find_if(blocks.begin(), blocks.end(),
                                     [&](const auto* block) { return block->bytes >= rounded; });
    const size_t fitting = static_cast<size_t>(enough - blocks.begin());
    const size_t from =
        enough == blocks.end() ? blocks.size() - std::min(blocks.size(), kMostOfOneReason) : fitting;
    for (size_t at = from; at < std::min(blocks.size(), from + kMostOfOneReason); ++at)
      sink.onDecision({Decision::Step::Consider, reason, blocks[at]->address, blocks[at]->bytes});
  }
}

void considerBySize(const Layout& layout, uint64_t rounded, DecisionSink& sink) {
  const auto bySize = [rounded](const LayoutSegment&, const LayoutBlock& block) {
    return block.bytes < rounded ? Decision::Reason::TooSmall : Decision::Reason::Fits;
  };
  considerFree(layout, rounded, bySize, sink);
}

}  // namespace strata
