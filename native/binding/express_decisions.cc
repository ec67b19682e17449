#include "binding/express_runs.h"
#include "binding/values.h"

namespace strata::binding {
namespace {

const char* nameOf(Decision::Step step) {
  switch (step) {
    case Decision::Step::Round:
      return "round";
    case Decision::Step::Consider:
      return "consider";
    case Decision::Step::Take:
      return "take";
    case Decision::Step::Split:
      return "split";
    case Decision::Step::Coalesce:
      return "coalesce";
    case Decision::Step::Grow:
      return "grow";
    case Decision::Step::Flush:
      return "flush";
    case Decision::Step::Defer:
      return "defer";
    case Decision::Step::Refuse:
      return "refuse";
  }
  return "";
}

const char* nameOf(Decision::Reason reason) {
  switch (reason) {
    case Decision::Reason::None:
      return "none";
    case Decision::Reason::Fits:
      return "fits";
    case Decision::Reason::TooSmall:
      return "too-small";
    case Decision::Reason::RestTooLarge:
      return "rest-too-large";
    case Decision::Reason::AboveSplitLimit:
      return "above-split-limit";
    case Decision::Reason::OtherStream:
      return "other-stream";
    case Decision::Reason::OtherPool:
      return "other-pool";
    case Decision::Reason::TierOff:
      return "tier-off";
    case Decision::Reason::BelowThreshold:
      return "below-threshold";
    case Decision::Reason::AboveThreshold:
      return "above-threshold";
    case Decision::Reason::LimitReached:
      return "limit-reached";
    case Decision::Reason::DeviceRefused:
      return "device-refused";
    case Decision::Reason::NotYetSafe:
      return "not-yet-safe";
    case Decision::Reason::NothingFree:
      return "nothing-free";
    case Decision::Reason::CollectGarbage:
      return "collect-garbage";
    case Decision::Reason::OutOfMemory:
      return "out-of-memory";
    case Decision::Reason::Released:
      return "released";
    case Decision::Reason::ExactFit:
      return "exact-fit";
    case Decision::Reason::SameStream:
      return "same-stream";
    case Decision::Reason::EventDependency:
      return "event-dependency";
    case Decision::Reason::CompletedFree:
      return "completed-free";
    case Decision::Reason::InternalDependency:
      return "internal-dependency";
    case Decision::Reason::PolicyOff:
      return "policy-off";
    case Decision::Reason::Remapped:
      return "remapped";
    case Decision::Reason::Stitched:
      return "stitched";
    case Decision::Reason::Synchronized:
      return "synchronized";
    case Decision::Reason::ImmediateTier:
      return "immediate-tier";
    case Decision::Reason::PooledTier:
      return "pooled-tier";
    case Decision::Reason::VirtualTier:
      return "virtual-tier";
    case Decision::Reason::StepEnd:
      return "step-end";
    case Decision::Reason::Planned:
      return "planned";
  }
  return "";
}

}  // namespace

Napi::Array expressDecisions(Napi::Env env, const std::vector<Decision>& decisions) {
  Napi::Array result = Napi::Array::New(env, decisions.size());
  for (uint32_t i = 0; i < decisions.size(); ++i) {
    const Decision& decision = decisions[i];
    Napi::Object one = Napi::Object::New(env);
    one.Set("step", text(env, nameOf(decision.step)));
    one.Set("reason", text(env, nameOf(decision.reason)));
    one.Set("address", decision.address == 0 ? env.Null() : whole(env, decision.address).As<Napi::Value>());
    one.Set("bytes", number(env, static_cast<double>(decision.bytes)));
    result.Set(i, one);
  }
  return result;
}

}  // namespace strata::binding
