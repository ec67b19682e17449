#include "allocator/golden_writer.h"

#include <algorithm>

namespace strata {
namespace {

using Kind = AllocatorEvent::Kind;
using Operation = RequestTrace::Operation;

constexpr size_t kBufferBytes = size_t{1} << 18;
constexpr size_t kLargeTrace = 100'000;

void writeEvent(JsonLine& line, const AllocatorEvent& event) {
  const auto offset = static_cast<int64_t>(goldenOffset(event.address));
  line.openArray();
  switch (event.kind) {
    case Kind::DeviceAlloc:
    case Kind::DeviceFree:
      line.string(event.kind == Kind::DeviceAlloc ? "alloc" : "free")
          .number(event.bytes)
          .signedNumber(offset);
      break;
    case Kind::DeviceFail:
      line.string("fail").number(event.bytes);
      break;
    case Kind::SegmentAlloc:
      line.string("sa").signedNumber(offset).number(event.bytes);
      break;
    case Kind::SegmentFree:
      line.string("sf").signedNumber(offset).number(event.bytes);
      break;
    case Kind::SegmentMap:
      line.string("sm").signedNumber(offset).number(event.bytes);
      break;
    case Kind::SegmentUnmap:
      line.string("su").signedNumber(offset).number(event.bytes);
      break;
    case Kind::FreeRequested:
      line.string("fr").signedNumber(offset);
      break;
    case Kind::FreeCompleted:
      line.string("fc").signedNumber(offset);
      break;
    case Kind::OutOfMemory:
      line.string("oom").number(event.address).number(event.bytes);
      break;
  }
  line.closeArray();
}

std::string_view nameOf(const Operation& operation, const std::vector<Control>& controls) {
  if (operation.kind == Operation::Kind::Free) return "f";
  if (operation.kind == Operation::Kind::RecordStream) return "r";
  switch (controls[operation.request].kind) {
    case Control::Kind::EmptyCache:
      return "e";
    case Control::Kind::Synchronize:
      return "s";
    case Control::Kind::BeginPool:
      return "p";
    case Control::Kind::EndPool:
      return "q";
    case Control::Kind::ReleasePool:
      return "x";
    case Control::Kind::SetMemoryFraction:
      return "m";
    case Control::Kind::AdvanceCounter:
      return "t";
    case Control::Kind::SetSafeFrontier:
      return "w";
    case Control::Kind::SetFreedBy:
      return "b";
  }
  return "";
}

class Writer final : public ReplayObserver, public EventSink {
 public:
  Writer(const RequestTrace& trace, const GoldenConfig& config, const Simulation& simulation,
         std::ostream& out)
      : trace_(trace),
        config_(config),
        simulation_(simulation),
        out_(out),
        interval_(checkpointInterval(trace, config)) {}

  void onEvent(const AllocatorEvent& event) override { events_.push_back(event); }

  /// Line 1: the configuration as it was given, with the device events of the allocator's start.
  void writeConfiguration() {
    line_.open();
    bool hasStartEvents = false;
    for (const auto& [name, text] : config_.members) {
      line_.key(name);
      if (name == "ev0")
        writeEventList();
      else
        line_.raw(text);
      hasStartEvents = hasStartEvents || name == "ev0";
    }
    if (!hasStartEvents && !events_.empty()) {
      line_.key("ev0");
      writeEventList();
    }
    endLine();
  }

  void onStep(const ReplayStep& step) override {
    const Operation& operation = step.operation;
    if (operation.kind == Operation::Kind::Allocate) {
      digest(step);
      if (!config_.isLight) writeAllocation(step);
    } else if (!config_.isLight && operation.kind != Operation::Kind::Ignored && isNotable(step)) {
      writeOther(step);
    }
    events_.clear();
    if ((step.index + 1) % interval_ == 0) writeCheckpoint(step.index);
  }

  void writeEnd(const ReplayTotals& totals) {
    const Layout layout = simulation_.allocator().layout();
    line_.open().key("k").string("end").field("ops", totals.operations).field("allocs", totals.requests);
    line_.field("oom", totals.refused);
    simulation_.format->writeTotals(line_, layout, true);
    writeDigests(layout);
    simulation_.format->writeState(line_, layout);
    endLine();
    flush();
  }

 private:
  void digest(const ReplayStep& step) {
    const bool isPlaced = step.placement.outcome == Outcome::Placed;
    digest_.feed(step.index);
    digest_.feed(isPlaced ? goldenOffset(step.placement.address) : ~uint64_t{0});
    digest_.feed(isPlaced ? step.placement.bytes : 0);
  }

  void writeAllocation(const ReplayStep& step) {
    const Operation& operation = step.operation;
    line_.open().field("i", step.index).field("id", trace_.ids[operation.request]);
    line_.field("req", operation.bytes);
    if (operation.stream != 0 && simulation_.format->hasStreams()) line_.field("s", operation.stream);
    line_.key("off");
    if (step.placement.outcome == Outcome::Placed)
      line_.signedNumber(static_cast<int64_t>(goldenOffset(step.placement.address)));
    else
      line_.null();
    line_.field("size", step.placement.outcome == Outcome::Placed ? step.placement.bytes : 0);
    if (!events_.empty()) writeEvents();
    if (step.placement.outcome == Outcome::Error) line_.field("err", 1);
    endLine();
  }

