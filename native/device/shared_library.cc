#include "device/shared_library.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace strata::device {

#ifdef _WIN32

bool SharedLibrary::load(const std::string& path) {
  // Absolute paths only: a DLL planted beside a capture must never be found.
  handle_ = LoadLibraryExA(path.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (handle_ == nullptr) error_ = "Windows error " + std::to_string(GetLastError());
  return handle_ != nullptr;
}

void* SharedLibrary::address(const char* name) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

#else

bool SharedLibrary::load(const std::string& path) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* error = dlerror();
    error_ = error == nullptr ? "unknown" : error;
  }
  return handle_ != nullptr;
}

void* SharedLibrary::address(const char* name) const { return dlsym(handle_, name); }

#endif

}  // namespace strata::device
