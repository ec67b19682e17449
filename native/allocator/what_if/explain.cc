#include "allocator/what_if/explain.h"

namespace strata::what_if {
namespace {

/// A search through many candidates says enough with this many.
constexpr size_t kMostDecisions = 10'000;

/// Thrown once the operation was seen; a run is not told to stop in any other way.
struct Seen {};

class Listener final : public RunListener, private DecisionSink {
 public:
  explicit Listener(size_t operation) : operation_(operation) {}

  void onStart(const AllocatorStack& stack, const RunDevice&, size_t) override { stack_ = &stack; }
  void beforeStep(size_t operation) override {
    if (operation != operation_) return;
    for (const auto& layer : *stack_) layer->setDecisionSink(this);
  }
  void onStep(const ReplayStep& step) override {
    if (step.index == operation_) throw Seen();
  }
  std::vector<Decision> take() { return std::move(decisions_); }

 private:
  void onDecision(const Decision& decision) override {
    if (decisions_.size() < kMostDecisions) decisions_.push_back(decision);
  }

  size_t operation_;
  const AllocatorStack* stack_ = nullptr;
  std::vector<Decision> decisions_;
};

}  // namespace

std::vector<Decision> explain(const Recording& recording, const RunRequest& request,
                              const RunOptions& options, size_t operation, const Progress& progress) {
  Listener listener(operation);
  try {
    run(recording, request, options, &listener, progress);
  } catch (const Seen&) {
  }
  return listener.take();
}

}  // namespace strata::what_if
