#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Whether a text begins with the header of our CSV form, or with a row of our JSON-lines form (GENERIC.md).
bool looksLikeGeneric(std::span<const uint8_t> bytes);

/// Reads Strata's own format, which any allocator can write: CSV or JSON lines (GENERIC.md). With addresses
/// every block is placed; segments are known when the file has rows for them. Without addresses only totals
/// are.
/// Errors: CaptureError when no row can be read; Cancelled.
Trace readGeneric(std::span<const uint8_t> bytes, const Progress& progress);

/// Of a table that has some of our columns but not those it needs: their names, for a sentence. Empty for all
/// else.
std::string missingGenericColumns(std::span<const uint8_t> bytes);

}  // namespace strata
