#pragma once

#include <cstdint>
#include <span>

#include "capture/byte_feed.h"
#include "capture/machine.h"
#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Runs the data of a snapshot on the machine, to the end of its value: readPickle or readJson.
using SnapshotLanguage = void (*)(ByteFeed& feed, Machine& machine);

/// A PyTorch snapshot from its bytes to a trace. When the data breaks off or is damaged, what was whole
/// before that place is kept, with a warning that says where. Memory is limited by the size of the data.
/// Errors: CaptureError, Cancelled.
Trace readSnapshot(std::span<const uint8_t> data, SnapshotLanguage language, const Progress& progress);

}  // namespace strata
