#pragma once

#include <string>

#include "allocator/allocator.h"

namespace strata::test {

/// What must hold of every layout: blocks tile their segment, segments do not overlap, live blocks add up to
/// what the allocator says is allocated. Answers an empty text or the first rule that is broken.
std::string brokenRule(const Allocator& allocator);

}  // namespace strata::test
