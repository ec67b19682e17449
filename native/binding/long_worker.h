#pragma once

#include <napi.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "binding/failure.h"
#include "binding/values.h"
#include "trace/progress.h"

namespace strata::binding {

/// How far work has come; `stage` is a literal.
struct LongStep {
  const char* stage = "";
  uint64_t done = 0, total = 0, events = 0;
};

/// Computes a result off the JavaScript thread, with progress and cancel, and expresses it afterwards.
template <typename Result>
class LongWorker final : public Napi::AsyncProgressWorker<LongStep> {
 public:
  /// Progress may be called from several threads at once.
  using Compute = std::function<Result(const Progress&)>;
  using Express = std::function<Napi::Value(Napi::Env, Result&)>;

  /// Answers `{ promise, cancel }`; `onProgress(stage, done, total, events)`.
  static Napi::Value start(const Napi::Function& onProgress, Compute compute, Express express) {
    const Napi::Env env = onProgress.Env();
    auto isCancelled = std::make_shared<std::atomic<bool>>(false);
    auto* worker = new LongWorker(onProgress, std::move(compute), std::move(express), isCancelled);
    Napi::Object job = Napi::Object::New(env);
    job.Set("promise", worker->deferred_.Promise());
    job.Set("cancel",
            Napi::Function::New(env, [isCancelled](const Napi::CallbackInfo&) { isCancelled->store(true); }));
    worker->Queue();  // deletes itself once it is done
    return job;
  }

 private:
  using CancelFlag = std::shared_ptr<std::atomic<bool>>;
  /// Often enough for a smooth bar, rarely enough to cost nothing.
  static constexpr std::chrono::milliseconds kBetweenSteps{50};

  LongWorker(const Napi::Function& onProgress, Compute compute, Express express, CancelFlag isCancelled)
      : AsyncProgressWorker(onProgress.Env(), "strata.long"),
        deferred_(Napi::Promise::Deferred::New(onProgress.Env())),
        onProgress_(Napi::Persistent(onProgress)),
        compute_(std::move(compute)),
        express_(std::move(express)),
        isCancelled_(std::move(isCancelled)) {}

  void Execute(const ExecutionProgress& sender) override {
    const Progress progress = [&](const char* stage, uint64_t done, uint64_t total, uint64_t events) {
      const LongStep step{stage, done, total, events};
      if (isDue()) sender.Send(&step, 1);
      return !isCancelled_->load();
    };
    try {
      result_.emplace(compute_(progress));
    } catch (...) {
      failure_ = describeCurrentException();
    }
  }

  bool isDue() {
    const std::scoped_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - lastSent_ < kBetweenSteps) return false;
    lastSent_ = now;
    return true;
  }

  void OnProgress(const LongStep* step, size_t count) override {
    if (count == 0 || step == nullptr) return;
    const Napi::Env env = Env();
    onProgress_.Call({text(env, step->stage), number(env, static_cast<double>(step->done)),
                      number(env, static_cast<double>(step->total)),
                      number(env, static_cast<double>(step->events))});
  }

  void OnOK() override {
    if (failure_) return deferred_.Reject(failure_->toError(Env()).Value());
    try {
      deferred_.Resolve(express_(Env(), *result_));
    } catch (const Napi::Error& error) {
      deferred_.Reject(error.Value());
    }
  }

  Napi::Promise::Deferred deferred_;
  Napi::FunctionReference onProgress_;
  Compute compute_;
  Express express_;
  CancelFlag isCancelled_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point lastSent_{};
  std::optional<Result> result_;
  std::optional<Failure> failure_;
};

}  // namespace strata::binding
