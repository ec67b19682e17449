#pragma once

#include <napi.h>

#include "binding/opened_trace.h"

namespace strata::binding {

/// `simulate(device, run, capacity | null, columns, keep, onProgress) -> { promise, cancel }`, the promise of
/// `{ run, capacity, requests, trace | null }`.
Napi::Value startSimulate(const Napi::CallbackInfo& info, const SharedTrace& trace, size_t device);

/// `sweep(device, runs | null, capacity | null, columns, onProgress) -> { promise, cancel }`, the promise of
/// `{ runs, refused, capacity, requests, calls }`, calls being the recording's.
Napi::Value startSweep(const Napi::CallbackInfo& info, const SharedTrace& trace, size_t device);

/// `decisions(device, event, onProgress) -> { promise, cancel }`, the promise of `[{ step, reason, address,
/// bytes }]`. Errors: "not-a-simulation".
Napi::Value startDecisions(const Napi::CallbackInfo& info, const SharedTrace& trace, uint32_t event);

}  // namespace strata::binding
