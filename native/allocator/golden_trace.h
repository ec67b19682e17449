#pragma once

#include <string_view>

#include "allocator/request_trace.h"

namespace strata {

/// Reads the text trace of the golden vectors: one operation a line, lines that begin with # are comments.
///
///   a <id> <bytes> [stream]    f <id>    r <id> <stream>    e    s [stream]
///   p <pool> [stream]    q <pool>    x <pool>    m <fraction>    t    w <n>    b <n>
///
/// A free or a stream for an id that is not alive becomes a warning and changes nothing; an id that is
/// allocated again while it is alive becomes a warning, and later operations mean the newer block.
/// Errors: ReplayError for a line that is no operation, with its number.
RequestTrace parseGoldenTrace(std::string_view text);

}  // namespace strata
