#include "device/gpu_events.h"

#include <set>

namespace strata::device {

std::string describe(const std::string& name, uint32_t pid) {
  const std::string number = std::to_string(pid);
  return name.empty() ? number : name + " (" + number + ")";
}

void ProcessEvents::compare(Gpu& gpu, uint32_t position, const Sample& sample,
                            std::vector<Event>& events) const {
  const bool isFirst = gpu.list == nullptr;
  const auto tell = [&](const char* kind, uint32_t pid, const std::string& name, Reading bytes) {
    if (!isFirst) events.push_back({0, sample.time, kind, position, describe(name, pid), pid, bytes});
  };
  std::set<uint32_t> there;
  for (const GpuProcess& process : *sample.processes[position]) {
    there.insert(process.pid);
    const auto [found, isNew] = gpu.known.try_emplace(process.pid, Known{process.name, process.bytes});
    Known& known = found->second;
    if (isNew) {
      tell("process-came", process.pid, process.name, process.bytes);
      continue;
    }
    if (!process.bytes) continue;
    if (known.bytes && *process.bytes - *known.bytes > growthBytes_) {
      tell("process-grew", process.pid, process.name, *process.bytes - *known.bytes);
      known.bytes = process.bytes;
    }
    // What it gives back and takes again is no growth beyond what was told.
    if (!known.bytes) known.bytes = process.bytes;
  }
  for (auto one = gpu.known.begin(); one != gpu.known.end();) {
    if (there.count(one->first) != 0) {
      ++one;
      continue;
    }
    tell("process-went", one->first, one->second.name, one->second.bytes);
    one = gpu.known.erase(one);
  }
}

std::vector<Event> ProcessEvents::next(const Sample& sample) {
  std::vector<Event> events;
  for (uint32_t position = 0; position < sample.processes.size(); ++position) {
    const ProcessList& list = sample.processes[position];
    Gpu& gpu = gpus_[position];
    if (list == nullptr || list == gpu.list) continue;
    compare(gpu, position, sample, events);
    gpu.list = list;
  }
  return events;
}

}  // namespace strata::device
