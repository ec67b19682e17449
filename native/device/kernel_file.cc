#include "device/kernel_file.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>

namespace strata::device {
namespace {

/// Kernel files are a page at most, but for fdinfo of a program with very many engines.
constexpr size_t kLargest = 64 * 1024;

int readInto(const std::string& path, std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return errno;
  text.resize(kLargest);
  errno = 0;
  text.resize(std::fread(text.data(), 1, text.size(), file));
  const int error = std::ferror(file) != 0 ? (errno != 0 ? errno : EIO) : 0;
  std::fclose(file);
  return error;
}

}  // namespace

KernelNumber readNumber(const std::string& path) {
  std::string text;
  if (const int error = readInto(path, text); error != 0) return {std::nullopt, error};
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end == text.data()) return {std::nullopt, EINVAL};
  return {value, 0};
}

std::string readText(const std::string& path) {
  std::string text;
  return readInto(path, text) == 0 ? text : std::string();
}

std::string readLine(const std::string& path) {
  const std::string text = readText(path);
  return text.substr(0, text.find('\n'));
}

std::string linkName(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::read_symlink(path, error);
  return error ? std::string() : target.filename().string();
}

}  // namespace strata::device
