#include "analysis/sites.h"

#include <algorithm>

namespace strata {
namespace {

/// Sites that had a rank before get it again, the others take what is left, in order.
void keepRanks(std::vector<uint32_t>& order, const CallSites& sites, const std::vector<Site>& before) {
  std::vector<uint32_t> kept(order.size(), kNone), others;
  for (const uint32_t site : order) {
    const auto isSame = [&](const Site& known) {
      return known.name == sites.at(site).name && known.function == sites.at(site).function;
    };
    const auto found = std::find_if(before.begin(), before.end(), isSame);
    const size_t rank = static_cast<size_t>(found - before.begin()) - 1;  // rank 0 is "before recording"
    const bool isFree = found != before.end() && rank < kept.size() && kept[rank] == kNone;
    isFree ? void(kept[rank] = site) : others.push_back(site);
  }
  auto next = others.begin();
  for (uint32_t& site : kept) {
    if (site == kNone) site = *next++;
  }
  order = std::move(kept);
}

}  // namespace

RankedSites::RankedSites(const CallSites& sites, const BlockColumns& blocks,
                         const std::vector<uint32_t>& liveAtPeak, const std::vector<Site>& before) {
  std::vector<uint64_t> bytesAtPeak(sites.count());
  uint64_t rest = 0;
  for (const uint32_t block : liveAtPeak) {
    bytesAtPeak[sites.ofBlock(blocks, block)] += blocks.bytes[block];
    rest += blocks.bytes[block];
  }
  std::vector<uint32_t> order;
  for (uint32_t site = 0; site < sites.count(); ++site) {
    if (site != CallSites::kBeforeRecording && bytesAtPeak[site] > 0) order.push_back(site);
  }
  const size_t ranked = std::min(order.size(), kMost - 2);
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(ranked), order.end(),
                    [&](uint32_t a, uint32_t b) {
                      return bytesAtPeak[a] != bytesAtPeak[b] ? bytesAtPeak[a] > bytesAtPeak[b] : a < b;
                    });
  order.resize(ranked);
  if (!before.empty()) keepRanks(order, sites, before);
  order.insert(order.begin(), CallSites::kBeforeRecording);

  rankOfSite_.assign(sites.count(), static_cast<uint8_t>(order.size()));
  for (const uint32_t site : order) {
    rankOfSite_[site] = static_cast<uint8_t>(list_.size());
    rest -= bytesAtPeak[site];
    list_.push_back({sites.at(site).name, sites.at(site).function, sites.at(site).kind, bytesAtPeak[site]});
  }
  list_.push_back({"other", "", "other", rest});

  rankOfBlock_.reserve(blocks.count());
  for (uint32_t block = 0; block < blocks.count(); ++block) {
    rankOfBlock_.push_back(rankOfSite_[sites.ofBlock(blocks, block)]);
  }
}

}  // namespace strata
