#pragma once

#include <cstddef>
#include <string_view>

namespace strata::bfc {

/// The first place from `from` on, and before `to`, that only lines of an allocator have: "llocat", as in
/// Allocator, bfc_allocator.cc, AllocateRaw and "allocated for chunks", or "of siz", as in chunks; npos when
/// there is none. A text without them is passed at memory speed: most letters are jumped over (Horspool's
/// search for both words at once).
size_t findAllocatorWord(std::string_view text, size_t from, size_t to);

}  // namespace strata::bfc
