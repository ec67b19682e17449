#include "capture/protobuf/pprof.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/capture.h"
#include "capture/possible_memory.h"
#include "capture/protobuf/cut_off.h"
#include "capture/protobuf/wire.h"
#include "capture/text.h"
#include "capture/text_warnings.h"
#include "trace/append_rows.h"

namespace strata::protobuf {
namespace {

/// Buffers that a profile may count one by one.
constexpr uint64_t kMostRows = 1 << 20;

struct Label {
  uint64_t key = 0, text = 0;
};

struct Sample {
  std::vector<uint64_t> locations, values;
  std::vector<Label> labels;
  uint64_t at = 0;
};

struct CodeLine {
  uint64_t function = 0;
  int64_t line = 0;
};

struct Function {
  uint64_t name = 0, file = 0;
};

Sample readSample(const Field& whole) {
  Sample sample;
  sample.at = whole.at;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.number == 1) eachNumber(field, [&](uint64_t id) { sample.locations.push_back(id); });
    if (field.number == 2) eachNumber(field, [&](uint64_t value) { sample.values.push_back(value); });
    if (!field.is(3, Wire::Bytes)) continue;
    Label label;
    Message inner(field);
    for (Field part; inner.next(part);) {
      if (part.is(1, Wire::Varint)) label.key = part.value;
      if (part.is(2, Wire::Varint)) label.text = part.value;
    }
    sample.labels.push_back(label);
  }
  return sample;
}

