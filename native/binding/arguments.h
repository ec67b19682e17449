#pragma once

#include <napi.h>

#include <cstdint>

#include "analysis/index.h"
#include "binding/opened_trace.h"

namespace strata::binding {

/// The arguments of a call, read in order. The engine has checked their types and ranges (app/contract); what
/// depends on the trace, the rows of its tables, is checked here, for no row may be read that is not there.
/// Errors: a JavaScript Error with code "bad-arguments".
class Arguments {
 public:
  Arguments(const Napi::CallbackInfo& info, const OpenedTrace& opened) : info_(info), opened_(opened) {}

  size_t device() { return row("device", opened_.trace.devices.size()); }
  uint32_t row(const char* name, size_t count);
  /// The moment after an event of this device, or kBeforeFirst.
  EventIndex moment(size_t device);
  Window window();
  Region region() { return static_cast<Region>(row("region", kRegionCount)); }
  uint64_t address();
  double number() { return info_[next_++].ToNumber().DoubleValue(); }
  uint64_t bytes();
  uint32_t count() { return info_[next_++].ToNumber().Uint32Value(); }

 private:
  const Napi::CallbackInfo& info_;
  const OpenedTrace& opened_;
  size_t next_ = 0;
};

}  // namespace strata::binding
