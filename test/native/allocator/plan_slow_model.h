#pragma once

#include "allocator/offline_plan.h"

namespace strata::test {

/// Plans as planGreedyBySize and planSpatioTemporal do, by their rules alone: every pair is compared, nothing
/// is indexed.
class PlanSlowModel {
 public:
  PlanSlowModel(const RequestTrace& trace, const OfflinePlanOptions& options);

  OfflinePlan greedyBySize() const;
  OfflinePlan spatioTemporal() const;

  struct Life {
    uint64_t bytes = 0;
    size_t birth = 0, death = 0;
    bool meets(const Life& other) const { return birth < other.death && other.birth < death; }
  };
  /// By request, rounded; 0 bytes where nothing is ever served.
  const std::vector<Life>& lives() const { return lives_; }
  /// The first operations of phases, without the first phase.
  std::vector<size_t> phaseStarts() const;
  std::vector<bool> dynamic() const;

 private:
  using Unit = std::vector<uint32_t>;  ///< requests, lowest first
  OfflinePlan spatioTemporal(bool hasGroups) const;
  OfflinePlan pack(const std::vector<Unit>& units, std::vector<uint32_t> fillers) const;
  uint64_t lowest(const OfflinePlan& plan, const std::vector<uint32_t>& placed, const Life& wanted) const;
  uint64_t pairsOf(const std::vector<Unit>& units, size_t count, const std::vector<uint32_t>& fillers) const;
  void sweep(OfflinePlan& plan, const std::vector<Unit>& units, size_t from) const;
  size_t phaseOf(size_t operation, const std::vector<size_t>& starts) const;

  const RequestTrace& trace_;
  OfflinePlanOptions options_;
  std::vector<Life> lives_;
};

}  // namespace strata::test
