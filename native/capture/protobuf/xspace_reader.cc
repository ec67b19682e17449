#include "capture/protobuf/xspace_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "capture/capture.h"
#include "capture/placed_blocks.h"
#include "capture/protobuf/cut_off.h"
#include "capture/protobuf/memory_event.h"
#include "capture/protobuf/xplane.h"
#include "capture/text.h"
#include "capture/text_warnings.h"

namespace strata::protobuf {
namespace {

constexpr char kAllocation[] = "MemoryAllocation";
constexpr char kFree[] = "MemoryDeallocation";
constexpr char kSteps[] = "Steps";
/// Times above this count from 1970, not from the start of the program.
constexpr int64_t kEpochFrom = 100'000'000'000'000'000;
constexpr size_t kMostMessages = 5;

class XSpaceReader {
 public:
  XSpaceReader(std::span<const uint8_t> bytes, const Progress& progress)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), progress_(progress) {}

  Trace run() {
    Message file(bytes_);
    for (Field field; file.next(field);) {
      if (field.isCut) breakOff(bytes_.size());
      if (field.is(1, Wire::Bytes)) readPlaneOf(field);
      if (field.is(2, Wire::Bytes)) note(field, "profiler-error", "The profiler reported an error: ");
      if (field.is(3, Wire::Bytes)) note(field, "profiler-warning", "The profiler warned: ");
    }
    if (file.isDamaged()) breakOff(file.position());
    if (events_.empty()) refuse();
    makeDevices();
    if (trace_.devices.empty() && trace_.counters.empty()) refuseNameless();
    finish();
    return std::move(trace_);
  }

 private:
  void readPlaneOf(const Field& field) {
    breathe(field.at);
    const Plane plane = readPlane(field);
    if (plane.isDamaged) breakOff(plane.damagedAt);
    eachLine(plane, [&](const Line& line) {
      if (line.name == kSteps)
        readSteps(plane, line);
      else if (plane.name.starts_with("/host:"))
        readEvents(plane, line);
    });
  }

  void readEvents(const Plane& plane, const Line& line) {
    const auto nameOf = [&](uint64_t id) {
      const auto found = plane.eventNames.find(id);
      return found == plane.eventNames.end() ? std::string_view{} : found->second;
    };
    const auto wants = [&](uint64_t id) {
      const std::string_view name = nameOf(id);
      return name == kAllocation || name == kFree;
    };
    eachEvent(line, wants, [&](const Event& event) {
      events_.push_back(readMemoryEvent(plane, line, event, nameOf(event.name) == kFree));
      if (events_.size() % 4096 == 0) breathe(event.whole.at);
    });
  }

  void readSteps(const Plane& plane, const Line& line) {
    eachEvent(
        line, [](uint64_t) { return true; },
        [&](const Event& event) {
          const auto name = plane.eventNames.find(event.name);
          Annotation step;
          step.name =
              trace_.strings.intern("step " + repairUtf8(name == plane.eventNames.end() ? "" : name->second));
          step.begin = line.timestampNs + event.offsetPs / 1000;
          step.end = step.begin + event.durationPs / 1000;
          steps_.push_back(step);
        });
  }

  void note(const Field& field, const char* code, const char* before) {
    if (messages_++ < kMostMessages) {
      trace_.warnings.push_back(
          {code, before + repairUtf8(field.bytes.substr(0, 300)), static_cast<int64_t>(field.at), false});
    }
  }

  void breakOff(uint64_t at) {
    if (!trace_.isComplete) return;
    trace_.isComplete = false;
    trace_.warnings.push_back(
        {"capture-truncated",
         "The profile breaks off at byte " + grouped(at) + "; what comes before is shown.",
         static_cast<int64_t>(at), true});
  }

  void breathe(uint64_t at) {
    if (progress_ && !progress_("read", at, bytes_.size(), events_.size())) throw Cancelled();
  }

  [[noreturn]] void refuse() const {
    if (!trace_.isComplete) throw cutOffBefore("any allocation in it", bytes_.size());
    throw CaptureError("xspace-no-memory-events",
                       "This is a profile of TensorFlow or JAX that holds no allocations.",
                       "Record it with memory events: tf.profiler.experimental.start(logdir, "
                       "tf.profiler.experimental.ProfilerOptions(host_tracer_level=2)) while the program "
                       "allocates; for JAX, "
                       "open a device memory profile.",
                       0);
  }

  /// Names come behind the events, so a profile that breaks off may have none.
  [[noreturn]] void refuseNameless() const {
    throw CaptureError(
        "capture-damaged", "The allocations of this profile cannot be read: nothing names their values.",
        "It is damaged or was cut off: copy or record it again.", static_cast<int64_t>(events_.front().at));
  }

  /// What an allocator is known by; memories without a name are numbered.
  static std::string keyOf(const MemoryEvent& event) {
    if (!event.allocator.empty()) return repairUtf8(event.allocator);
    return event.memory < 0 ? std::string() : "memory " + std::to_string(event.memory);
  }

  void makeDevices() {
    std::stable_sort(events_.begin(), events_.end(),
                     [](const MemoryEvent& a, const MemoryEvent& b) { return a.timeNs < b.timeNs; });
    std::map<std::string, std::vector<const MemoryEvent*>> byAllocator;
    for (const MemoryEvent& event : events_) byAllocator[keyOf(event)].push_back(&event);
    for (const auto& [name, events] : byAllocator) addDevice(name, events);
  }

