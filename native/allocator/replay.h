#pragma once

#include <vector>

#include "allocator/allocator.h"
#include "allocator/request_trace.h"
#include "trace/progress.h"

namespace strata {

/// One operation and what became of it.
struct ReplayStep {
  size_t index = 0;
  const RequestTrace::Operation& operation;
  Placement placement;   ///< of an allocation
  ControlResult result;  ///< of a control
};

/// Sees every step of a replay, after it happened.
class ReplayObserver {
 public:
  virtual ~ReplayObserver() = default;
  virtual void onStep(const ReplayStep& step) = 0;
};

struct ReplayTotals {
  uint64_t operations = 0;
  uint64_t requests = 0;
  uint64_t refused = 0;       ///< out of memory
  int64_t firstRefused = -1;  ///< operation index
  uint64_t firstRefusedBytes = 0;
};

/// One pass over a trace, step by step, in order.
class Replay {
 public:
  Replay(const RequestTrace& trace, Allocator& allocator, ReplayObserver* observer);

  void step(size_t index);
  /// The request was served already, before the first step.
  void adopt(uint32_t request, BlockHandle block) { blocks_[request] = block; }
  const ReplayTotals& totals() const { return totals_; }

 private:
  void count(const ReplayStep& step);

  const RequestTrace& trace_;
  Allocator& allocator_;
  ReplayObserver* observer_;
  std::vector<BlockHandle> blocks_;  ///< by request
  ReplayTotals totals_;
};

/// Drives a started allocator with the requests of a trace. Frees and streams of requests that were refused
/// are skipped. Without an observer nothing but the allocator itself costs time.
/// Errors: Cancelled.
ReplayTotals replay(const RequestTrace& trace, Allocator& allocator, ReplayObserver* observer,
                    const Progress& progress);

}  // namespace strata
