#pragma once

#include <cstdint>
#include <vector>

#include "capture/nsight/memory_events.h"
#include "capture/nsight/strings.h"
#include "capture/sqlite/database.h"

namespace strata::nsight {

/// Who asked, for each event: the call of CUDA's API that its correlation names, and behind it the backtrace
/// of that call where one was recorded. Trace::stacks rows, innermost first; kNone where nothing is known.
/// O(events + calls); from 4 bytes for each event, where correlations are dense, to 300 while it works.
std::vector<uint32_t> callersOf(const MemoryEvents& events, sqlite::Database& database, Strings& strings,
                                Trace& trace);

}  // namespace strata::nsight
