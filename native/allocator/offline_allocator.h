#pragma once

#include "allocator/offline_plan.h"
#include "allocator/offset_space.h"

namespace strata {

/// Answers requests from a plan that was made for all of them beforehand: one end of every comparison.
///
///   start:    takes the plan's memory from the device in one piece, or, when that is refused, all that the
///             device has left. Nothing is given back.
///   allocate: the k-th call is the trace's k-th request. It gets its planned place if it asks for what was
///             planned, the place lies within that memory, and nobody is there. Otherwise `rest` serves it,
///             and without one it fails. 0 bytes are no request.
///   free:     the place becomes free, for whoever is planned to be there next.
///
/// A plan knows when memory is no longer used, so nothing waits for a stream; only `rest` hears of streams
/// and controls. Placing costs O(log n).
class OfflineAllocator final : public Allocator {
 public:
  OfflineAllocator(OfflinePlan plan, uint64_t alignment, Driver& driver, Allocator* rest)
      : plan_(std::move(plan)), alignment_(alignment), driver_(driver), rest_(rest), space_(0) {}

  bool start() override;
  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  void recordStream(BlockHandle block, uint32_t stream) override;
  ControlResult control(const Control& control) override;
  Usage usage() const override;
  /// The plan's segment, and those of `rest`.
  Layout layout() const override;

  const OfflinePlan& plan() const { return plan_; }

 private:
  /// Handles: twice the request for planned blocks, twice the handle of `rest` plus one for the others.
  static constexpr BlockHandle kOfRest = 1;

  bool takePlanned(uint32_t request, uint64_t rounded);
  Placement place(uint32_t request, uint64_t bytes);
  Placement askRest(uint64_t bytes, uint32_t stream);
  void hearOfRest();
  void notePeaks();
  void appendPlanned(Layout& layout) const;

  OfflinePlan plan_;
  uint64_t alignment_;
  Driver& driver_;
  Allocator* rest_;
  uint64_t address_ = 0;
  uint64_t held_ = 0;  ///< bytes of the plan's memory that the device gave
  OffsetSpace space_;
  uint32_t next_ = 0;                ///< request
  std::vector<uint32_t> live_;       ///< requests in planned places
  std::vector<uint32_t> whereLive_;  ///< by request: row of live_
  std::vector<uint64_t> requested_;  ///< by request, while it is live
  uint64_t used_ = 0;                ///< bytes in planned places
  Usage restUsage_;                  ///< of `rest`, after the last that it was asked
  uint64_t peakAllocated_ = 0, peakReserved_ = 0;
};

}  // namespace strata
