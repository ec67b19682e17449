#include "binding/simulators.h"

#include "allocator/simulator.h"
#include "binding/values.h"

namespace strata::binding {
namespace {

const char* nameOf(Knob::Kind kind) {
  switch (kind) {
    case Knob::Kind::Bytes:
      return "bytes";
    case Knob::Kind::Count:
      return "count";
    case Knob::Kind::Fraction:
      return "fraction";
    case Knob::Kind::Flag:
      return "flag";
    case Knob::Kind::Choice:
      return "choice";
    case Knob::Kind::Text:
      return "text";
  }
  return "text";
}

Napi::Object expressKnob(Napi::Env env, const Knob& knob) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("name", text(env, knob.name));
  result.Set("kind", text(env, nameOf(knob.kind)));
  result.Set("initial", text(env, knob.initial));
  Napi::Array choices = Napi::Array::New(env, knob.choices.size());
  for (uint32_t i = 0; i < knob.choices.size(); ++i) choices.Set(i, text(env, knob.choices[i]));
  result.Set("choices", choices);
  const bool hasRange = knob.least != knob.most;
  result.Set("least", hasRange ? number(env, knob.least) : env.Null());
  result.Set("most", hasRange ? number(env, knob.most) : env.Null());
  return result;
}

Napi::Object expressSimulator(Napi::Env env, const Simulator& simulator) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("name", text(env, simulator.name));
  result.Set("isModel", Napi::Boolean::New(env, simulator.isModel));
  result.Set("knowsPools", Napi::Boolean::New(env, simulator.knowsPools));
  Napi::Array knobs = Napi::Array::New(env, simulator.knobs.size());
  for (uint32_t i = 0; i < simulator.knobs.size(); ++i) knobs.Set(i, expressKnob(env, simulator.knobs[i]));
  result.Set("knobs", knobs);
  return result;
}

}  // namespace

Napi::Value listSimulators(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto& all = simulators();
  Napi::Array list = Napi::Array::New(env, all.size());
  for (uint32_t i = 0; i < all.size(); ++i) list.Set(i, expressSimulator(env, all[i]));
  return list;
}

}  // namespace strata::binding
