#pragma once

#include <memory>
#include <vector>

#include "analysis/index.h"
#include "analysis/summary.h"
#include "trace/trace.h"

namespace strata::binding {

/// A trace with what was computed of each of its devices. Shared by the handle that JavaScript holds and by
/// the queries that still run when the handle is closed.
struct OpenedTrace {
  Trace trace;
  std::vector<Summary> summaries;               ///< one for each of trace.devices
  std::vector<std::unique_ptr<Index>> indices;  ///< the same
};

using SharedTrace = std::shared_ptr<const OpenedTrace>;

}  // namespace strata::binding
