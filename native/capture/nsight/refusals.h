#pragma once

#include "capture/nsight/machine_facts.h"
#include "capture/nsight/memory_events.h"
#include "capture/sqlite/database.h"

namespace strata::nsight {

/// Errors: CaptureError for a database of another program, saying which where its tables tell.
void requireExport(const sqlite::Database& database);

/// Says why an export shows nothing. Errors: CaptureError, always.
[[noreturn]] void refuseEmpty(const sqlite::Database& database, const MachineFacts& facts,
                              const MemoryEvents& read);

}  // namespace strata::nsight
