#pragma once

#include <napi.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "binding/failure.h"
#include "binding/opened_trace.h"
#include "trace/progress.h"

namespace strata::binding {

/// How far opening has come; `stage` is a literal.
struct Step {
  const char* stage = "";
  uint64_t done = 0, total = 0, events = 0;
};

/// Opens a capture on a worker thread: reads it, rebuilds it, indexes each device.
class OpenWorker final : public Napi::AsyncProgressWorker<Step> {
 public:
  using CancelFlag = std::shared_ptr<std::atomic<bool>>;

  /// `open(path, onProgress) -> { promise, cancel }`
  static Napi::Value start(const Napi::CallbackInfo& info);

 private:
  OpenWorker(Napi::Env env, std::string path, const Napi::Function& onProgress, CancelFlag isCancelled);

  void Execute(const ExecutionProgress& sender) override;
  void OnProgress(const Step* step, size_t count) override;
  void OnOK() override;

  std::shared_ptr<OpenedTrace> open(const Progress& progress) const;
  bool isDue();

  Napi::Promise::Deferred deferred_;
  Napi::FunctionReference onProgress_;
  std::string path_;
  CancelFlag isCancelled_;
  std::chrono::steady_clock::time_point lastSent_{};
  std::shared_ptr<OpenedTrace> opened_;
  std::optional<Failure> failure_;
};

}  // namespace strata::binding
