#pragma once

#include <string>
#include <string_view>

#include "capture/bfc_dump.h"

namespace strata::bfc {

/// The 100 characters that stand for a dump's regions, laid end to end by address: "*" where a chunk in use
/// lies, "_" elsewhere. A dump does not tell which part of a chunk was asked for, so the "x" that the
/// allocator writes for the rest of it is not among them. Empty when there is nothing to draw.
/// Source: BFCAllocator::RenderOccupancy.
std::string occupancyOf(const Dump& dump);

/// Whether a printed line of occupancy can be that of a dump: it may have "x" where a chunk is in use.
bool isOccupancyOf(std::string_view printed, const Dump& dump);

/// Compares everything that a dump states twice, and warns at the line where it differs: bins, sizes, sum,
/// totals, statistics, and the line of occupancy.
void compareStatements(const Dump& dump, LogWarnings& warnings);

}  // namespace strata::bfc
