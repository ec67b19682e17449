#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::nsight {

/// Whether a file is an SQLite database, of whatever program.
bool isDatabase(std::span<const uint8_t> bytes);

/// Reads the memory events of an Nsight Systems export (nsys export --type=sqlite) by the tables and columns
/// that are there: what each process took from CUDA, from which kind of memory and pool, and by which call.
/// Memory: about 120 bytes for each memory event beside the trace; the file itself stays where it is.
/// Errors: CaptureError for other databases, for an export without memory events, for damage before the
/// first one; Cancelled.
Trace readExport(std::span<const uint8_t> bytes, const Progress& progress);

/// Adds a warning when what was written last lies in a log beside the database, where it is not read.
void warnOfLog(const std::string& path, Trace& trace);

}  // namespace strata::nsight
