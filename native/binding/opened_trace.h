#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "allocator/what_if/run.h"
#include "analysis/counters.h"
#include "analysis/difference.h"
#include "analysis/index.h"
#include "analysis/summary.h"
#include "capture/read_set.h"
#include "trace/progress.h"
#include "trace/trace.h"

namespace strata::binding {

struct OpenedTrace;
using SharedTrace = std::shared_ptr<const OpenedTrace>;

/// How a simulated trace came about, to run it again. Holds on to the recording, which may be closed by then.
struct SimulatedRun {
  SharedTrace source;
  size_t device = 0;
  what_if::RunRequest request;
  what_if::RunOptions options;
  std::vector<uint32_t> operationOf;  ///< for each event the operation that caused it
};

/// A trace with what was computed of each of its devices. Shared by the handle that JavaScript holds and by
/// the queries that still run when the handle is closed.
struct OpenedTrace {
  Trace trace;
  std::vector<Summary> summaries;               ///< one for each of trace.devices
  std::vector<std::unique_ptr<Index>> indices;  ///< the same
  std::optional<SimulatedRun> run;              ///< of a simulation
  std::vector<CounterIndex> counters;           ///< one for each of trace.counters
  Differences differences;
  std::vector<uint32_t> files;       ///< of a set: which of the files asked for each of trace.parts is
  std::vector<RefusedFile> refused;  ///< files of a set that could not be read
};

/// Indexes every device and counter of a finished trace. Errors: Cancelled.
std::shared_ptr<OpenedTrace> openTrace(Trace trace, const Progress& progress);

}  // namespace strata::binding
