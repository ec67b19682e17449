#pragma once

#include <napi.h>

namespace strata::binding {

/// `simulators() -> [{ name, isModel, knowsPools, knobs: [{ name, kind, initial, choices, least, most }] }]`
Napi::Value listSimulators(const Napi::CallbackInfo& info);

}  // namespace strata::binding
