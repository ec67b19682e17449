#pragma once

#include <vector>

#include "analysis/axis.h"
#include "analysis/changes.h"
#include "analysis/checkpoints.h"
#include "analysis/index.h"
#include "analysis/sites.h"

namespace strata {

/// The live blocks at any moment as a stack ordered by site, then age; small blocks summed up for each site.
///
///   keyframes   every 192 events or more: bytes and blocks of each site, and the blocks that are at least
///               1/1024 of what is active there
///   a moment    the keyframe before it, then the births and deaths between (a Cursor)
///   a column    the big ones still alive as runs, the rest of each site as one run on top of them
///
/// Nearly all windows are drawn from keyframes. Only where a window is so small and so low that blocks below
/// the keyframe's 1/1024 would be seen, the cursor starts from a checkpoint, which knows every block.
/// At most 20 bytes an event. Query: O(columns * (runs + events between keyframes)).
class LivePicture {
 public:
  /// More rows than this are not told apart.
  static constexpr uint64_t kFinestRows = 1024;

  /// Everything passed must outlive it. O(events + keyframes * runs).
  LivePicture(const Device& device, const Changes& changes, const Checkpoints& blocks,
              const RankedSites& sites);

  /// One column for each peak, which come in order of time (the same moment may repeat).
  LiveWindow window(const std::vector<PeakPoint>& columns, uint32_t pixelRows) const;
  size_t bytes() const;

 private:
  struct SiteSum {
    uint64_t bytes = 0;
    uint32_t blocks = 0;
    uint32_t listed = 0;  ///< in a keyframe: how many of its blocks are listed
  };
  /// What a stack needs to know of a listed block, kept together so that a column reads one place.
  struct Big {
    uint64_t bytes;
    uint32_t block;
    EventIndex death;
  };
  struct Keyframe {
    EventIndex event;
    uint64_t smallest;  ///< bytes from which on blocks are listed
    size_t firstBlock;
  };
  class Cursor;

  size_t keyframeBefore(EventIndex event) const;

  const Device& device_;
  const Changes& changes_;
  const Checkpoints& blocks_;
  const RankedSites& sites_;
  std::vector<Keyframe> keyframes_;
  std::vector<SiteSum> sums_;  ///< [keyframe][site rank]
  std::vector<Big> listed_;    ///< by site rank and row in each keyframe
};

}  // namespace strata
