#include "allocator/replay.h"

namespace strata {
namespace {

using Operation = RequestTrace::Operation;

constexpr size_t kOperationsBetweenReports = size_t{1} << 18;

}  // namespace

Replay::Replay(const RequestTrace& trace, Allocator& allocator, ReplayObserver* observer)
    : trace_(trace), allocator_(allocator), observer_(observer), blocks_(trace.ids.size(), kNoBlock) {}

void Replay::step(size_t index) {
  const Operation& operation = trace_.operations[index];
  ReplayStep step{.index = index, .operation = operation, .placement = {}, .result = {}};
  switch (operation.kind) {
    case Operation::Kind::Allocate:
      step.placement = allocator_.allocate(operation.bytes, operation.stream);
      count(step);
      break;
    case Operation::Kind::Free:
      if (blocks_[operation.request] != kNoBlock) allocator_.free(blocks_[operation.request]);
      blocks_[operation.request] = kNoBlock;
      break;
    case Operation::Kind::RecordStream:
      if (blocks_[operation.request] != kNoBlock)
        allocator_.recordStream(blocks_[operation.request], operation.stream);
      break;
    case Operation::Kind::Control:
      step.result = allocator_.control(trace_.controls[operation.request]);
      break;
    case Operation::Kind::Ignored:
      break;
  }
  if (observer_) observer_->onStep(step);
}

void Replay::count(const ReplayStep& step) {
  ++totals_.requests;
  blocks_[step.operation.request] = step.placement.block;
  if (step.placement.outcome != Outcome::OutOfMemory) return;
  if (totals_.refused++ > 0) return;
  totals_.firstRefused = static_cast<int64_t>(step.index);
  totals_.firstRefusedBytes = step.operation.bytes;
}

ReplayTotals replay(const RequestTrace& trace, Allocator& allocator, ReplayObserver* observer,
                    const Progress& progress) {
  Replay replay(trace, allocator, observer);
  const size_t count = trace.operations.size();
  for (size_t index = 0; index < count; ++index) {
    if (progress && index % kOperationsBetweenReports == 0 && !progress("replay", index, count, index))
      throw Cancelled();
    replay.step(index);
  }
  ReplayTotals totals = replay.totals();
  totals.operations = count;
  return totals;
}

}  // namespace strata
