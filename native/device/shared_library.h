#pragma once

#include <string>

namespace strata::device {

/// A library that is loaded while the program runs, and stays loaded: a thread may still be inside it when
/// the program ends, so it is never unloaded.
class SharedLibrary {
 public:
  /// Answers whether it could be loaded; if not, `error()` says why in the words of the loader.
  bool load(const std::string& path);
  bool isLoaded() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }

  /// A function by name, or null when the library does not have it.
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace strata::device
