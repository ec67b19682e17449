#pragma once

#include "analysis/call_site.h"
#include "analysis/checkpoints.h"
#include "analysis/index.h"
#include "analysis/sites.h"

namespace strata {

/// Answers what there is at one moment, from the checkpoints of blocks and segments.
/// Pieces of one expandable range that touch are one segment here.
class Moments {
 public:
  /// Everything passed must outlive it.
  Moments(const Device& device, const CallSites& callSites, const RankedSites& sites,
          const Checkpoints& blocks, const Checkpoints& segments)
      : device_(device), callSites_(callSites), sites_(sites), blocks_(blocks), segments_(segments) {}

  /// Blocks outside every segment (a recording that contradicts itself) are left out.
  State stateAt(EventIndex event) const;
  Hit hit(EventIndex event, uint64_t address) const;
  Moment moment(EventIndex event) const;

 private:
  std::vector<State::Segment> runsAt(EventIndex event) const;
  std::vector<SiteShare> sharesOf(const std::vector<uint32_t>& blocks) const;

  const Device& device_;
  const CallSites& callSites_;
  const RankedSites& sites_;
  const Checkpoints& blocks_;
  const Checkpoints& segments_;
};

}  // namespace strata
