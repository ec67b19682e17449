#pragma once

#include <napi.h>

#include "binding/opened_trace.h"

namespace strata::binding {

/// What JavaScript holds of an open trace. Queries that look at many rows answer with a promise and run on
/// worker threads; those of one row answer at once. The shapes of the results are in main/engine/native.ts.
/// Errors: JavaScript Errors with `code`, `remedy`, `byte`; after close() every call fails with
/// "trace-closed".
class TraceHandle final : public Napi::ObjectWrap<TraceHandle> {
 public:
  static void define(Napi::Env env);
  static Napi::Object create(Napi::Env env, SharedTrace trace);
  explicit TraceHandle(const Napi::CallbackInfo& info);

 private:
  Napi::Value facts(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  Napi::Value series(const Napi::CallbackInfo& info);
  Napi::Value liveBlocks(const Napi::CallbackInfo& info);
  Napi::Value map(const Napi::CallbackInfo& info);
  Napi::Value ranges(const Napi::CallbackInfo& info);

  Napi::Value state(const Napi::CallbackInfo& info);
  Napi::Value moment(const Napi::CallbackInfo& info);
  Napi::Value hit(const Napi::CallbackInfo& info);
  Napi::Value eventAt(const Napi::CallbackInfo& info);
  Napi::Value markers(const Napi::CallbackInfo& info);
  Napi::Value annotations(const Napi::CallbackInfo& info);
  Napi::Value consumers(const Napi::CallbackInfo& info);

  Napi::Value counters(const Napi::CallbackInfo& info);
  Napi::Value counterWindow(const Napi::CallbackInfo& info);
  Napi::Value difference(const Napi::CallbackInfo& info);

  Napi::Value sites(const Napi::CallbackInfo& info);
  Napi::Value extremes(const Napi::CallbackInfo& info);
  Napi::Value block(const Napi::CallbackInfo& info);
  Napi::Value segment(const Napi::CallbackInfo& info);
  Napi::Value event(const Napi::CallbackInfo& info);
  Napi::Value frames(const Napi::CallbackInfo& info);

  Napi::Value simulate(const Napi::CallbackInfo& info);
  Napi::Value sweep(const Napi::CallbackInfo& info);
  Napi::Value decisions(const Napi::CallbackInfo& info);

  const SharedTrace& opened(Napi::Env env) const;

  SharedTrace trace_;
};

}  // namespace strata::binding
