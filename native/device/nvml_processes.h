#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/nvml_library.h"
#include "device/process_names.h"

namespace strata::device::nvml {

/// The processes of one GPU or MIG instance, and how busy each kept it since the last look.
class ProcessList {
 public:
  /// Replaces `found`. Answers a code; a list that is not offered at all is kNotSupported.
  int read(const Library& library, Handle handle, ProcessNames& names, CallWatch& watch,
           std::vector<GpuProcess>& found);

 private:
  /// Bytes by process and GPU instance; a process of both lists, compute and graphics, holds the same bytes
  /// in both.
  using Found = std::map<std::pair<uint32_t, uint32_t>, Reading>;

  int readList(const char* name, int (*function)(Handle, unsigned*, void*), bool isV1, Handle handle,
               CallWatch& watch, Found& found);
  void readBusy(const Library& library, Handle handle, CallWatch& watch, std::vector<GpuProcess>& processes);

  size_t room_ = 16;
  std::vector<ProcessUtilizationSample> samples_;
  unsigned long long lastSeen_ = 0;
  bool hasBusy_ = true;
};

}  // namespace strata::device::nvml
