#pragma once

#include "allocator/allocator.h"

namespace strata {

/// Puts blocks in place of the upstream blocks that they lie in, for an allocator that cuts up memory it gets
/// from another allocator. `pieces` need not be sorted; a slack at the end of an upstream block stays out.
Layout subdivided(const Layout& upstream, std::vector<LayoutBlock> pieces);

/// A layout of single blocks, each its own segment.
Layout layoutOfSingles(std::vector<LayoutBlock> blocks);

}  // namespace strata
