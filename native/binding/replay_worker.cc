#include "binding/replay_worker.h"

#include <utility>

#include "allocator/replay_files.h"
#include "binding/values.h"

namespace strata::binding {
namespace {

Napi::Value express(Napi::Env env, const GoldenRun& run) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("operations", number(env, static_cast<double>(run.totals.operations)));
  result.Set("requests", number(env, static_cast<double>(run.totals.requests)));
  result.Set("refused", number(env, static_cast<double>(run.totals.refused)));
  Napi::Array warnings = Napi::Array::New(env, run.warnings.size());
  for (uint32_t i = 0; i < run.warnings.size(); ++i) {
    const Warning& warning = run.warnings[i];
    Napi::Object expressed = Napi::Object::New(env);
    expressed.Set("code", text(env, warning.code));
    expressed.Set("message", text(env, warning.message));
    expressed.Set("isDamage", Napi::Boolean::New(env, warning.isDamage));
    warnings.Set(i, expressed);
  }
  result.Set("warnings", warnings);
  return result;
}

}  // namespace

Napi::Value ReplayWorker::start(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto isCancelled = std::make_shared<std::atomic<bool>>(false);
  auto* worker = new ReplayWorker(info, isCancelled);
  Napi::Object replaying = Napi::Object::New(env);
  replaying.Set("promise", worker->deferred_.Promise());
  replaying.Set("cancel", Napi::Function::New(
                              env, [isCancelled](const Napi::CallbackInfo&) { isCancelled->store(true); }));
  worker->Queue();  // deletes itself once it is done
  return replaying;
}

ReplayWorker::ReplayWorker(const Napi::CallbackInfo& info, CancelFlag isCancelled)
    : AsyncWorker(info.Env(), "strata.replay"),
      deferred_(Napi::Promise::Deferred::New(info.Env())),
      tracePath_(info[0].ToString().Utf8Value()),
      configurationPath_(info[1].ToString().Utf8Value()),
      isCancelled_(std::move(isCancelled)) {
  if (!info[2].IsNull()) outPath_ = info[2].ToString().Utf8Value();
}

void ReplayWorker::Execute() {
  const Progress progress = [this](const char*, uint64_t, uint64_t, uint64_t) {
    return !isCancelled_->load();
  };
  try {
    run_ = strata::replayFiles(tracePath_, configurationPath_, outPath_, progress);
  } catch (...) {
    failure_ = describeCurrentException();
  }
}

void ReplayWorker::OnOK() {
  if (failure_) return deferred_.Reject(failure_->toError(Env()).Value());
  try {
    deferred_.Resolve(express(Env(), run_));
  } catch (const Napi::Error& error) {
    deferred_.Reject(error.Value());
  }
}

}  // namespace strata::binding
