#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace strata::device {

/// One of the kernel's small files.
struct KernelNumber {
  std::optional<int64_t> value;
  int error = 0;  ///< errno; ENOENT: not offered. EINVAL when it holds no number
};

/// Reads a whole number. Never throws: files of a device may vanish at any time.
KernelNumber readNumber(const std::string& path);

/// The first line without its end; empty when it cannot be read.
std::string readLine(const std::string& path);

/// All of a small file; empty when it cannot be read.
std::string readText(const std::string& path);

/// The last part of what a link points to; empty when it is none.
std::string linkName(const std::string& path);

}  // namespace strata::device
