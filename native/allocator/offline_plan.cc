#include "allocator/offline_plan.h"

#include <algorithm>
#include <map>

#include "allocator/live_bound.h"

namespace strata {
namespace {

using Operation = RequestTrace::Operation;

/// Lifetimes by request; bytes are 0 for what no plan serves.
std::vector<Lifetime> lifetimesOf(const RequestTrace& trace, uint64_t alignment) {
  const auto end = static_cast<uint32_t>(trace.operations.size());
  std::vector<Lifetime> lifetimes(trace.ids.size());
  for (uint32_t index = 0; index < end; ++index) {
    const Operation& operation = trace.operations[index];
    if (operation.kind == Operation::Kind::Allocate && operation.bytes <= kLargestRequest) {
      const uint64_t rounded = (operation.bytes + alignment - 1) & ~(alignment - 1);
      lifetimes[operation.request] = {.bytes = rounded, .birth = index, .death = end};
    }
    if (operation.kind == Operation::Kind::Free && lifetimes[operation.request].death == end)
      lifetimes[operation.request].death = index;
  }
  return lifetimes;
}

OfflinePlan planOf(const PackingInput& input, const OfflinePlanOptions& options) {
  Packing packing = packLifetimes(input, options.mostPairs);
  OfflinePlan plan;
  plan.poolBytes = packing.bytes;
  plan.searched = packing.searched;
  plan.swept = input.members.size() - packing.searched;
  plan.dynamic = input.fillers.size();
  plan.offsets = std::move(packing.offsets);
  for (const Lifetime& life : input.items) plan.bytes.push_back(life.bytes);
  return plan;
}

using PhaseSpan = std::pair<uint32_t, uint32_t>;  ///< the phases of a birth and a death

/// Finds where a step or a phase ends, and what was foretold.
class Phases {
 public:
  Phases(const RequestTrace& trace, const std::vector<Lifetime>& lifetimes, double turn)
      : trace_(trace), lifetimes_(lifetimes) {
    findStepEnds();
    findTurns(static_cast<double>(liveBound(trace).bytes) * turn);
    starts_.insert(starts_.end(), stepStarts_.begin(), stepStarts_.end());
    std::sort(starts_.begin(), starts_.end());
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  }

  /// By request: the phases of its birth and death; the last one is "never".
  std::vector<PhaseSpan> spans() const {
    std::vector<PhaseSpan> spans(lifetimes_.size());
    const auto never = static_cast<uint32_t>(starts_.size()) + 1;
    for (PhaseSpan& span : spans) span.second = never;
    uint32_t phase = 0;
    for (uint32_t index = 0; index < trace_.operations.size(); ++index) {
      while (phase < starts_.size() && starts_[phase] <= index) ++phase;
      const Operation& operation = trace_.operations[index];
      if (operation.kind == Operation::Kind::Allocate) spans[operation.request].first = phase;
      if (operation.kind == Operation::Kind::Free && lifetimes_[operation.request].death == index)
        spans[operation.request].second = phase;
    }
    return spans;
  }

  /// By request: whether the step before has none of its size in its place.
  std::vector<bool> dynamic() const {
    std::vector<bool> isDynamic(lifetimes_.size(), false);
    std::vector<uint64_t> before, now;
    size_t step = 0;
    for (uint32_t index = 0; index < trace_.operations.size(); ++index) {
      if (step < stepStarts_.size() && stepStarts_[step] == index) {
        ++step;
        before.swap(now);
        now.clear();
      }
      const Operation& operation = trace_.operations[index];
      if (operation.kind != Operation::Kind::Allocate) continue;
      const uint64_t bytes = lifetimes_[operation.request].bytes;
      if (step > 0) isDynamic[operation.request] = now.size() >= before.size() || before[now.size()] != bytes;
      now.push_back(bytes);
    }
    return isDynamic;
  }

 private:
  void findStepEnds() {
    for (uint32_t index = 0; index < trace_.operations.size(); ++index) {
      const Operation& operation = trace_.operations[index];
      if (operation.kind != Operation::Kind::Control) continue;
      const Control& control = trace_.controls[operation.request];
      if (control.kind == Control::Kind::Synchronize && !control.hasStream) stepStarts_.push_back(index);
    }
  }