class PprofReader {
 public:
  PprofReader(std::span<const uint8_t> bytes, const Progress& progress)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), progress_(progress) {}

  Trace run() {
    Message file(bytes_);
    for (Field field; file.next(field);) take(field);
    if (file.isDamaged()) breakOff(file.position());
    findValues();
    for (const Sample& sample : samples_) addSample(sample);
    finish();
    return std::move(trace_);
  }

 private:
  void take(const Field& field) {
    if (field.isCut) return breakOff(bytes_.size());
    if (field.is(9, Wire::Varint)) timeNs_ = field.integer();
    if (field.wire != Wire::Bytes) return;
    if (field.number == 1) types_.push_back(typeNameOf(field));
    if (field.number == 2) samples_.push_back(readSample(field));
    if (field.number == 4) addLocation(field);
    if (field.number == 5) addFunction(field);
    if (field.number == 6) texts_.push_back(field.bytes);
    if (samples_.size() % 4096 == 1 && progress_ && !progress_("read", field.at, bytes_.size(), 0))
      throw Cancelled();
  }

  static uint64_t typeNameOf(const Field& whole) {
    Message message(whole);
    for (Field field; message.next(field);) {
      if (field.is(1, Wire::Varint)) return field.value;
    }
    return 0;
  }

  void addLocation(const Field& whole) {
    uint64_t id = 0;
    std::vector<CodeLine> lines;
    Message message(whole);
    for (Field field; message.next(field);) {
      if (field.is(1, Wire::Varint)) id = field.value;
      if (!field.is(4, Wire::Bytes)) continue;
      CodeLine line;
      Message inner(field);
      for (Field part; inner.next(part);) {
        if (part.is(1, Wire::Varint)) line.function = part.value;
        if (part.is(2, Wire::Varint)) line.line = part.integer();
      }
      lines.push_back(line);
    }
    locations_.emplace(id, std::move(lines));
  }

  void addFunction(const Field& whole) {
    uint64_t id = 0;
    Function function;
    Message message(whole);
    for (Field field; message.next(field);) {
      if (field.is(1, Wire::Varint)) id = field.value;
      if (field.is(2, Wire::Varint)) function.name = field.value;
      if (field.is(4, Wire::Varint)) function.file = field.value;
    }
    functions_.emplace(id, function);
  }

  std::string textOf(uint64_t row) const {
    return row < texts_.size() ? repairUtf8(texts_[row]) : std::string();
  }

  /// Which value of a sample is the bytes, which the count.
  void findValues() {
    for (size_t at = 0; at < types_.size(); ++at) {
      const std::string name = textOf(types_[at]);
      if (name == "space") bytesAt_ = at;
      if (name == "allocations") countAt_ = at;
    }
    if (bytesAt_ < types_.size()) return;
    if (!trace_.isComplete) throw cutOffBefore("the names in it", bytes_.size());
    throw CaptureError("pprof-not-memory",
                       "This is a pprof profile that does not say how many bytes anything holds.",
                       "Record one with jax.profiler.save_device_memory_profile(\"memory.prof\").", 0);
  }

  void addSample(const Sample& sample) {
    const uint64_t bytes = bytesAt_ < sample.values.size() ? sample.values[bytesAt_] : kAddressSpace;
    if (!isPossibleExtent(total_, bytes)) return unreadable_.note({0, sample.at});
    if (bytes == 0) return;
    total_ += bytes;
    std::string deviceName, kind;
    for (const Label& label : sample.labels) {
      if (textOf(label.key) == "device") deviceName = textOf(label.text);
      if (textOf(label.key) == "kind") kind = textOf(label.text);
    }
    const uint64_t count = countAt_ < sample.values.size() ? sample.values[countAt_] : 0;
    buffers_ += count;
    addBlocks(deviceNamed(deviceName), bytes, count, stackOf(sample, kind));
  }

  /// A sample says how many buffers hold its bytes, not how large each is: a row for each makes the count
  /// right.
  void addBlocks(Device& device, uint64_t bytes, uint64_t count, uint32_t stack) {
    if (count > bytes || rows_ + count > kMostRows) {
      ++uncounted_;
      count = 1;
    }
    count = std::max<uint64_t>(count, 1);
    rows_ += count;
    for (uint64_t left = count; left > 0; --left) {
      const uint64_t part = bytes / left;
      addBlock(device, part, stack);
      bytes -= part;
    }
  }

  Device& deviceNamed(const std::string& name) {
    const auto [found, isNew] = devices_.emplace(name, trace_.devices.size());
    if (!isNew) return trace_.devices[found->second];
    Device& device = trace_.devices.emplace_back();
    device.ordinal = static_cast<int>(found->second);
    device.allocator = name;
    const bool isHost = name.find("CPU") != std::string::npos || name.find("cpu") != std::string::npos;
    device.kind = isHost ? DeviceKind::Host : DeviceKind::Unknown;
    device.layout = DeviceLayout::Totals;
    device.isPlaced = true;
    device.areRequestsKnown = false;
    device.streams = {0};
    device.pools = {{0, 0}};
    device.exactness.code = "as-recorded";
    device.exactness.because = "The totals are as the capture states them.";
    return device;
  }

  /// The rows of a device follow one another; where they are is not known, and not shown.
  static void addBlock(Device& device, uint64_t bytes, uint32_t stack) {
    BlockColumns& blocks = device.blocks;
    SegmentColumns& segments = device.segments;
    const uint64_t address = blocks.count() == 0 ? 0 : blocks.address.back() + blocks.bytes.back();
    BlockRow block{address, bytes, bytes};
    block.stack = stack;
    block.segment = appendRow(segments, {address, bytes, kBeforeFirst, kNever, stack});
    appendRow(blocks, block);
  }

  /// Executables have no call site: their kind stands for it.
  uint32_t stackOf(const Sample& sample, const std::string& kind) {
    std::vector<uint32_t> frames;
    for (const uint64_t id : sample.locations) {
      const auto location = locations_.find(id);
      if (location == locations_.end()) continue;
      for (const CodeLine& line : location->second) frames.push_back(frameOf(line));
    }
    if (frames.empty() && !kind.empty())
      frames.push_back(trace_.frames.intern(trace_.strings.intern(kind), trace_.strings.intern(""), 0));
    return frames.empty() ? kNone : trace_.stacks.intern(frames);
  }

  uint32_t frameOf(const CodeLine& line) {
    const auto function = functions_.find(line.function);
    const Function known = function == functions_.end() ? Function{} : function->second;
    return trace_.frames.intern(trace_.strings.intern(textOf(known.name)),
                                trace_.strings.intern(textOf(known.file)),
                                static_cast<int32_t>(std::clamp<int64_t>(line.line, 0, INT32_MAX)));
  }

  void breakOff(uint64_t at) {
    if (!trace_.isComplete) return;
    trace_.isComplete = false;
    trace_.warnings.push_back({"capture-truncated",
                               "The profile breaks off at byte " + grouped(at) +
                                   "; what comes before is shown, but names may be missing.",
                               static_cast<int64_t>(at), true});
  }

  void finish() {
    if (trace_.devices.empty()) {
      throw CaptureError("pprof-empty", "This device memory profile says that nothing is held.",
                         "Save it while the arrays are alive.", 0);
    }
    trace_.format = "jax-memory-profile";
    trace_.producer = "JAX (pprof)";
    if (timeNs_ > 0) trace_.settings.emplace_back("time_nanos", std::to_string(timeNs_));
    if (buffers_ > 0) trace_.settings.emplace_back("allocations", std::to_string(buffers_));
    warnOfOddity(trace_, unreadable_, "pprof-samples", "sample is impossible and left out.",
                 "samples are impossible and left out.", true);
    if (uncounted_ > 0) {
      trace_.warnings.push_back({"pprof-counts",
                                 counted(uncounted_, "sample counts", "samples count") +
                                     " more buffers than can be; each is shown as one.",
                                 -1, false});
    }
    trace_.warnings.push_back(
        {"pprof-sites",
         "A device memory profile sums up the buffers of each call site: addresses and sizes "
         "of single buffers are not known.",
         -1, false});
  }

  std::string_view bytes_;
  const Progress& progress_;
  Trace trace_;
  std::vector<uint64_t> types_;  ///< names of the values of each sample
  std::vector<Sample> samples_;
  std::vector<std::string_view> texts_;
  std::unordered_map<uint64_t, std::vector<CodeLine>> locations_;
  std::unordered_map<uint64_t, Function> functions_;
  std::map<std::string, size_t> devices_;
  size_t bytesAt_ = SIZE_MAX, countAt_ = SIZE_MAX;
  int64_t timeNs_ = 0;
  uint64_t total_ = 0;  ///< bytes of all samples
  uint64_t buffers_ = 0;
  uint64_t rows_ = 0, uncounted_ = 0;
  TextOddity unreadable_;
};

}  // namespace

Trace readPprof(std::span<const uint8_t> bytes, const Progress& progress) {
  return PprofReader(bytes, progress).run();
}

}  // namespace strata::protobuf
