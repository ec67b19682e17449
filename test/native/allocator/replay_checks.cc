#include "allocator/replay_checks.h"

#include <algorithm>

namespace strata::test {
namespace {

std::string at(uint64_t address) { return " at " + std::to_string(address - DeviceModel::kBase); }

std::string brokenTiling(const Layout& layout, const LayoutSegment& segment) {
  uint64_t next = segment.address;
  for (uint32_t i = 0; i < segment.blockCount; ++i) {
    const LayoutBlock& block = layout.blocks[segment.firstBlock + i];
    if (block.address != next) return "a gap or an overlap" + at(block.address);
    if (block.bytes == 0) return "an empty block" + at(block.address);
    if (block.requested > block.bytes) return "a request larger than its block" + at(block.address);
    next += block.bytes;
  }
  // RMM keeps the size it asked for; the driver layer below rounds it up to 16 bytes.
  const uint64_t end = segment.address + segment.bytes;
  return next <= end && end - next < 16 ? "" : "blocks that do not fill the segment" + at(segment.address);
}

}  // namespace

std::string brokenRule(const Allocator& allocator) {
  const Layout layout = allocator.layout();
  uint64_t end = 0;
  for (const LayoutSegment& segment : layout.segments) {
    if (segment.address < end) return "overlapping segments" + at(segment.address);
    end = segment.address + segment.bytes;
    const std::string broken = brokenTiling(layout, segment);
    if (!broken.empty()) return broken;
  }
  uint64_t live = 0, largestFree = 0;
  for (const LayoutBlock& block : layout.blocks) {
    if (block.state == BlockState::Allocated) live += block.bytes;
    if (block.state == BlockState::Inactive) largestFree = std::max(largestFree, block.bytes);
  }
  const Usage usage = allocator.usage();
  if (live != usage.allocated) return "live blocks that do not add up to what is allocated";
  if (usage.largestFree != largestFree) return "a largest free block that is not the largest";
  if (usage.peakAllocated < usage.allocated) return "a peak below the present";
  return "";
}

}  // namespace strata::test
