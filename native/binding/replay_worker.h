#pragma once

#include <napi.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "allocator/golden_writer.h"
#include "binding/failure.h"

namespace strata::binding {

/// Replays a text trace through a simulated allocator on a worker thread.
class ReplayWorker final : public Napi::AsyncWorker {
 public:
  /// `replay(tracePath, configurationPath, outPath | null) -> { promise, cancel }`; without an output path
  /// nothing is written and only the totals come back.
  static Napi::Value start(const Napi::CallbackInfo& info);

 private:
  using CancelFlag = std::shared_ptr<std::atomic<bool>>;

  ReplayWorker(const Napi::CallbackInfo& info, CancelFlag isCancelled);
  void Execute() override;
  void OnOK() override;

  Napi::Promise::Deferred deferred_;
  std::string tracePath_;
  std::string configurationPath_;
  std::optional<std::string> outPath_;
  CancelFlag isCancelled_;
  GoldenRun run_;
  std::optional<Failure> failure_;
};

}  // namespace strata::binding