  void addDevice(const std::string& name, const std::vector<const MemoryEvent*>& events) {
    stateTotals(name, events);
    PlacedBlocks blocks;
    for (const MemoryEvent* event : events) addEvent(*event, blocks);
    if (blocks.eventCount() == 0) return;
    Device& device = trace_.devices.emplace_back();
    device.ordinal = static_cast<int>(trace_.devices.size()) - 1;
    device.allocator = name;
    device.kind = kindOf(name);
    blocks.finish(device);
    warnOfPlacement(blocks.oddities(), trace_);
  }

  void addEvent(const MemoryEvent& event, PlacedBlocks& blocks) {
    EventRows::Entry entry;
    entry.time = event.timeNs;
    entry.address = event.address;
    entry.bytes = event.bytes;
    const TextPlace place{0, event.at};
    if (!event.hasAddress) {
      ++withoutAddress_;
      return;
    }
    if (event.isFree) {
      entry.action = Action::Free;
      return blocks.free(entry, place);
    }
    entry.action = Action::Alloc;
    entry.stack = stackOf(event);
    entry.label = labelOf(event);
    blocks.allocate(entry, event.requested, place);
  }

  uint32_t stackOf(const MemoryEvent& event) {
    if (event.op.empty()) return kNone;
    const uint32_t frame =
        trace_.frames.intern(trace_.strings.intern(repairUtf8(event.op)), trace_.strings.intern(""), 0);
    return trace_.stacks.intern({&frame, 1});
  }

  /// "float32 [3, 3, 512, 512], temp, step 12"
  uint32_t labelOf(const MemoryEvent& event) {
    std::string label(dataTypeName(event.dataType));
    const auto add = [&](const char* separator, const std::string& part) {
      if (part.empty()) return;
      if (!label.empty()) label += separator;
      label += part;
    };
    add(" ", repairUtf8(event.shape));
    add(", ", repairUtf8(event.regionType));
    if (event.step >= 0) add(", ", "step " + std::to_string(event.step));
    return label.empty() ? kNone : trace_.strings.intern(label);
  }

  static DeviceKind kindOf(const std::string& name) {
    const bool isHost =
        name.find("host") != std::string::npos || name.starts_with("cpu") || name.starts_with("CPU");
    if (isHost) return DeviceKind::Host;
    return name.starts_with("GPU") || name.starts_with("gpu") ? DeviceKind::Cuda : DeviceKind::Unknown;
  }

  /// What the allocator said of its totals, which include blocks from before the profile.
  void stateTotals(const std::string& name, const std::vector<const MemoryEvent*>& events) {
    const uint32_t group = trace_.strings.intern(name);
    Counter inUse;
    inUse.group = group;
    inUse.name = trace_.strings.intern("bytes_in_use");
    inUse.unit = CounterUnit::Bytes;
    const MemoryEvent* first = nullptr;
    for (const MemoryEvent* event : events) {
      if (!event->hasTotals) continue;
      if (first == nullptr) first = event;
      if (!inUse.time.empty() && inUse.time.back() == event->timeNs) {
        inUse.value.back() = static_cast<double>(event->inUse);
        continue;
      }
      inUse.time.push_back(event->timeNs);
      inUse.value.push_back(static_cast<double>(event->inUse));
    }
    if (first == nullptr) return;
    trace_.settings.emplace_back("bytes_limit of " + name,
                                 std::to_string(first->stack + first->inUse + first->available));
    const uint64_t before = first->isFree                  ? first->inUse + first->bytes
                            : first->inUse >= first->bytes ? first->inUse - first->bytes
                                                           : 0;
    if (before > 0) {
      trace_.warnings.push_back(
          {"memory-before-recording",
           "When the profile began, " + name + " had " + grouped(before) +
               " bytes in use; of the blocks they were in, only those freed later are shown.",
           -1, false});
    }
    trace_.counters.push_back(std::move(inUse));
  }

  void finish() {
    trace_.format = "xplane";
    trace_.producer = "TensorFlow or JAX profiler (XPlane)";
    const int64_t start = events_.front().timeNs;
    setClockOfRows(trace_, start > kEpochFrom);
    for (Counter& counter : trace_.counters)
      for (int64_t& time : counter.time) time -= start;
    trace_.countersEnd = events_.back().timeNs - start;
    addSteps(start);
    warnOfOddity(trace_, {withoutAddress_, {}}, "xspace-no-addresses",
                 "event states no address and is counted in the totals only.",
                 "events state no addresses and are counted in the totals only.");
    trace_.warnings.push_back(
        {"no-segments",
         "A profile holds the blocks that were handed out, not the memory they were cut "
         "from: what was reserved, and what was free between them, is not known.",
         -1, false});
  }

  void addSteps(int64_t start) {
    for (Annotation step : steps_) {
      step.begin = std::max<int64_t>(step.begin - start, 0);
      step.end = std::min(step.end - start, trace_.countersEnd);
      if (step.end <= step.begin) continue;
      for (const Device& device : trace_.devices) {
        step.device = device.ordinal;
        trace_.annotations.push_back(step);
      }
    }
  }

  std::string_view bytes_;
  const Progress& progress_;
  Trace trace_;
  std::vector<MemoryEvent> events_;
  std::vector<Annotation> steps_;
  uint64_t withoutAddress_ = 0;
  size_t messages_ = 0;
};

}  // namespace

Trace readXSpace(std::span<const uint8_t> bytes, const Progress& progress) {
  return XSpaceReader(bytes, progress).run();
}

}  // namespace strata::protobuf
