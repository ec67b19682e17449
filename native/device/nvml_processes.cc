#include "device/nvml_processes.h"

#include <algorithm>
#include <cstring>

namespace strata::device::nvml {
namespace {

/// Processes come between asking how many there are and asking for them, so there is always room for more.
constexpr size_t kSlack = 8;
constexpr int kAttempts = 6;
constexpr size_t kMostProcesses = 65536;
constexpr uint32_t kNoInstance = ~uint32_t{0};

/// `bytes` are entries of one of the two layouts.
template <typename Entry>
Entry entryAt(const std::vector<uint8_t>& bytes, size_t index) {
  Entry entry;
  std::memcpy(&entry, bytes.data() + index * sizeof(Entry), sizeof(Entry));
  return entry;
}

Reading bytesOrNone(uint64_t bytes) {
  if (bytes == kNotAvailable) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

}  // namespace

int ProcessList::readList(const char* name, int (*function)(Handle, unsigned*, void*), bool isV1,
                          Handle handle, CallWatch& watch, Found& found) {
  const size_t entryBytes = isV1 ? sizeof(ProcessInfoV1) : sizeof(ProcessInfo);
  std::vector<uint8_t> entries;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    entries.resize(room_ * entryBytes);
    auto count = static_cast<unsigned>(room_);
    const int code = Library::call(watch, name, function, handle, &count, static_cast<void*>(entries.data()));
    if (code == kInsufficientSize) {
      room_ = std::min(std::max<size_t>(count, room_) + kSlack, kMostProcesses);
      continue;
    }
    if (code != kSuccess) return code;
    for (size_t i = 0; i < std::min<size_t>(count, room_); ++i) {
      ProcessInfo entry{};
      if (isV1) {
        const auto old = entryAt<ProcessInfoV1>(entries, i);
        entry = {old.pid, old.usedGpuMemory, kNoInstance, kNoInstance};
      } else {
        entry = entryAt<ProcessInfo>(entries, i);
      }
      Reading& bytes = found[{entry.pid, entry.gpuInstanceId}];
      bytes = std::max(bytes, bytesOrNone(entry.usedGpuMemory));  // absent is less than any
    }
    return kSuccess;
  }
  return kInsufficientSize;
}

void ProcessList::readBusy(const Library& library, Handle handle, CallWatch& watch,
                           std::vector<GpuProcess>& processes) {
  if (!hasBusy_ || processes.empty()) return;
  samples_.resize(std::max<size_t>(samples_.size(), 128));
  auto count = static_cast<unsigned>(samples_.size());
  const int code = Library::call(watch, "nvmlDeviceGetProcessUtilization", library.getProcessUtilization,
                                 handle, samples_.data(), &count, lastSeen_);
  if (code == kNotSupported || code == kFunctionNotFound) hasBusy_ = false;
  if (code == kInsufficientSize) samples_.resize(std::min<size_t>(count + kSlack, kMostProcesses));
  if (code != kSuccess) return;  // kNotFound: nothing new
  struct Sum {
    int64_t percent = 0, samples = 0;
  };
  std::map<uint32_t, Sum> sums;
  for (size_t i = 0; i < std::min<size_t>(count, samples_.size()); ++i) {
    const ProcessUtilizationSample& sample = samples_[i];
    if (sample.timeStamp <= lastSeen_ || sample.smUtil > 100) continue;
    sums[sample.pid].percent += sample.smUtil;
    sums[sample.pid].samples += 1;
  }
  for (size_t i = 0; i < std::min<size_t>(count, samples_.size()); ++i) {
    lastSeen_ = std::max<unsigned long long>(lastSeen_, samples_[i].timeStamp);
  }
  for (GpuProcess& process : processes) {
    const auto sum = sums.find(process.pid);
    if (sum != sums.end()) process.busy = sum->second.percent / sum->second.samples;
  }
}

int ProcessList::read(const Library& library, Handle handle, ProcessNames& names, CallWatch& watch,
                      std::vector<GpuProcess>& processes) {
  Found found;
  const int compute = readList("nvmlDeviceGetComputeRunningProcesses", library.getComputeProcesses,
                               library.isComputeV1, handle, watch, found);
  if (compute != kSuccess) return compute;
  // GPUs without a display side do not offer the second list; the first is then complete.
  const int graphics = readList("nvmlDeviceGetGraphicsRunningProcesses", library.getGraphicsProcesses,
                                library.isGraphicsV1, handle, watch, found);
  if (graphics == kGpuLost || graphics == kResetRequired) return graphics;
  processes.clear();
  for (const auto& [key, bytes] : found) {
    const uint32_t pid = key.first;
    if (!processes.empty() && processes.back().pid == pid) {  // the same process in another MIG instance
      Reading& sum = processes.back().bytes;
      sum = sum && bytes ? Reading(*sum + *bytes) : std::nullopt;
      continue;
    }
    const auto ask = [&](char* text, unsigned size) {
      return Library::call(watch, "nvmlSystemGetProcessName", library.getProcessName, pid, text, size) ==
             kSuccess;
    };
    processes.push_back({pid, names.of(pid, ask), bytes, std::nullopt});
  }
  readBusy(library, handle, watch, processes);
  return kSuccess;
}

}  // namespace strata::device::nvml
