#include "allocator/plan_packing.h"

#include <algorithm>

#include "allocator/offset_space.h"
#include "allocator/plan_gaps.h"

namespace strata {
namespace {

constexpr uint32_t kShortestSpan = 16;

class Packer {
 public:
  Packer(const PackingInput& input, uint64_t mostPairs) : input_(input), mostPairs_(mostPairs) {
    result_.offsets.assign(input.items.size(), kNoPlace);
  }

  Packing pack() {
    numberEvents();
    const uint32_t searchedUnits = unitsWithinLimit();
    search(searchedUnits);
    sweep(searchedUnits);
    return std::move(result_);
  }

 private:
  /// What happens at an operation: which unit's item is born or dies. Fillers are of unit 0, as if first.
  struct Event {
    uint32_t item = kNone;
    uint32_t unit = kNone;
  };

  void numberEvents() {
    events_.assign(input_.operations, {});
    const auto add = [&](uint32_t item, uint32_t unit) {
      const Lifetime& life = input_.items[item];
      events_[life.birth] = {item, unit};
      if (life.death < input_.operations) events_[life.death] = {item, unit};
    };
    for (const uint32_t item : input_.fillers) add(item, 0);
    for (uint32_t unit = 0; unit < input_.units.size(); ++unit)
      for (uint32_t i = 0; i < input_.units[unit].count; ++i)
        add(input_.members[input_.units[unit].first + i], unit + 1);
  }

  bool isBirth(size_t operation) const { return input_.items[events_[operation].item].birth == operation; }

  /// Pairs that live at the same time among the fillers and the first `units` units.
  uint64_t pairsOf(uint32_t units) const {
    uint64_t pairs = 0, live = 0;
    for (size_t operation = 0; operation < events_.size(); ++operation) {
      if (events_[operation].unit > units) continue;  // kNone, too
      if (isBirth(operation))
        pairs += live++;
      else
        --live;
    }
    return pairs;
  }

  uint32_t unitsWithinLimit() {
    if (pairsOf(0) > mostPairs_) hasFillers_ = false;
    if (!hasFillers_)
      for (Event& event : events_)
        if (event.unit == 0) event = {};
    auto most = static_cast<uint32_t>(input_.units.size());
    if (pairsOf(most) <= mostPairs_) return most;
    uint32_t fits = 0;
    while (most - fits > 1) {
      const uint32_t middle = fits + (most - fits) / 2;
      (pairsOf(middle) <= mostPairs_ ? fits : most) = middle;
    }
    return fits;
  }

  uint32_t spanLength(uint32_t units) const {
    uint64_t length = 0, count = 0;
    for (size_t operation = 0; operation < events_.size(); ++operation) {
      if (events_[operation].unit > units || !isBirth(operation)) continue;
      const Lifetime& life = input_.items[events_[operation].item];
      length += life.death - life.birth;
      ++count;
    }
    return std::max(kShortestSpan, static_cast<uint32_t>(length / std::max<uint64_t>(count, 1)));
  }

  void search(uint32_t units) {
    PlanGaps gaps(input_.operations, spanLength(units));
    for (uint32_t unit = 0; unit < units; ++unit) {
      const Lifetime hull = hullOf(input_.units[unit]);
      result_.searched += input_.units[unit].count;
      uint64_t offset = gaps.lowest(hull);
      if (offset + hull.bytes > kLargestRequest) continue;
      for (uint32_t i = 0; i < input_.units[unit].count; ++i) {
        const uint32_t item = input_.members[input_.units[unit].first + i];
        gaps.place(input_.items[item], offset);
        settle(item, offset);
        offset += input_.items[item].bytes;
      }
    }
    if (hasFillers_) fill(gaps);
  }

  void fill(PlanGaps& gaps) {
    const uint64_t ceiling = result_.bytes;
    for (const uint32_t item : input_.fillers) {
      const Lifetime& life = input_.items[item];
      const uint64_t offset = gaps.lowest(life);
      if (offset + life.bytes > ceiling) continue;
      gaps.place(life, offset);
      settle(item, offset);
    }
  }

  void sweep(uint32_t searchedUnits) {
    const uint64_t base = result_.bytes;
    OffsetSpace space(kLargestRequest - base);
    for (size_t operation = 0; operation < events_.size(); ++operation) {
      const Event event = events_[operation];
      if (event.unit == kNone || event.unit <= searchedUnits) continue;
      const uint64_t bytes = input_.items[event.item].bytes;
      if (isBirth(operation)) {
        const std::optional<uint64_t> offset = space.takeLowest(bytes);
        if (offset) settle(event.item, base + *offset);
      } else if (result_.offsets[event.item] != kNoPlace) {
        space.give(result_.offsets[event.item] - base, bytes);
      }
    }
  }

  Lifetime hullOf(const PackingUnit& unit) const {
    Lifetime hull{.bytes = 0, .birth = input_.operations, .death = 0};
    for (uint32_t i = 0; i < unit.count; ++i) {
      const Lifetime& life = input_.items[input_.members[unit.first + i]];
      hull.bytes = std::min(hull.bytes + life.bytes, 2 * kLargestRequest);
      hull.birth = std::min(hull.birth, life.birth);
      hull.death = std::max(hull.death, life.death);
    }
    return hull;
  }

  void settle(uint32_t item, uint64_t offset) {
    result_.offsets[item] = offset;
    result_.bytes = std::max(result_.bytes, offset + input_.items[item].bytes);
  }

  const PackingInput& input_;
  uint64_t mostPairs_;
  bool hasFillers_ = true;
  std::vector<Event> events_;
  Packing result_;
};

}  // namespace

Packing packLifetimes(const PackingInput& input, uint64_t mostPairs) {
  return Packer(input, mostPairs).pack();
}

}  // namespace strata
