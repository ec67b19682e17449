#pragma once

#include <napi.h>

#include <memory>

#include "device/sampler.h"

namespace strata::binding {

/// What JavaScript holds of the sampler. Everything answers at once, but what may wait for a driver or a disk
/// answers with a promise. The shapes are in main/engine/native-live.ts.
/// Errors: JavaScript Errors with `code`, `remedy`, `byte`; after close() every call fails with
/// "live-closed".
class LiveSampler final : public Napi::ObjectWrap<LiveSampler> {
 public:
  static Napi::Function define(Napi::Env env);
  /// `new LiveSampler(options)`: starts to look for GPUs.
  explicit LiveSampler(const Napi::CallbackInfo& info);

 private:
  Napi::Value waitForGpus(const Napi::CallbackInfo& info);
  Napi::Value lookedFor(const Napi::CallbackInfo& info);
  Napi::Value gpus(const Napi::CallbackInfo& info);
  Napi::Value status(const Napi::CallbackInfo& info);
  Napi::Value look(const Napi::CallbackInfo& info);
  Napi::Value setRate(const Napi::CallbackInfo& info);
  Napi::Value watch(const Napi::CallbackInfo& info);
  Napi::Value samples(const Napi::CallbackInfo& info);
  Napi::Value window(const Napi::CallbackInfo& info);
  Napi::Value events(const Napi::CallbackInfo& info);
  Napi::Value mark(const Napi::CallbackInfo& info);
  Napi::Value startRecording(const Napi::CallbackInfo& info);
  Napi::Value stopRecording(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  const std::shared_ptr<device::Sampler>& running(Napi::Env env) const;

  std::shared_ptr<device::Sampler> sampler_;
};

}  // namespace strata::binding
