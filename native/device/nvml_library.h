#pragma once

#include <string>
#include <utility>

#include "device/call_watch.h"
#include "device/gpu.h"
#include "device/nvml_layout.h"
#include "device/shared_library.h"

namespace strata::device::nvml {

/// NVML, loaded while the program runs. Each function is looked up alone: one that is missing is null, and
/// calling it answers kFunctionNotFound, so an old library offers less instead of nothing.
class Library {
 public:
  /// Loads and initialises it. `override` names the only file to try; empty: the usual places.
  LookedFor open(const std::string& override, CallWatch& watch);

  template <typename... Parameters, typename... Arguments>
  static int call(CallWatch& watch, const char* name, int (*function)(Parameters...),
                  Arguments... arguments) {
    if (function == nullptr) return kFunctionNotFound;
    watch.begin(name);
    const int code = function(arguments...);
    watch.end();
    return code;
  }

  int (*getCount)(unsigned*) = nullptr;
  int (*getHandleByIndex)(unsigned, Handle*) = nullptr;
  int (*getName)(Handle, char*, unsigned) = nullptr;
  int (*getUuid)(Handle, char*, unsigned) = nullptr;
  int (*getPciInfo)(Handle, PciInfo*) = nullptr;
  int (*getMemoryV2)(Handle, MemoryV2*) = nullptr;
  int (*getMemory)(Handle, Memory*) = nullptr;
  int (*getUtilization)(Handle, Utilization*) = nullptr;
  int (*getTemperature)(Handle, int, unsigned*) = nullptr;
  int (*getTemperatureThreshold)(Handle, int, unsigned*) = nullptr;
  int (*getPower)(Handle, unsigned*) = nullptr;
  int (*getPowerLimit)(Handle, unsigned*) = nullptr;
  int (*getClock)(Handle, int, unsigned*) = nullptr;
  int (*getPcieThroughput)(Handle, int, unsigned*) = nullptr;
  int (*getEnergy)(Handle, unsigned long long*) = nullptr;
  int (*getComputeProcesses)(Handle, unsigned*, void*) = nullptr;
  int (*getGraphicsProcesses)(Handle, unsigned*, void*) = nullptr;
  bool isComputeV1 = false, isGraphicsV1 = false;  ///< whether they fill ProcessInfoV1
  int (*getProcessUtilization)(Handle, ProcessUtilizationSample*, unsigned*, unsigned long long) = nullptr;
  int (*getProcessName)(unsigned, char*, unsigned) = nullptr;
  int (*getMaxMigDeviceCount)(Handle, unsigned*) = nullptr;
  int (*getMigDeviceHandle)(Handle, unsigned, Handle*) = nullptr;

  /// A code in plain words, as part of a sentence.
  static std::string words(int code);

 private:
  bool loadAny(const std::string& override, LookedFor& report);
  int initialise(CallWatch& watch);
  void findFunctions();

  SharedLibrary library_;
};

}  // namespace strata::device::nvml
