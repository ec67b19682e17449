#include "device/drm_clients.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "device/kernel_file.h"

namespace strata::device {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kResident = "drm-resident-", kMemory = "drm-memory-", kEngine = "drm-engine-";

bool startsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// "123 KiB" in bytes; without a unit they are bytes.
Reading bytesOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || value < 0) return std::nullopt;
  const std::string_view unit = trimmed(text.substr(static_cast<size_t>(end - text.data())));
  const int shift = unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : 0;
  if (value > (INT64_MAX >> shift)) return std::nullopt;
  return value << shift;
}

bool isOwnMemory(std::string_view region) {
  return startsWith(region, "vram") || startsWith(region, "local");
}

/// The numbers among the names of a folder; empty when it cannot be read, with the reason in `error`.
std::vector<uint32_t> numbersIn(const std::string& folder, std::error_code& error) {
  std::vector<uint32_t> numbers;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    uint32_t number = 0;
    const auto [rest, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem == std::errc() && rest == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

DrmClients::Client DrmClients::parse(const std::string& text) {
  Client client;
  Reading own, other;
  const auto add = [](Reading& sum, Reading bytes) {
    if (bytes) sum = sum.value_or(0) + *bytes;
  };
  bool hasResident = false;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (key == "drm-driver") client.driver = value;
    if (key == "drm-pdev") client.bus = value;
    if (key == "drm-client-id") client.id = value;
    if (startsWith(key, kEngine))
      client.busyNs[std::string(key.substr(kEngine.size()))] = bytesOf(value).value_or(0);
    // Older kernels call it "memory"; newer ones of AMD say both, the same twice.
    const bool isResident = startsWith(key, kResident);
    if (!isResident && !startsWith(key, kMemory)) continue;
    if (isResident && !hasResident) own.reset(), other.reset();
    if (!isResident && hasResident) continue;
    hasResident = hasResident || isResident;
    const std::string_view region = key.substr(isResident ? kResident.size() : kMemory.size());
    add(isOwnMemory(region) ? own : other, bytesOf(value));
  }
  client.bytes = own ? own : other;
  return client;
}

Reading DrmClients::busyOf(const Key& key, const Client& client, int64_t now) {
  seen_[key] = {now, client.busyNs};
  const auto before = before_.find(key);
  if (client.busyNs.empty() || before == before_.end() || before->second.time >= now) return std::nullopt;
  int64_t most = 0;
  for (const auto& [engine, ns] : client.busyNs) {
    const auto old = before->second.busyNs.find(engine);
    if (old != before->second.busyNs.end()) most = std::max(most, ns - old->second);
  }
  const double share = static_cast<double>(most) / static_cast<double>(now - before->second.time);
  return std::min<int64_t>(100, static_cast<int64_t>(100 * share + 0.5));
}

void DrmClients::readProcess(uint32_t pid, int64_t now, std::map<DrmGpu, std::vector<GpuProcess>>& found) {
  const std::string folder = procRoot_ + "/" + std::to_string(pid);
  std::error_code error;
  const std::vector<uint32_t> files = numbersIn(folder + "/fd", error);
  if (error == std::errc::permission_denied) isPartial_ = true;
  for (const uint32_t file : files) {
    const fs::path target = fs::read_symlink(folder + "/fd/" + std::to_string(file), error);
    if (error || !startsWith(target.generic_string(), "/dev/dri/")) continue;
    const Client client = parse(readText(folder + "/fdinfo/" + std::to_string(file)));
    if (client.driver.empty()) continue;
    const Key key{client.bus.empty() ? client.driver : client.bus, client.id};
    if (seen_.count(key) != 0) continue;  // one client, open in several files or processes
    const Reading busy = busyOf(key, client, now);
    std::vector<GpuProcess>& processes = found[key.first];
    if (processes.empty() || processes.back().pid != pid) {
      processes.push_back({pid, names_.of(pid), client.bytes, busy});
      continue;
    }
    GpuProcess& process = processes.back();
    if (client.bytes) process.bytes = process.bytes.value_or(0) + *client.bytes;
    if (busy) process.busy = std::min<int64_t>(100, process.busy.value_or(0) + *busy);
  }
}

std::map<DrmGpu, std::vector<GpuProcess>> DrmClients::read(int64_t now) {
  isPartial_ = false;
  seen_.clear();
  std::map<DrmGpu, std::vector<GpuProcess>> found;
  std::error_code error;
  std::vector<uint32_t> pids = numbersIn(procRoot_, error);
  std::sort(pids.begin(), pids.end());
  for (const uint32_t pid : pids) readProcess(pid, now, found);
  before_ = std::exchange(seen_, {});
  names_.forgetGone();
  return found;
}

}  // namespace strata::device