  /// An ordinary free, requested and completed at once, has no line; nor has an operation without events.
  bool isNotable(const ReplayStep& step) const {
    if (hasPoolLine(step) || step.result.isError) return true;
    const bool isOrdinaryFree = step.operation.kind == Operation::Kind::Free && events_.size() == 2 &&
                                events_[0].kind == Kind::FreeRequested &&
                                events_[1].kind == Kind::FreeCompleted &&
                                events_[0].address == events_[1].address;
    return !events_.empty() && !isOrdinaryFree;
  }

  bool hasPoolLine(const ReplayStep& step) const {
    if (!config_.pytorch.hasPools || step.operation.kind != Operation::Kind::Control) return false;
    const Control::Kind kind = trace_.controls[step.operation.request].kind;
    return kind == Control::Kind::BeginPool || kind == Control::Kind::EndPool ||
           kind == Control::Kind::ReleasePool;
  }

  void writeOther(const ReplayStep& step) {
    line_.open().field("i", step.index).key("op").string(nameOf(step.operation, trace_.controls));
    const bool isPool = hasPoolLine(step);
    if (isPool) {
      line_.field("pool", trace_.controls[step.operation.request].value).key("use");
      if (step.result.poolUseCount < 0)
        line_.null();
      else
        line_.number(static_cast<uint64_t>(step.result.poolUseCount));
    }
    if (!isPool || !events_.empty()) writeEvents();
    if (step.result.isError) line_.field("err", 1);
    endLine();
  }

  void writeEvents() {
    line_.key("ev");
    writeEventList();
  }
  void writeEventList() {
    line_.openArray();
    for (const AllocatorEvent& event : events_) writeEvent(line_, event);
    line_.closeArray();
  }

  void writeCheckpoint(size_t index) {
    const Layout layout = simulation_.allocator().layout();
    line_.open().key("k").string("ck").field("i", index);
    simulation_.format->writeTotals(line_, layout, false);
    writeDigests(layout);
    endLine();
  }

  void writeDigests(const Layout& layout) {
    line_.key("hash").hash(simulation_.format->hash(layout)).key("ph").hash(digest_.value());
  }

  void endLine() {
    line_.close();
    events_.clear();
    (buffer_ += line_.text()) += '\n';
    line_.clear();
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void flush() {
    out_ << buffer_;
    buffer_.clear();
  }

  const RequestTrace& trace_;
  const GoldenConfig& config_;
  const Simulation& simulation_;
  std::ostream& out_;
  uint64_t interval_;
  std::vector<AllocatorEvent> events_;
  GoldenDigest digest_;
  JsonLine line_;
  std::string buffer_;
};

/// The most a single request could ever get.
uint64_t largestRequest(const GoldenConfig& config) {
  const uint64_t device = config.device.capacity;
  if (config.allocator == "bfc") return std::min(device, config.bfc.limit);
  if (config.allocator == "rmm-pool") return std::min(device, config.rmm.maximumPoolBytes.value_or(device));
  if (config.allocator == "rmm-arena") return std::min(device, config.rmm.arenaBytes.value_or(device / 2));
  if (config.allocator == "rmm-fixed") return std::min(device, config.rmm.fixed.blockBytes);
  return device;
}

/// Says so when requests could never have been served, whatever was free.
void warnOfImpossible(const RequestTrace& trace, uint64_t largest, std::vector<Warning>& warnings) {
  uint64_t count = 0;
  size_t first = 0;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const Operation& operation = trace.operations[i];
    if (operation.kind != Operation::Kind::Allocate || operation.bytes <= largest) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return;
  warnings.push_back({.code = "replay-impossible-request",
                      .message = "Operation " + std::to_string(first) + " asks for " +
                                 std::to_string(trace.operations[first].bytes) + " bytes, more than the " +
                                 std::to_string(largest) + " this allocator can ever hand out; " +
                                 std::to_string(count) +
                                 (count == 1 ? " such request is" : " such requests are") + " refused.",
                      .byte = static_cast<int64_t>(first)});
}

}  // namespace

uint64_t checkpointInterval(const RequestTrace& trace, const GoldenConfig& config) {
  if (config.checkpointEvery) return *config.checkpointEvery;
  const std::string& name = config.trace.empty() ? trace.name : config.trace;
  if (name.starts_with("mini")) return 1;
  return name.starts_with("big") || trace.operations.size() >= kLargeTrace ? 5000 : 250;
}

GoldenRun writeGolden(const RequestTrace& trace, const GoldenConfig& config, std::ostream* out,
                      const Progress& progress) {
  const Simulation simulation = makeSimulation(config);
  GoldenRun run{.totals = {}, .warnings = trace.warnings};
  warnOfImpossible(trace, largestRequest(config), run.warnings);
  if (!out) {
    simulation.start();
    run.totals = replay(trace, simulation.allocator(), nullptr, progress);
    return run;
  }
  Writer writer(trace, config, simulation, *out);
  simulation.setEventSink(&writer);
  simulation.start();
  writer.writeConfiguration();
  run.totals = replay(trace, simulation.allocator(), &writer, progress);
  writer.writeEnd(run.totals);
  return run;
}

}  // namespace strata
