#pragma once

#include <napi.h>

#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "binding/failure.h"
#include "device/recording_error.h"

namespace strata::binding {

/// Something that may wait for a driver or a disk, done on a worker thread; answers with a boolean.
/// Errors: those of RecordingError; others become "recording-failed" with the sentence of the exception.
class LiveWorker final : public Napi::AsyncWorker {
 public:
  using Work = std::function<bool()>;

  static Napi::Promise start(Napi::Env env, Work work) {
    auto* worker = new LiveWorker(env, std::move(work));
    const Napi::Promise promise = worker->deferred_.Promise();
    worker->Queue();  // deletes itself once it is done
    return promise;
  }

 private:
  LiveWorker(Napi::Env env, Work work)
      : AsyncWorker(env, "strata.live"),
        deferred_(Napi::Promise::Deferred::New(env)),
        work_(std::move(work)) {}

  void Execute() override {
    try {
      result_ = work_();
    } catch (const device::RecordingError& error) {
      failure_ = Failure{error.code(), error.what(), error.remedy()};
    } catch (const std::exception& error) {
      failure_ =
          Failure{"recording-failed", error.what(), "Choose a folder that can be written and has room."};
    }
    work_ = {};  // what it holds may take long to end, so it ends here
  }

  void OnOK() override {
    if (failure_) return deferred_.Reject(failure_->toError(Env()).Value());
    deferred_.Resolve(Napi::Boolean::New(Env(), result_));
  }

  Napi::Promise::Deferred deferred_;
  Work work_;
  bool result_ = false;
  std::optional<Failure> failure_;
};

}  // namespace strata::binding
