#include "allocator/layout.h"

#include <algorithm>

namespace strata {
namespace {

void sortByAddress(std::vector<LayoutBlock>& blocks) {
  std::sort(blocks.begin(), blocks.end(),
            [](const LayoutBlock& a, const LayoutBlock& b) { return a.address < b.address; });
}

}  // namespace

Layout subdivided(const Layout& upstream, std::vector<LayoutBlock> pieces) {
  sortByAddress(pieces);
  Layout result;
  size_t piece = 0;
  for (LayoutSegment segment : upstream.segments) {
    const uint32_t begin = segment.firstBlock;
    const uint32_t end = begin + segment.blockCount;
    segment.firstBlock = static_cast<uint32_t>(result.blocks.size());
    for (uint32_t at = begin; at < end; ++at) {
      const LayoutBlock& whole = upstream.blocks[at];
      const uint64_t limit = whole.address + whole.bytes;
      bool isCut = false;
      for (; piece < pieces.size() && pieces[piece].address < limit; ++piece) {
        result.blocks.push_back(pieces[piece]);
        isCut = true;
      }
      if (!isCut) result.blocks.push_back(whole);
    }
    segment.blockCount = static_cast<uint32_t>(result.blocks.size()) - segment.firstBlock;
    result.segments.push_back(segment);
  }
  return result;
}

Layout layoutOfSingles(std::vector<LayoutBlock> blocks) {
  sortByAddress(blocks);
  Layout result;
  for (uint32_t i = 0; i < blocks.size(); ++i)
    result.segments.push_back(
        {.address = blocks[i].address, .bytes = blocks[i].bytes, .firstBlock = i, .blockCount = 1});
  result.blocks = std::move(blocks);
  return result;
}

}  // namespace strata
