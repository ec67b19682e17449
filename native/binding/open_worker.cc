#include "binding/open_worker.h"

#include <utility>

#include "allocator/rebuild.h"
#include "binding/trace_handle.h"
#include "binding/values.h"
#include "capture/capture.h"

namespace strata::binding {
namespace {

// Often enough for a smooth bar, rarely enough to cost nothing.
constexpr std::chrono::milliseconds kBetweenSteps{50};

}  // namespace

Napi::Value OpenWorker::start(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto isCancelled = std::make_shared<std::atomic<bool>>(false);
  auto* worker =
      new OpenWorker(env, info[0].ToString().Utf8Value(), info[1].As<Napi::Function>(), isCancelled);
  Napi::Object opening = Napi::Object::New(env);
  opening.Set("promise", worker->deferred_.Promise());
  opening.Set("cancel", Napi::Function::New(
                            env, [isCancelled](const Napi::CallbackInfo&) { isCancelled->store(true); }));
  worker->Queue();  // deletes itself once it is done
  return opening;
}

OpenWorker::OpenWorker(Napi::Env env, std::string path, const Napi::Function& onProgress,
                       CancelFlag isCancelled)
    : AsyncProgressWorker(env, "strata.open"),
      deferred_(Napi::Promise::Deferred::New(env)),
      onProgress_(Napi::Persistent(onProgress)),
      path_(std::move(path)),
      isCancelled_(std::move(isCancelled)) {}

void OpenWorker::Execute(const ExecutionProgress& sender) {
  const Progress progress = [&](const char* stage, uint64_t done, uint64_t total, uint64_t events) {
    const Step step{stage, done, total, events};
    if (isDue()) sender.Send(&step, 1);
    return !isCancelled_->load();
  };
  try {
    opened_ = open(progress);
  } catch (...) {
    failure_ = describeCurrentException();
  }
}

std::shared_ptr<OpenedTrace> OpenWorker::open(const Progress& progress) const {
  Trace trace = readCapture(path_, progress);
  rebuild(trace, progress);
  return openTrace(std::move(trace), progress);
}

bool OpenWorker::isDue() {
  const auto now = std::chrono::steady_clock::now();
  if (now - lastSent_ < kBetweenSteps) return false;
  lastSent_ = now;
  return true;
}

void OpenWorker::OnProgress(const Step* step, size_t count) {
  if (count == 0 || step == nullptr) return;
  const Napi::Env env = Env();
  onProgress_.Call({text(env, step->stage), number(env, static_cast<double>(step->done)),
                    number(env, static_cast<double>(step->total)),
                    number(env, static_cast<double>(step->events))});
}

void OpenWorker::OnOK() {
  if (failure_) return deferred_.Reject(failure_->toError(Env()).Value());
  try {
    deferred_.Resolve(TraceHandle::create(Env(), std::move(opened_)));
  } catch (const Napi::Error& error) {
    deferred_.Reject(error.Value());
  }
}

}  // namespace strata::binding
