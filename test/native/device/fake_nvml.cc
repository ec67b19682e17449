#include "device/fake_nvml.h"

#include <dlfcn.h>

#include <stdexcept>

namespace strata::device {
namespace {

std::string pathOf(FakeNvml::Age age) {
  switch (age) {
    case FakeNvml::Age::Old:
      return STRATA_FAKE_NVML_OLD;
    case FakeNvml::Age::Bare:
      return STRATA_FAKE_NVML_BARE;
    default:
      return STRATA_FAKE_NVML;
  }
}

}  // namespace

FakeNvml::FakeNvml(const std::string& configuration, Age age) : path_(pathOf(age)) {
  void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);  // the same copy that the source loads
  if (library == nullptr) throw std::runtime_error(dlerror());
  configure_ = reinterpret_cast<void (*)(const char*)>(dlsym(library, "fakeNvmlConfigure"));
  configure(configuration);
}

FakeNvml::~FakeNvml() { configure(""); }

void FakeNvml::configure(const std::string& configuration) const { configure_(configuration.c_str()); }

}  // namespace strata::device
