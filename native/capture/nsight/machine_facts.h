#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "capture/sqlite/database.h"
#include "trace/trace.h"

namespace strata::nsight {

/// What an export says of the recording and of the machine's GPUs. Of the tables that describe a machine and
/// a session only the columns and names listed here are read: they also hold the environment, command lines
/// and paths, which are nobody's business.
struct MachineFacts {
  std::string version;                                    ///< of Nsight Systems, empty when not said
  std::optional<int64_t> startNs;                         ///< time 0 of the events, ns since 1970
  bool isMemoryOff = false;                               ///< recorded without --cuda-memory-usage
  std::map<std::pair<uint32_t, int32_t>, int32_t> gpuOf;  ///< process and CUDA device -> GPU of the machine
};

/// Reads the facts and adds names and sizes of GPUs to the settings.
MachineFacts readMachineFacts(sqlite::Database& database, Trace& trace);

}  // namespace strata::nsight
