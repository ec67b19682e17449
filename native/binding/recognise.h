#pragma once

#include <napi.h>

namespace strata::binding {

/// `recognise(start: Uint8Array) -> string`: the format of a file that begins like this, or "".
Napi::Value recognise(const Napi::CallbackInfo& info);

}  // namespace strata::binding
