#include "binding/arguments.h"

#include <algorithm>
#include <string>

#include "binding/failure.h"

namespace strata::binding {
namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

[[noreturn]] void refuse(Napi::Env env, const std::string& sentence) {
  throw Failure{"bad-arguments", sentence, ""}.toError(env);
}

}  // namespace

uint32_t Arguments::row(const char* name, size_t count) {
  const double row = number();
  if (!(row >= 0 && row < static_cast<double>(count))) {
    refuse(info_.Env(), std::string("There is no such ") + name + " in this trace.");
  }
  return static_cast<uint32_t>(row);
}

EventIndex Arguments::moment(size_t device) {
  const double event = number();
  if (!(event >= -1 && event < static_cast<double>(opened_.trace.devices[device].events.count()))) {
    refuse(info_.Env(), "There is no such event in this trace.");
  }
  return static_cast<EventIndex>(event);
}

Window Arguments::window() {
  Window window;
  window.axis = info_[next_++].ToBoolean() ? Axis::Time : Axis::Event;
  window.from = number();
  window.to = number();
  window.columns = std::max(1u, count());
  return window;
}

uint64_t Arguments::address() {
  bool isLossless = true;
  return info_[next_++].As<Napi::BigInt>().Uint64Value(&isLossless);
}

uint64_t Arguments::bytes() { return static_cast<uint64_t>(std::clamp(number(), 0.0, kLargestExact)); }

}  // namespace strata::binding
