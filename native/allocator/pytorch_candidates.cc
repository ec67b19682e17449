#include "allocator/candidates.h"
#include "allocator/pytorch_allocator.h"

namespace strata {

/// Why each free block would not be taken for a request, for those who ask. The search itself looks at one
/// stream of one pool and takes the smallest that is large enough.
void PytorchAllocator::considerCandidates(const Request& request) const {
  using Reason = Decision::Reason;
  const uint64_t pool = poolIds_[request.pool];
  const bool isLarge = heap_.pool(request.pool).isLarge;
  const auto verdict = [&](const LayoutSegment& segment, const LayoutBlock& block) {
    if (segment.pool != pool || segment.isLarge != isLarge) return Reason::OtherPool;
    if (segment.stream != request.stream) return Reason::OtherStream;
    if (block.bytes < request.rounded) return Reason::TooSmall;
    if (pytorch::mayServe(block.bytes, request.rounded, heap_.config())) return Reason::Fits;
    return request.rounded < heap_.config().maxSplitSize ? Reason::AboveSplitLimit : Reason::RestTooLarge;
  };
  considerFree(layout(), request.rounded, verdict, *decisions_);
}

}  // namespace strata
