#include "allocator/what_if/run.h"

#include <algorithm>

#include "allocator/pytorch_allocator.h"
#include "allocator/pytorch_simulator.h"
#include "allocator/rebuild.h"
#include "allocator/replay_error.h"
#include "allocator/what_if/device.h"
#include "allocator/what_if/meter.h"
#include "allocator/what_if/recorded_settings.h"
#include "allocator/what_if/recorded_start.h"
#include "allocator/what_if/segment_check.h"

namespace strata::what_if {
namespace {

constexpr size_t kOperationsBetweenReports = size_t{1} << 16;

/// The last time of any device, as the recording's axis ends.
int64_t lengthOf(const Trace& trace, const Device& device) {
  const bool lacksTimes = !trace.parts.empty() && device.events.time.empty();
  if (!trace.hasClock || lacksTimes) return static_cast<int64_t>(device.events.count());
  int64_t last = 0;
  for (const Device& one : trace.devices)
    if (!one.events.time.empty()) last = std::max(last, one.events.time.back());
  return last;
}

/// Sees every step before the listener of the caller does.
class Tee final : public ReplayObserver {
 public:
  Tee(Meter& meter, RunListener* listener) : meter_(meter), listener_(listener) {}
  void onStep(const ReplayStep& step) override {
    meter_.onStep(step);
    if (listener_) listener_->onStep(step);
  }

 private:
  Meter& meter_;
  RunListener* listener_;
};

/// A run that is set up and not started.
class Setup {
 public:
  Setup(const Recording& recording, const RunRequest& request, const RunOptions& options)
      : recording_(recording), simulator_(simulatorNamed(request.allocator)) {
    const Settings settings(simulator_.knobs, request.settings);
    isAsRecorded_ = isRecordedConfig(settings);
    if (isAsRecorded_) {
      const bool isLimited = options.capacity.from == Capacity::From::Given;
      auto device = std::make_unique<RecordedDevice>(
          recording.device, isLimited ? none_ : recording.requests.refusals, options.capacity.bytes);
      start_ = recordedStart(recording.device, recording.requests);
      isAsRecorded_ = start_.layout.blocks.size() == recording.requests.olderBlocks &&
                      reservedIn(start_.layout) <= options.capacity.bytes;
      if (isAsRecorded_) takeOver(start_, *device);
      if (isAsRecorded_) device_ = std::move(device);
    }
    if (!device_) device_ = std::make_unique<ModelDevice>(options.capacity.bytes);
    stack_ = simulator_.build(settings, *device_, recording.requests.trace);
  }

  bool isAsRecorded() const { return isAsRecorded_; }
  RunDevice& device() { return *device_; }
  const AllocatorStack& stack() const { return stack_; }
  Allocator& allocator() { return *stack_.back(); }

  /// Errors: ReplayError "start-refused".
  void startLayers() {
    for (const auto& layer : stack_) {
      if (layer->start()) continue;
      throw ReplayError(
          "start-refused",
          "The device has no room for what " + simulator_.name + " takes before the first request.",
          "Lower its initial size, or give the device more bytes.");
    }
  }

  /// Takes over the recorded state; answers the first operation that is still to be done.
  size_t adopt(Replay& replay) {
    auto& pytorch = static_cast<PytorchAllocator&>(allocator());
    const std::vector<BlockHandle> handles = pytorch.adopt(start_.layout, start_.rangeBase);
    size_t next = 0;
    const auto& operations = recording_.requests.trace.operations;
    for (size_t at = 0; at < recording_.requests.olderOperations; ++at)
      if (operations[at].kind == RequestTrace::Operation::Kind::Allocate)
        replay.adopt(operations[at].request, handles[next++]);
    return recording_.requests.olderOperations;
  }

 private:
  static uint64_t reservedIn(const Layout& layout) {
    uint64_t bytes = 0;
    for (const LayoutSegment& segment : layout.segments) bytes += segment.bytes;
    return bytes;
  }

  bool isRecordedConfig(const Settings& settings) const {
    if (simulator_.name != "pytorch" || !recording_.settings) return false;
    return pytorchConfigOf(settings) == recordedConfig(recording_.trace, recording_.device);
  }

  const Recording& recording_;
  const Simulator& simulator_;
  const std::vector<RecordedRequests::Refusal> none_;
  bool isAsRecorded_ = false;
  RecordedStart start_;
  std::unique_ptr<RunDevice> device_;
  AllocatorStack stack_;
};

}  // namespace

Capacity recordedCapacity(const Device& device) {
  const EventColumns& events = device.events;
  const auto failure = std::find(events.action.begin(), events.action.end(), Action::OutOfMemory);
  if (failure == events.action.end()) return {};
  const auto event = static_cast<EventIndex>(failure - events.action.begin());
  uint64_t reserved = 0;
  for (size_t row = 0; row < device.segments.count(); ++row)
    if (device.segments.birth[row] <= event && device.segments.death[row] > event)
      reserved += device.segments.bytes[row];
  const uint64_t free = events.address[static_cast<size_t>(event)];
  if (free >= kUnlimitedCapacity || reserved + free >= kUnlimitedCapacity) return {};
  return {reserved + free, Capacity::From::RecordedFailure};
}

Recording recordingOf(const Trace& trace, const Device& device) {
  Recording recording{trace, device, requestsOf(device), std::nullopt, lengthOf(trace, device)};
  if (const auto settings = recordedSettings(trace, device)) recording.settings = {"pytorch", *settings};
  return recording;
}

RunSummary run(const Recording& recording, const RunRequest& request, const RunOptions& options,
               RunListener* listener, const Progress& progress) {
  Setup setup(recording, request, options);
  const RequestTrace& trace = recording.requests.trace;
  Meter meter(recording, setup.allocator(), setup.device(), options);
  Tee observer(meter, listener);
  Replay replay(trace, setup.allocator(), &observer);
  const size_t first = setup.isAsRecorded() ? setup.adopt(replay) : 0;
  if (listener) listener->onStart(setup.stack(), setup.device(), first);
  std::optional<SegmentCheck> check;
  if (setup.isAsRecorded() && options.capacity.from != Capacity::From::Given) {
    meter.compare();
    check.emplace(recording.device, setup.allocator());
  }
  setup.startLayers();
  meter.start();
  const size_t count = trace.operations.size();
  for (size_t index = first; index < count; ++index) {
    if (progress && index % kOperationsBetweenReports == 0 && !progress("simulate", index, count, index))
      throw Cancelled();
    setup.device().enter(recording.requests.event[index]);
    if (listener) listener->beforeStep(index);
    replay.step(index);
  }
  if (check) check->finish(*meter.reproduction());
  return meter.finish();
}

}  // namespace strata::what_if
