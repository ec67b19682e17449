#pragma once

#include <napi.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "binding/opened_trace.h"
#include "capture/growing_capture.h"

namespace strata::binding {

/// A capture that is being received, as JavaScript holds it; shapes in main/engine/native-growing.ts.
///   append(bytes): whole lines; answers at once with what has arrived
///   trace(onProgress): a trace of all of it, `{ promise, cancel }`, as `open` answers; one at a time
class GrowingTrace final : public Napi::ObjectWrap<GrowingTrace> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit GrowingTrace(const Napi::CallbackInfo& info);

 private:
  Napi::Value append(const Napi::CallbackInfo& info);
  Napi::Value trace(const Napi::CallbackInfo& info);

  using SiteMemory = std::map<std::pair<DeviceKind, int>, std::vector<Site>>;

  std::shared_ptr<GrowingCapture> capture_;
  /// The sites of each device in the trace made last, so that they keep their colours.
  std::shared_ptr<SiteMemory> sites_;
};

}  // namespace strata::binding
