#pragma once

#include <map>
#include <vector>

#include "device/sample.h"

namespace strata::device {

/// Tells from one list of processes to the next who came, who went, and who grew by more than a threshold
/// since it was last told of. The processes of a GPU's first list were there already: they are not told of.
class ProcessEvents {
 public:
  explicit ProcessEvents(int64_t growthBytes) : growthBytes_(growthBytes) {}

  void setGrowth(int64_t growthBytes) { growthBytes_ = growthBytes; }
  std::vector<Event> next(const Sample& sample);

 private:
  struct Known {
    std::string name;
    Reading bytes;  ///< when it was last told of
  };
  struct Gpu {
    ProcessList list;
    std::map<uint32_t, Known> known;
  };

  void compare(Gpu& gpu, uint32_t position, const Sample& sample, std::vector<Event>& events) const;

  int64_t growthBytes_;
  std::map<uint32_t, Gpu> gpus_;
};

/// "python (41877)".
std::string describe(const std::string& name, uint32_t pid);

}  // namespace strata::device
