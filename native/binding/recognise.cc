#include "binding/recognise.h"

#include <string>

#include "capture/capture.h"

namespace strata::binding {

Napi::Value recognise(const Napi::CallbackInfo& info) {
  if (info.Length() != 1 || !info[0].IsTypedArray()) {
    throw Napi::TypeError::New(info.Env(), "recognise(start)");
  }
  const auto start = info[0].As<Napi::Uint8Array>();
  return Napi::String::New(info.Env(), std::string(recogniseStart({start.Data(), start.ByteLength()})));
}

}  // namespace strata::binding
