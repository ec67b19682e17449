#pragma once

#include <napi.h>

#include <string>

#include "allocator/what_if/sweep.h"

namespace strata::binding {

// What-if runs as JavaScript values; their shapes are declared in main/engine/native-runs.ts.

Napi::Object expressRun(Napi::Env env, const what_if::RunRequest& request,
                        const what_if::RunSummary& summary);
Napi::Object expressCalls(Napi::Env env, const DeviceCalls& calls);
Napi::Object expressCapacity(Napi::Env env, const what_if::Capacity& capacity);
/// What of the recording makes runs estimates: counts by name.
Napi::Object expressRequests(Napi::Env env, const what_if::RecordedRequests& requests);
Napi::Object expressSweep(Napi::Env env, const what_if::SweepResult& result);

Napi::Array expressDecisions(Napi::Env env, const std::vector<Decision>& decisions);

/// Errors: a JavaScript Error "bad-arguments".
what_if::RunRequest readRun(const Napi::Value& value);

}  // namespace strata::binding
