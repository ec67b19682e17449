#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/gpu.h"
#include "device/process_names.h"

namespace strata::device {

/// Which GPU a client uses: its PCI address, or, for a GPU that is part of a chip, the name of its driver.
using DrmGpu = std::string;

/// Who uses the GPUs, from what the kernel tells of every open file of one (/proc/PID/fdinfo). Programs of
/// other users are seen only by root. Source: kernel documentation, gpu/drm-usage-stats.
class DrmClients {
 public:
  explicit DrmClients(std::string procRoot) : procRoot_(std::move(procRoot)), names_(procRoot_) {}

  /// The processes of each GPU, by pid. `now`: monotonic ns.
  std::map<DrmGpu, std::vector<GpuProcess>> read(int64_t now);
  /// Whether the last reading met processes whose files this user may not see.
  bool isPartial() const { return isPartial_; }

  /// What one file of fdinfo says; for tests.
  struct Client {
    std::string driver, bus, id;
    Reading bytes;  ///< resident in the GPU's own memory, or in the system's where it has none
    std::map<std::string, int64_t> busyNs;  ///< by engine
  };
  static Client parse(const std::string& text);

 private:
  using Key = std::pair<DrmGpu, std::string>;
  struct Seen {
    int64_t time = 0;
    std::map<std::string, int64_t> busyNs;
  };

  void readProcess(uint32_t pid, int64_t now, std::map<DrmGpu, std::vector<GpuProcess>>& found);
  Reading busyOf(const Key& key, const Client& client, int64_t now);

  std::string procRoot_;
  ProcessNames names_;
  std::map<Key, Seen> before_, seen_;
  bool isPartial_ = false;
};

}  // namespace strata::device
