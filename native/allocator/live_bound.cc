#include "allocator/live_bound.h"

namespace strata {
namespace {

using Operation = RequestTrace::Operation;

/// A sum of up to 2^32 requests, which need not fit into 64 bits.
class Sum {
 public:
  void add(uint64_t bytes) {
    low_ += bytes;
    if (low_ < bytes) ++high_;
  }
  void subtract(uint64_t bytes) {
    if (low_ < bytes) --high_;
    low_ -= bytes;
  }
  bool operator<(const Sum& other) const {
    return high_ < other.high_ || (high_ == other.high_ && low_ < other.low_);
  }
  uint64_t saturated() const { return high_ > 0 ? std::numeric_limits<uint64_t>::max() : low_; }

 private:
  uint64_t high_ = 0, low_ = 0;
};

}  // namespace

LiveBound liveBound(const RequestTrace& trace) {
  std::vector<uint64_t> live(trace.ids.size(), 0);
  Sum sum, peak;
  LiveBound bound;
  for (size_t index = 0; index < trace.operations.size(); ++index) {
    const Operation& operation = trace.operations[index];
    if (operation.kind == Operation::Kind::Free) {
      sum.subtract(live[operation.request]);
      live[operation.request] = 0;
    }
    if (operation.kind != Operation::Kind::Allocate || operation.bytes > kLargestRequest) continue;
    live[operation.request] = operation.bytes;
    sum.add(operation.bytes);
    if (!(peak < sum)) continue;
    peak = sum;
    bound.operation = static_cast<int64_t>(index);
  }
  bound.bytes = peak.saturated();
  return bound;
}

}  // namespace strata
