#include "binding/content_hash.h"

namespace strata::binding {

Napi::Function ContentHash::define(Napi::Env env) {
  return DefineClass(
      env, "ContentHash",
      {InstanceMethod<&ContentHash::update>("update"), InstanceMethod<&ContentHash::low32>("low32")});
}

void ContentHash::update(const Napi::CallbackInfo& info) {
  if (info.Length() != 1 || !info[0].IsTypedArray()) throw Napi::TypeError::New(info.Env(), "update(bytes)");
  const auto bytes = info[0].As<Napi::Uint8Array>();
  hash_.update({bytes.Data(), bytes.ByteLength()});
}

Napi::Value ContentHash::low32(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<uint32_t>(hash_.digest()));
}

}  // namespace strata::binding
