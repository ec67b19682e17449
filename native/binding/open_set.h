#pragma once

#include <napi.h>

namespace strata::binding {

/// `openSet([{ path, name, bytes }], onProgress) -> { promise, cancel }`: several files as one trace. Those
/// that cannot be read are in the facts of the trace, which has no parts when none can.
Napi::Value startOpenSet(const Napi::CallbackInfo& info);

}  // namespace strata::binding
