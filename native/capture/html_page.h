#pragma once

#include <cstdint>
#include <span>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Reads the first snapshot inside a page that `python -m torch.cuda._memory_viz trace_plot` wrote: a list of
/// {"name": ..., "base64": "gASV..."} whose base64 is a pickle with one to three bytes of padding.
/// Positions in errors and warnings count bytes of the snapshot inside, and say so.
/// Errors: CaptureError, Cancelled.
Trace readHtmlPage(std::span<const uint8_t> page, const Progress& progress);

}  // namespace strata
