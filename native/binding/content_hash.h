#pragma once

#include <napi.h>

#include "capture/xxhash64.h"

namespace strata::binding {

/// `new ContentHash()`, `.update(bytes: Uint8Array)`, `.low32() -> number`: what zstd states of a frame's
/// content.
class ContentHash final : public Napi::ObjectWrap<ContentHash> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit ContentHash(const Napi::CallbackInfo& info) : Napi::ObjectWrap<ContentHash>(info) {}

 private:
  void update(const Napi::CallbackInfo& info);
  Napi::Value low32(const Napi::CallbackInfo& info);

  XxHash64 hash_;
};

}  // namespace strata::binding
