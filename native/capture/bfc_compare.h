#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/bfc_dump.h"

namespace strata::bfc {

/// The 100 characters that stand for a dump's regions, laid end to end by address: "*" where a chunk in use
/// lies, "_" elsewhere. A dump does not tell which part of a chunk was asked for, so the "x" that the
/// allocator writes for the rest of it is not among them. Empty when there is nothing to draw.
/// Source: BFCAllocator::RenderOccupancy.
std::string occupancyOf(const Dump& dump);

/// Whether a printed line of occupancy can be that of a dump: it may have "x" where a chunk is in use.
bool isOccupancyOf(std::string_view printed, const Dump& dump);

/// What a dump holds by bin and by size, as names and values for people: of each bin that has chunks how
/// many, how many bytes, and what of it is in use, as the chunks add up (as the log states it where chunks
/// are missing), with what was requested as the log states it; of the sizes that hold most in use how many
/// there are; the line of occupancy, the log's own if there is one.
std::vector<std::pair<std::string, std::string>> tablesOf(const Dump& dump);

/// Compares everything that a dump states twice, and warns at the line where it differs: bins, sizes, sum,
/// totals, statistics, and the line of occupancy.
void compareStatements(const Dump& dump, LogWarnings& warnings);

}  // namespace strata::bfc
