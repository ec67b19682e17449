#pragma once

#include <cstdint>
#include <functional>

#include "allocator/allocator.h"

namespace strata {

/// Why a free block of a layout would not serve a request, or Fits.
using Verdict = std::function<Decision::Reason(const LayoutSegment&, const LayoutBlock&)>;

/// Reports the free blocks of a layout that a search for `rounded` bytes passes over: of each reason the few
/// that came closest, largest last. Only for decisions: O(blocks log blocks).
void considerFree(const Layout& layout, uint64_t rounded, const Verdict& verdict, DecisionSink& sink);

/// The same where only the size counts.
void considerBySize(const Layout& layout, uint64_t rounded, DecisionSink& sink);

}  // namespace strata
