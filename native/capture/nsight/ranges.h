#pragma once

#include <cstdint>

#include "capture/nsight/enum_names.h"
#include "capture/nsight/strings.h"
#include "capture/sqlite/database.h"
#include "trace/trace.h"

namespace strata::nsight {

/// Adds the ranges that a program named with NVTX as annotations of every device. `from` and `to` are the
/// first and last memory event, in ns since the session began; ranges outside of them are left out, and what
/// is beyond kMostRanges, which a warning counts.
void annotateRanges(sqlite::Database& database, const EnumNames& names, Strings& strings, int64_t from,
                    int64_t to, Trace& trace);

inline constexpr size_t kMostRanges = 200'000;

}  // namespace strata::nsight
