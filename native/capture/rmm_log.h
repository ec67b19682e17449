#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Whether a text has a header or a row of RMM's log in its first MiBs.
bool looksLikeRmmLog(std::span<const uint8_t> bytes);

/// Reads a log of RAPIDS RMM: CSV of every era, with or without a header, also inside the log of a Spark
/// executor. Sizes are those that were asked for; the log says nothing of the memory behind them, so devices
/// have DeviceLayout::Blocks. The thread of a row, or the line that old logs name, stands as its stack.
/// Errors: CaptureError when no row can be read; Cancelled.
Trace readRmmLog(std::span<const uint8_t> bytes, const Progress& progress);

}  // namespace strata
