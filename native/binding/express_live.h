#pragma once

#include <napi.h>

#include <vector>

#include "device/sampler.h"

namespace strata::binding {

// What the sampler knows as JavaScript values; their shapes are declared in main/engine/native-live.ts. A
// reading that is absent is null, and NaN in arrays.

Napi::Value expressLookedFor(Napi::Env env, const std::vector<device::LookedFor>& reports);
Napi::Value expressGpus(Napi::Env env, const std::vector<device::GpuIdentity>& gpus);
Napi::Value expressStatus(Napi::Env env, const device::SamplerStatus& status);
Napi::Value expressSamples(Napi::Env env, const std::vector<device::Sample>& samples);
Napi::Value expressWindow(Napi::Env env, const std::vector<device::RingColumns>& metrics);
Napi::Value expressEvents(Napi::Env env, const std::vector<device::Event>& events);

}  // namespace strata::binding