  /// A turn is seen once the live bytes have moved `swing` away from it; until then it may still move.
  void findTurns(double swing) {
    double live = 0, extreme = 0;
    uint32_t extremeAt = 0;
    bool isRising = true;
    for (uint32_t index = 0; index < trace_.operations.size(); ++index) {
      const Operation& operation = trace_.operations[index];
      if (operation.kind == Operation::Kind::Allocate)
        live += static_cast<double>(lifetimes_[operation.request].bytes);
      else if (operation.kind == Operation::Kind::Free && lifetimes_[operation.request].death == index)
        live -= static_cast<double>(lifetimes_[operation.request].bytes);
      else
        continue;
      const double progress = isRising ? live - extreme : extreme - live;
      if (progress > 0) {
        extreme = live;
        extremeAt = index;
      } else if (-progress >= swing && swing > 0) {
        starts_.push_back(extremeAt + 1);
        isRising = !isRising;
        extreme = live;
        extremeAt = index;
      }
    }
  }

  const RequestTrace& trace_;
  const std::vector<Lifetime>& lifetimes_;
  std::vector<uint32_t> stepStarts_;  ///< operations that end a step, and so begin the next
  std::vector<uint32_t> starts_;      ///< first operations of all phases but the first
};

struct Group {
  std::vector<uint32_t> requests;
  uint32_t birth = 0, death = 0;
  double height = 0;  ///< only to compare areas

  void add(uint32_t request, const Lifetime& life) {
    if (requests.empty()) birth = life.birth;
    death = std::max(death, life.death);
    height += static_cast<double>(life.bytes);
    requests.push_back(request);
  }
  double area() const { return height * static_cast<double>(death - birth); }
};

/// Single requests, or groups by phase where `spans` says who belongs together; in order of their first
/// birth.
std::vector<Group> groupsOf(const std::vector<Lifetime>& lifetimes, const std::vector<bool>& isDynamic,
                            const std::vector<PhaseSpan>* spans) {
  std::map<PhaseSpan, size_t> known;
  std::vector<Group> groups;
  for (uint32_t request = 0; request < lifetimes.size(); ++request) {
    if (lifetimes[request].bytes == 0 || isDynamic[request]) continue;
    size_t at = groups.size();
    if (spans && (*spans)[request].first != (*spans)[request].second)
      at = known.try_emplace((*spans)[request], at).first->second;
    if (at == groups.size()) groups.emplace_back();
    groups[at].add(request, lifetimes[request]);
  }
  return groups;
}

void setUnits(PackingInput& input, std::vector<Group> groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.area() > b.area(); });
  input.units.clear();
  input.members.clear();
  for (const Group& group : groups) {
    input.units.push_back({.first = static_cast<uint32_t>(input.members.size()),
                           .count = static_cast<uint32_t>(group.requests.size())});
    input.members.insert(input.members.end(), group.requests.begin(), group.requests.end());
  }
}

}  // namespace

OfflinePlan planGreedyBySize(const RequestTrace& trace, const OfflinePlanOptions& options) {
  PackingInput input;
  input.operations = static_cast<uint32_t>(trace.operations.size());
  input.items = lifetimesOf(trace, options.alignment);
  for (uint32_t request = 0; request < input.items.size(); ++request)
    if (input.items[request].bytes > 0) input.members.push_back(request);
  std::stable_sort(input.members.begin(), input.members.end(),
                   [&](uint32_t a, uint32_t b) { return input.items[a].bytes > input.items[b].bytes; });
  for (uint32_t i = 0; i < input.members.size(); ++i) input.units.push_back({.first = i, .count = 1});
  return planOf(input, options);
}

OfflinePlan planSpatioTemporal(const RequestTrace& trace, const OfflinePlanOptions& options) {
  PackingInput input;
  input.operations = static_cast<uint32_t>(trace.operations.size());
  input.items = lifetimesOf(trace, options.alignment);
  const Phases phases(trace, input.items, options.turn);
  const std::vector<bool> isDynamic = phases.dynamic();
  const std::vector<PhaseSpan> spans = phases.spans();
  for (uint32_t request = 0; request < input.items.size(); ++request)
    if (isDynamic[request] && input.items[request].bytes > 0) input.fillers.push_back(request);
  setUnits(input, groupsOf(input.items, isDynamic, &spans));
  OfflinePlan grouped = planOf(input, options);
  setUnits(input, groupsOf(input.items, isDynamic, nullptr));
  OfflinePlan single = planOf(input, options);
  return single.poolBytes < grouped.poolBytes ? single : grouped;
}

}  // namespace strata
