#pragma once

#include "allocator/what_if/device.h"
#include "allocator/what_if/run.h"

namespace strata::what_if {

/// Measures a run as it goes: one look at the allocator's totals after each operation that can change them.
class Meter final : public ReplayObserver {
 public:
  Meter(const Recording& recording, const Allocator& allocator, const RunDevice& device,
        const RunOptions& options);

  /// Blocks from before the first operation were adopted.
  void start();
  void onStep(const ReplayStep& step) override;
  RunSummary finish();

  /// Placements compared with the recording, when that makes sense.
  void compare() { summary_.reproduces.emplace(); }
  std::optional<Reproduction>& reproduction() { return summary_.reproduces; }
  /// Bytes of blocks that were freed by the program and wait for a stream.
  uint64_t waiting() const { return waiting_; }

 private:
  void measure(EventIndex event);
  void fill(EventIndex event);
  void countRequest(const ReplayStep& step);
  void addWaiting(uint32_t request);

  const Recording& recording_;
  const Allocator& allocator_;
  const RunDevice& device_;
  RunOptions options_;
  RunSummary summary_;
  Usage usage_;
  uint64_t waiting_ = 0;
  std::vector<uint64_t> bytesOf_;  ///< by request, only where some wait for streams
  std::vector<bool> isWaiting_;
  size_t column_ = 0;
};

}  // namespace strata::what_if
