#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace strata::device {

/// Names of processes, asked once while a process is there: from the driver, else from /proc. Empty when
/// neither tells, as for a process outside of this container.
class ProcessNames {
 public:
  /// Fills a text of a size with the path of the program; answers whether it could.
  using Ask = std::function<bool(char* text, unsigned size)>;

  explicit ProcessNames(std::string procRoot) : procRoot_(std::move(procRoot)) {}

  const std::string& of(uint32_t pid, const Ask& ask = {});
  /// Forgets the processes that were not asked for since the last call: their numbers may be given again.
  void forgetGone();

 private:
  struct Entry {
    std::string name;
    bool isSeen = true;
  };
  std::string procRoot_;
  std::map<uint32_t, Entry> names_;
};

}  // namespace strata::device
