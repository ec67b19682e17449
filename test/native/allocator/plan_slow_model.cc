#include "allocator/plan_slow_model.h"

#include <algorithm>
#include <map>
#include <set>

#include "allocator/live_bound.h"

namespace strata::test {

using Operation = RequestTrace::Operation;

PlanSlowModel::PlanSlowModel(const RequestTrace& trace, const OfflinePlanOptions& options)
    : trace_(trace), options_(options), lives_(trace.ids.size()) {
  for (size_t at = 0; at < trace.operations.size(); ++at) {
    const Operation& operation = trace.operations[at];
    if (operation.kind == Operation::Kind::Free) lives_[operation.request].death = at;
    if (operation.kind != Operation::Kind::Allocate) continue;
    const uint64_t bytes = operation.bytes > kLargestRequest ? 0 : operation.bytes;
    const uint64_t blocks = bytes / options.alignment + (bytes % options.alignment > 0 ? 1 : 0);
    lives_[operation.request] = {blocks * options.alignment, at, trace.operations.size()};
  }
}

uint64_t PlanSlowModel::lowest(const OfflinePlan& plan, const std::vector<uint32_t>& placed,
                               const Life& wanted) const {
  // The lowest free place starts at 0 or at the end of something.
  std::set<uint64_t> candidates = {0};
  for (const uint32_t other : placed) candidates.insert(plan.offsets[other] + lives_[other].bytes);
  for (const uint64_t offset : candidates) {
    const bool isFree = std::none_of(placed.begin(), placed.end(), [&](uint32_t other) {
      return lives_[other].meets(wanted) && plan.offsets[other] < offset + wanted.bytes &&
             offset < plan.offsets[other] + lives_[other].bytes;
    });
    if (isFree) return offset;
  }
  return kNoPlace;
}

uint64_t PlanSlowModel::pairsOf(const std::vector<Unit>& units, size_t count,
                                const std::vector<uint32_t>& fillers) const {
  std::vector<uint32_t> all = fillers;
  for (size_t i = 0; i < count; ++i) all.insert(all.end(), units[i].begin(), units[i].end());
  uint64_t pairs = 0;
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (lives_[all[a]].meets(lives_[all[b]])) ++pairs;
  return pairs;
}

OfflinePlan PlanSlowModel::pack(const std::vector<Unit>& units, std::vector<uint32_t> fillers) const {
  OfflinePlan plan;
  plan.offsets.assign(lives_.size(), kNoPlace);
  for (const Life& life : lives_) plan.bytes.push_back(life.bytes);
  plan.dynamic = fillers.size();
  if (pairsOf(units, 0, fillers) > options_.mostPairs) fillers.clear();
  size_t count = units.size();
  while (pairsOf(units, count, fillers) > options_.mostPairs) --count;

  std::vector<uint32_t> placed;
  for (size_t unit = 0; unit < count; ++unit) {
    Life hull{0, trace_.operations.size(), 0};
    for (const uint32_t request : units[unit]) {
      hull.bytes = std::min(hull.bytes + lives_[request].bytes, 2 * kLargestRequest);
      hull.birth = std::min(hull.birth, lives_[request].birth);
      hull.death = std::max(hull.death, lives_[request].death);
      ++plan.searched;
    }
    uint64_t offset = lowest(plan, placed, hull);
    if (offset + hull.bytes > kLargestRequest) continue;
    for (const uint32_t request : units[unit]) {
      plan.offsets[request] = offset;
      offset += lives_[request].bytes;
      placed.push_back(request);
    }
    plan.poolBytes = std::max(plan.poolBytes, offset);
  }
  for (const uint32_t request : fillers) {
    const uint64_t offset = lowest(plan, placed, lives_[request]);
    if (offset + lives_[request].bytes > plan.poolBytes) continue;
    plan.offsets[request] = offset;
    placed.push_back(request);
  }
  sweep(plan, units, count);
  return plan;
}

void PlanSlowModel::sweep(OfflinePlan& plan, const std::vector<Unit>& units, size_t from) const {
  std::vector<uint32_t> left, placed;
  for (size_t unit = from; unit < units.size(); ++unit)
    left.insert(left.end(), units[unit].begin(), units[unit].end());
  plan.swept = left.size();
  std::sort(left.begin(), left.end());
  const uint64_t base = plan.poolBytes;
  OfflinePlan above = plan;  // offsets from the base
  for (const uint32_t request : left) {
    // Only what lives at its birth is in its way: who is born later looks for a place later.
    const Life moment{lives_[request].bytes, lives_[request].birth, lives_[request].birth + 1};
    const uint64_t offset = lowest(above, placed, moment);
    if (base + offset + moment.bytes > kLargestRequest) continue;
    above.offsets[request] = offset;
    placed.push_back(request);
    plan.offsets[request] = base + offset;
    plan.poolBytes = std::max(plan.poolBytes, base + offset + moment.bytes);
  }
}

OfflinePlan PlanSlowModel::greedyBySize() const {
  std::vector<Unit> units;
  for (uint32_t request = 0; request < lives_.size(); ++request)
    if (lives_[request].bytes > 0) units.push_back({request});
  std::sort(units.begin(), units.end(), [&](const Unit& a, const Unit& b) {
    return std::pair(lives_[b[0]].bytes, a[0]) < std::pair(lives_[a[0]].bytes, b[0]);
  });
  return pack(units, {});
}

std::vector<size_t> PlanSlowModel::phaseStarts() const {
  std::vector<double> live;
  std::set<size_t> starts;
  double now = 0;
  for (size_t at = 0; at < trace_.operations.size(); ++at) {
    const Operation& operation = trace_.operations[at];
    const auto bytes = operation.kind == Operation::Kind::Control
                           ? 0.0
                           : static_cast<double>(lives_[operation.request].bytes);
    if (operation.kind == Operation::Kind::Allocate) now += bytes;
    if (operation.kind == Operation::Kind::Free) now -= bytes;
    live.push_back(now);
    if (operation.kind == Operation::Kind::Control) starts.insert(at);
  }
  const double swing = static_cast<double>(liveBound(trace_).bytes) * options_.turn;
  // From where the last turn was seen: the first operation that is `swing` away from the extreme before it.
  size_t from = 0;
  for (bool isRising = true; swing > 0; isRising = !isRising) {
    size_t extremeAt = from;
    size_t seen = from;
    const double sign = isRising ? 1 : -1;
    for (; seen < live.size() && sign * (live[extremeAt] - live[seen]) < swing; ++seen)
      if (sign * (live[seen] - live[extremeAt]) > 0) extremeAt = seen;
    if (seen == live.size()) break;
    starts.insert(extremeAt + 1);
    from = seen;
  }
  return {starts.begin(), starts.end()};
}

std::vector<bool> PlanSlowModel::dynamic() const {
  std::vector<std::vector<uint32_t>> steps(1);
  for (const Operation& operation : trace_.operations) {
    if (operation.kind == Operation::Kind::Control) steps.emplace_back();
    if (operation.kind == Operation::Kind::Allocate) steps.back().push_back(operation.request);
  }
  std::vector<bool> isDynamic(lives_.size(), false);
  for (size_t step = 1; step < steps.size(); ++step)
    for (size_t i = 0; i < steps[step].size(); ++i)
      isDynamic[steps[step][i]] =
          i >= steps[step - 1].size() || lives_[steps[step][i]].bytes != lives_[steps[step - 1][i]].bytes;
  return isDynamic;
}

size_t PlanSlowModel::phaseOf(size_t operation, const std::vector<size_t>& starts) const {
  return static_cast<size_t>(
      std::count_if(starts.begin(), starts.end(), [&](size_t start) { return start <= operation; }));
}

OfflinePlan PlanSlowModel::spatioTemporal() const {
  const OfflinePlan grouped = spatioTemporal(true), single = spatioTemporal(false);
  return single.poolBytes < grouped.poolBytes ? single : grouped;
}

OfflinePlan PlanSlowModel::spatioTemporal(bool hasGroups) const {
  const std::vector<size_t> starts = phaseStarts();
  const std::vector<bool> isDynamic = dynamic();
  std::map<std::tuple<size_t, size_t, uint32_t>, Unit> groups;
  std::vector<uint32_t> fillers;
  for (uint32_t request = 0; request < lives_.size(); ++request) {
    const Life& life = lives_[request];
    if (life.bytes == 0) continue;
    if (isDynamic[request]) {
      fillers.push_back(request);
      continue;
    }
    const bool isFreed = life.death < trace_.operations.size();
    const size_t birth = phaseOf(life.birth, starts);
    const size_t death = isFreed ? phaseOf(life.death, starts) : starts.size() + 1;
    groups[{birth, death, hasGroups && birth != death ? 0 : request}].push_back(request);
  }
  std::vector<Unit> units;
  for (auto& [key, unit] : groups) units.push_back(std::move(unit));
  const auto area = [&](const Unit& unit) {
    double height = 0;
    size_t death = 0;
    for (const uint32_t request : unit) {
      height += static_cast<double>(lives_[request].bytes);
      death = std::max(death, lives_[request].death);
    }
    return height * static_cast<double>(death - lives_[unit[0]].birth);
  };
  std::sort(units.begin(), units.end(), [&](const Unit& a, const Unit& b) {
    return std::pair(area(b), a[0]) < std::pair(area(a), b[0]);
  });
  return pack(units, fillers);
}

}  // namespace strata::test
