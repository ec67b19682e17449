#pragma once

#include <vector>

#include "analysis/call_site.h"
#include "analysis/index.h"

namespace strata {

/// The call sites that have a rank, and so a colour, of their own: rank 0 is "before recording", then up to
/// seven with the most bytes live at the peak of active, then "other" for all the rest.
class RankedSites {
 public:
  static constexpr size_t kMost = 9;

  /// liveAtPeak: Blocks rows. before: the list of a shorter version of the same trace, whose sites keep their
  /// ranks as far as they still have one.
  RankedSites(const CallSites& sites, const BlockColumns& blocks, const std::vector<uint32_t>& liveAtPeak,
              const std::vector<Site>& before = {});

  const std::vector<Site>& list() const { return list_; }
  uint8_t rankOfBlock(uint32_t block) const { return rankOfBlock_[block]; }
  uint8_t other() const { return static_cast<uint8_t>(list_.size() - 1); }
  /// The rank of a call site; other() when it has none of its own.
  uint8_t rankOfSite(uint32_t site) const { return rankOfSite_[site]; }
  size_t bytes() const {
    return rankOfBlock_.capacity() + rankOfSite_.capacity() + list_.capacity() * sizeof(Site);
  }

 private:
  std::vector<Site> list_;
  std::vector<uint8_t> rankOfSite_;
  std::vector<uint8_t> rankOfBlock_;
};

}  // namespace strata
