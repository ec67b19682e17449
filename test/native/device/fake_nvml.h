#pragma once

#include <string>

namespace strata::device {

/// The fake library (fake_nvml.c) and its configuration.
class FakeNvml {
 public:
  enum class Age { Current, Old, Bare };

  /// Resets the configuration.
  explicit FakeNvml(const std::string& configuration = "", Age age = Age::Current);
  ~FakeNvml();

  const std::string& path() const { return path_; }
  void configure(const std::string& configuration) const;

 private:
  std::string path_;
  void (*configure_)(const char*) = nullptr;
};

}  // namespace strata::device
