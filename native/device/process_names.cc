#include "device/process_names.h"

#include <fstream>

namespace strata::device {
namespace {

constexpr unsigned kLongestPath = 1024;

/// "python" of "/usr/bin/python" or "C:\\Python\\python.exe".
std::string lastPart(const std::string& path) {
  const size_t separator = path.find_last_of("/\\");
  return separator == std::string::npos ? path : path.substr(separator + 1);
}

}  // namespace

const std::string& ProcessNames::of(uint32_t pid, const Ask& ask) {
  const auto [found, isNew] = names_.try_emplace(pid);
  Entry& entry = found->second;
  entry.isSeen = true;
  if (!isNew) return entry.name;
  char text[kLongestPath] = {};
  if (ask && ask(text, kLongestPath - 1)) entry.name = lastPart(text);
  if (entry.name.empty()) {
    std::ifstream file(procRoot_ + "/" + std::to_string(pid) + "/comm");
    std::getline(file, entry.name);
  }
  return entry.name;
}

void ProcessNames::forgetGone() {
  for (auto one = names_.begin(); one != names_.end();) {
    if (!one->second.isSeen) {
      one = names_.erase(one);
    } else {
      (one++)->second.isSeen = false;
    }
  }
}

}  // namespace strata::device
