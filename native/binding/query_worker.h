#pragma once

#include <napi.h>

#include <functional>
#include <optional>
#include <utility>

#include "binding/failure.h"
#include "binding/opened_trace.h"

namespace strata::binding {

/// Computes a result on a worker thread and expresses it as a JavaScript value afterwards.
/// The trace lives at least until then, even when its handle is closed meanwhile.
template <typename Result>
class QueryWorker final : public Napi::AsyncWorker {
 public:
  using Compute = std::function<Result(const OpenedTrace&)>;
  using Express = std::function<Napi::Value(Napi::Env, const Result&)>;

  static Napi::Promise start(Napi::Env env, SharedTrace trace, Compute compute, Express express) {
    auto* worker = new QueryWorker(env, std::move(trace), std::move(compute), std::move(express));
    const Napi::Promise promise = worker->deferred_.Promise();
    worker->Queue();  // deletes itself once it is done
    return promise;
  }

 private:
  QueryWorker(Napi::Env env, SharedTrace trace, Compute compute, Express express)
      : AsyncWorker(env, "strata.query"),
        deferred_(Napi::Promise::Deferred::New(env)),
        trace_(std::move(trace)),
        compute_(std::move(compute)),
        express_(std::move(express)) {}

  void Execute() override {
    try {
      result_.emplace(compute_(*trace_));
    } catch (...) {
      failure_ = describeCurrentException();
    }
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
  SharedTrace trace_;
  Compute compute_;
  Express express_;
  std::optional<Result> result_;
  std::optional<Failure> failure_;
};

}  // namespace strata::binding
