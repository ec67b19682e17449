#include "device/nvml_library.h"

#include <cstdlib>
#include <filesystem>

namespace strata::device::nvml {
namespace {

#ifdef _WIN32
constexpr char kFileName[] = "nvml.dll";

std::vector<std::string> usualPlaces() {
  std::vector<std::string> places;
  if (const char* root = std::getenv("SystemRoot"))
    places.push_back(std::string(root) + "\\System32\\nvml.dll");
  if (const char* programs = std::getenv("ProgramW6432")) {
    places.push_back(std::string(programs) + "\\NVIDIA Corporation\\NVSMI\\nvml.dll");
  }
  return places;
}
#else
constexpr char kFileName[] = "libnvidia-ml.so.1";

/// The loader's own path first; then where drivers put it without telling the loader (WSL, NixOS,
/// containers).
std::vector<std::string> usualPlaces() {
  std::vector<std::string> places{kFileName};
  for (const char* folder : {"/usr/lib/wsl/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64", "/usr/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib"}) {
    places.push_back(std::string(folder) + "/" + kFileName);
  }
  return places;
}
#endif

/// The first of several names that the library has.
template <typename Function>
void find(const SharedLibrary& library, Function*& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (function == nullptr) function = library.find<Function>(name);
  }
}

const char* codeOfFailedStart(int code) {
  switch (code) {
    case kDriverNotLoaded:
      return "driver-not-loaded";
    case kVersionMismatch:
      return "driver-mismatch";
    case kNoPermission:
      return "no-permission";
    case kFunctionNotFound:
      return "library-too-old";
    default:
      return "driver-failed";
  }
}

}  // namespace

bool Library::loadAny(const std::string& override, LookedFor& report) {
  report.where = override.empty() ? usualPlaces() : std::vector<std::string>{override};
  for (const std::string& place : report.where) {
    if (library_.load(place)) {
      report.where = {place};
      return true;
    }
    std::error_code ignored;
    if (!std::filesystem::exists(place, ignored)) continue;
    report.outcome = LookedFor::Outcome::Failed;
    report.code = "library-unusable";
    report.detail = library_.error();
  }
  return false;
}

int Library::initialise(CallWatch& watch) {
  using Init = int();
  using InitWithFlags = int(unsigned);
  int code =
      call(watch, "nvmlInitWithFlags", library_.find<InitWithFlags>("nvmlInitWithFlags"), kInitAllowsNoGpus);
  if (code == kFunctionNotFound) code = call(watch, "nvmlInit_v2", library_.find<Init>("nvmlInit_v2"));
  if (code == kFunctionNotFound) code = call(watch, "nvmlInit", library_.find<Init>("nvmlInit"));
  return code;
}

LookedFor Library::open(const std::string& override, CallWatch& watch) {
  LookedFor report;
  report.kind = "nvidia";
  report.what = override.empty() ? kFileName : override;
  report.code = "library-not-found";
  if (!loadAny(override, report)) return report;
  const int code = initialise(watch);
  if (code != kSuccess) {
    report.outcome = LookedFor::Outcome::Failed;
    report.code = codeOfFailedStart(code);
    report.detail = words(code);
    return report;
  }
  findFunctions();
  report.outcome = LookedFor::Outcome::Found;
  report.code = "found";
  char version[kVersionBytes] = {};
  using GetVersion = int(char*, unsigned);
  if (call(watch, "nvmlSystemGetDriverVersion", library_.find<GetVersion>("nvmlSystemGetDriverVersion"),
           version, kVersionBytes - 1) == kSuccess) {
    report.version = version;
  }
  return report;
}

void Library::findFunctions() {
  find(library_, getCount, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  find(library_, getHandleByIndex, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  find(library_, getName, {"nvmlDeviceGetName"});
  find(library_, getUuid, {"nvmlDeviceGetUUID"});
  find(library_, getPciInfo, {"nvmlDeviceGetPciInfo_v3"});
  find(library_, getMemoryV2, {"nvmlDeviceGetMemoryInfo_v2"});
  find(library_, getMemory, {"nvmlDeviceGetMemoryInfo"});
  find(library_, getUtilization, {"nvmlDeviceGetUtilizationRates"});
  find(library_, getTemperature, {"nvmlDeviceGetTemperature"});
  find(library_, getTemperatureThreshold, {"nvmlDeviceGetTemperatureThreshold"});
  find(library_, getPower, {"nvmlDeviceGetPowerUsage"});
  find(library_, getPowerLimit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find(library_, getClock, {"nvmlDeviceGetClockInfo"});
  find(library_, getPcieThroughput, {"nvmlDeviceGetPcieThroughput"});
  find(library_, getEnergy, {"nvmlDeviceGetTotalEnergyConsumption"});
  find(library_, getComputeProcesses,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  find(library_, getGraphicsProcesses,
       {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
  isComputeV1 = getComputeProcesses == nullptr;
  isGraphicsV1 = getGraphicsProcesses == nullptr;
  find(library_, getComputeProcesses, {"nvmlDeviceGetComputeRunningProcesses"});
  find(library_, getGraphicsProcesses, {"nvmlDeviceGetGraphicsRunningProcesses"});
  find(library_, getProcessUtilization, {"nvmlDeviceGetProcessUtilization"});
  find(library_, getProcessName, {"nvmlSystemGetProcessName"});
  find(library_, getMaxMigDeviceCount, {"nvmlDeviceGetMaxMigDeviceCount"});
  find(library_, getMigDeviceHandle, {"nvmlDeviceGetMigDeviceHandleByIndex"});
}

std::string Library::words(int code) {
  switch (code) {
    case kUninitialized:
      return "the library is not initialised";
    case kInvalidArgument:
      return "an argument is not valid";
    case kNotSupported:
      return "this GPU does not offer it";
    case kNoPermission:
      return "this user may not read it";
    case kNotFound:
      return "nothing was found";
    case kInsufficientPower:
      return "the GPU's power cables are not attached";
    case kDriverNotLoaded:
      return "the NVIDIA driver is not loaded";
    case kTimeout:
      return "the driver timed out";
    case kIrqIssue:
      return "the kernel has a problem with the GPU's interrupts";
    case kLibraryNotFound:
      return "a library that the driver needs is missing";
    case kFunctionNotFound:
      return "this version of the library does not have it";
    case kCorruptedInforom:
      return "the GPU's information memory is damaged";
    case kGpuLost:
      return "the GPU has fallen off the bus";
    case kResetRequired:
      return "the GPU must be reset";
    case kOperatingSystem:
      return "the operating system blocked the driver";
    case kVersionMismatch:
      return "the library and the loaded driver are of different versions; a restart usually mends that";
    case kInUse:
      return "the GPU is in use";
    case kMemory:
      return "there is not enough memory";
    case kNoData:
      return "there is no data";
    case kInsufficientResources:
      return "the driver is short of resources";
    case kArgumentVersionMismatch:
      return "the library is of another version";
    default:
      return "the driver answered with code " + std::to_string(code);
  }
}

}  // namespace strata::device::nvml
