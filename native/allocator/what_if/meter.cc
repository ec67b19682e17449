#include "allocator/what_if/meter.h"

#include <algorithm>

namespace strata::what_if {

using OperationKind = RequestTrace::Operation::Kind;

Meter::Meter(const Recording& recording, const Allocator& allocator, const RunDevice& device,
             const RunOptions& options)
    : recording_(recording), allocator_(allocator), device_(device), options_(options) {
  summary_.reserved.assign(std::max(options.columns, 1u), 0);
  summary_.active.assign(std::max(options.columns, 1u), 0);
  const RecordedRequests& requests = recording.requests;
  const bool hasWaiting = requests.streamFrees > 0 || requests.olderOperations > requests.olderBlocks;
  if (!hasWaiting) return;
  bytesOf_.assign(requests.trace.ids.size(), 0);
  isWaiting_.assign(requests.trace.ids.size(), false);
}

void Meter::start() { measure(kBeforeFirst); }

void Meter::onStep(const ReplayStep& step) {
  switch (step.operation.kind) {
    case OperationKind::Allocate:
      countRequest(step);
      break;
    case OperationKind::Free:
      if (!bytesOf_.empty() && isWaiting_[step.operation.request]) {
        waiting_ -= bytesOf_[step.operation.request];
        isWaiting_[step.operation.request] = false;
      }
      break;
    case OperationKind::Ignored:
      addWaiting(step.operation.request);
      break;
    default:
      break;
  }
  measure(recording_.requests.event[step.index]);
  const bool isFailed =
      step.placement.outcome == Outcome::OutOfMemory || step.placement.outcome == Outcome::Error;
  if (step.operation.kind != OperationKind::Allocate || !isFailed) return;
  if (summary_.failureCount++ > 0) return;
  RunFailure failure{.event = recording_.requests.event[step.index],
                     .requested = step.operation.bytes,
                     .free = usage_.reserved - std::min(usage_.reserved, usage_.active),
                     .largestFree = usage_.largestFree,
                     .deviceFree = std::nullopt};
  if (!device_.isUnlimited()) failure.deviceFree = device_.freeBytes();
  summary_.firstFailure = failure;
}

void Meter::countRequest(const ReplayStep& step) {
  ++summary_.requests;
  if (!bytesOf_.empty()) bytesOf_[step.operation.request] = step.placement.bytes;
  if (!summary_.reproduces) return;
  const uint32_t row = recording_.requests.block[step.operation.request];
  if (row == kNone) return;
  const BlockColumns& blocks = recording_.device.blocks;
  ++summary_.reproduces->placements;
  if (blocks.address[row] == step.placement.address && blocks.bytes[row] == step.placement.bytes)
    ++summary_.reproduces->placementsMatched;
}

void Meter::addWaiting(uint32_t request) {
  if (request >= bytesOf_.size() || isWaiting_[request]) return;
  isWaiting_[request] = true;
  waiting_ += bytesOf_[request];
}

void Meter::measure(EventIndex event) {
  const uint64_t peakBefore = summary_.peakReserved;
  fill(event);
  usage_ = allocator_.usage();
  summary_.peakReserved = std::max(peakBefore, std::max(usage_.peakReserved, usage_.reserved));
  summary_.peakAllocated =
      std::max(summary_.peakAllocated, usage_.active - std::min(usage_.active, waiting_));
  const uint64_t free = usage_.reserved - std::min(usage_.reserved, usage_.active);
  if (summary_.peakReserved > peakBefore) {
    summary_.peakReservedAt = event;
    summary_.activeAtPeak = usage_.active;
    summary_.freeAtPeak = free;
    summary_.largestFreeAtPeak = usage_.largestFree;
  }
  if (free > 0) {
    const double fragmentation = 1.0 - static_cast<double>(usage_.largestFree) / static_cast<double>(free);
    if (fragmentation > summary_.peakFragmentation) {
      summary_.peakFragmentation = fragmentation;
      summary_.peakFragmentationAt = event;
    }
  }
  summary_.reserved[column_] = std::max(summary_.reserved[column_], static_cast<double>(usage_.reserved));
  summary_.active[column_] = std::max(summary_.active[column_], static_cast<double>(usage_.active));
}

/// Goes on to the column of an event; those on the way hold what was in force.
void Meter::fill(EventIndex event) {
  const auto& times = recording_.device.events.time;
  const bool isFirst = event < 0 || recording_.length <= 0;
  const double at = isFirst         ? 0
                    : times.empty() ? static_cast<double>(event)
                                    : static_cast<double>(times[static_cast<size_t>(event)]);
  const auto columns = static_cast<double>(summary_.reserved.size());
  const double share = isFirst ? 0 : at / static_cast<double>(recording_.length) * columns;
  const auto target = static_cast<size_t>(std::clamp(share, 0.0, columns - 1));
  while (column_ < target) {
    ++column_;
    summary_.reserved[column_] = static_cast<double>(usage_.reserved);
    summary_.active[column_] = static_cast<double>(usage_.active);
  }
}

RunSummary Meter::finish() {
  while (column_ + 1 < summary_.reserved.size()) {
    ++column_;
    summary_.reserved[column_] = static_cast<double>(usage_.reserved);
    summary_.active[column_] = static_cast<double>(usage_.active);
  }
  summary_.finalReserved = usage_.reserved;
  summary_.calls = device_.calls;
  return std::move(summary_);
}

}  // namespace strata::what_if
