#pragma once

#include "allocator/plan_packing.h"
#include "allocator/request_trace.h"

namespace strata {

/// Where each request of a trace will lie, chosen before the first is made.
struct OfflinePlan {
  std::vector<uint64_t> offsets;  ///< by request; kNoPlace: it has none in the plan
  std::vector<uint64_t>
      bytes;               ///< by request, rounded; 0: nothing was asked for, or more than is ever served
  uint64_t poolBytes = 0;  ///< the stretch of memory that the plan needs
  size_t searched = 0;     ///< requests placed by exact search (see packLifetimes)
  size_t swept = 0;        ///< requests placed by the sweep above it
  size_t dynamic = 0;      ///< requests that were not foreseen
};

struct OfflinePlanOptions {
  uint64_t alignment = 512;  ///< every request is rounded up to it; a power of two
  double turn = 0.1;         ///< spatio-temporal: see there
  uint64_t mostPairs = kMostPairs;
};

/// Greedy by size, the planner of many machine learning compilers and runtimes: the largest request first,
/// the older one of equals, each at the lowest offset that is free for as long as it lives.
///
/// Lifetimes count operations; what is never freed lives to the end. Exact up to the bound of packLifetimes;
/// beyond it the smallest requests lie above the others, swept in order of birth.
/// Cost: O(n log n + mostPairs).
/// Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (arXiv 2001.03288),
///         greedy by size for offset calculation, with the first gap instead of the smallest, as TensorFlow
///         Lite Micro's greedy_memory_planner.h has it.
OfflinePlan planGreedyBySize(const RequestTrace& trace, const OfflinePlanOptions& options);

/// A plan after STAlloc: requests that live through the same phases are placed together, requests that no
/// earlier step foretold are served from what the plan leaves.
///
/// Steps:   end at every Control::Synchronize of all streams.
/// Phases:  end with every step, and wherever the live bytes turn: where they peak before they fall by `turn`
///          of the trace's highest peak, and where they are lowest before they rise by as much. So a forward
///          pass is one phase and the backward pass the next.
/// Dynamic: a request of the second or a later step whose rounded size is not that of the request in the
///          same place of the step before. All others are static.
/// Group:   static requests that are born in one phase and die in one other (or never, which counts as a
///          phase), stacked in order of birth. All of them live where the first of these phases ends, so the
///          stack has no holes there. A static request that dies in its own phase is a group of one.
/// Place:   the group with the largest area first, the older one of equals (area: its height times the
///          operations from its first birth to its last death), at the lowest offset that is free during all
///          that time. After that only the lifetimes of its members are in others' way.
/// Fill:    dynamic requests follow in order of birth, at the lowest offset that no other request uses as
///          long as they live, within the height of the plan so far. What does not fit has no place.
/// Twice:   all that is done once more with every static request a group of its own, and the plan that needs
///          less memory is kept, on a tie the first.
/// Cost:    twice planGreedyBySize; the bound leaves the groups with the smallest areas to the sweep.
/// Source:  Huang et al., "STAlloc: Enhancing Memory Efficiency in Large-Scale Model Training with
///          Spatio-Temporal Planning" (arXiv 2507.16274), and its published planner: groups by birth and
///          death phase, tight stacks, a second plan without groups, dynamic requests in idle gaps, the rest
///          from a caching allocator. Differences: it is told phases and dynamic layers by hooks in the
///          framework, where this takes both from the requests; it serves later steps from the plan of one;
///          it packs what is not grouped by its own search; and it gives a dynamic request the smallest gap.
OfflinePlan planSpatioTemporal(const RequestTrace& trace, const OfflinePlanOptions& options);

}  // namespace strata
