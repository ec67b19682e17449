#include "capture/gpu_recording.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "capture/capture.h"
#include "capture/counter_tracks.h"
#include "capture/text.h"
#include "device/gpu.h"
#include "device/gpu_events.h"
#include "device/recording_format.h"

namespace strata {
namespace {

namespace recording = device::recording;
using device::GpuIdentity;
using device::GpuMetric;
using device::kGpuMetricCount;
using recording::Fields;
using recording::Frame;
using recording::Kind;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr uint64_t kMostGpus = 4096;
constexpr int64_t kLatest = int64_t{1} << 62;
constexpr int64_t kLongestPeriod = 100'000'000'000;
constexpr size_t kBetweenReports = size_t{1} << 22;
/// What the first part of a file holds tells how much the rest will.
constexpr size_t kExpectAfter = 16;
constexpr double kExpectMargin = 1.05;
constexpr char kRecordAgain[] = "Record again; what could be read is shown.";

CounterUnit unitOf(GpuMetric metric) {
  switch (metric) {
    case GpuMetric::Total:
    case GpuMetric::Used:
    case GpuMetric::Reserved:
    case GpuMetric::Free:
      return CounterUnit::Bytes;
    case GpuMetric::Busy:
    case GpuMetric::MemoryBusy:
      return CounterUnit::Percent;
    case GpuMetric::Temperature:
      return CounterUnit::Celsius;
    case GpuMetric::Power:
    case GpuMetric::PowerLimit:
      return CounterUnit::Milliwatts;
    case GpuMetric::CoreClock:
    case GpuMetric::MemoryClock:
      return CounterUnit::Megahertz;
    case GpuMetric::PcieSent:
    case GpuMetric::PcieReceived:
      return CounterUnit::BytesPerSecond;
    case GpuMetric::Energy:
      return CounterUnit::Millijoules;
  }
  return CounterUnit::Count;
}

int64_t sumOf(int64_t one, int64_t other) {
  return static_cast<int64_t>(static_cast<uint64_t>(one) + static_cast<uint64_t>(other));
}

/// "0.2 s".
std::string inSeconds(int64_t ns) {
  std::string text = std::to_string(static_cast<double>(ns) / 1e9);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

double valueOf(device::Reading reading) { return reading ? static_cast<double>(*reading) : kUnknown; }

/// "GPU 1", or "GPU 1 MIG 0" for an instance of it.
std::vector<std::string> groupNames(const std::vector<GpuIdentity>& gpus) {
  std::vector<std::string> names;
  std::map<uint32_t, int> instances;
  int whole = 0;
  for (const GpuIdentity& gpu : gpus) {
    const bool isInstance = gpu.parent && *gpu.parent < names.size();
    if (isInstance) {
      names.push_back(names[*gpu.parent] + " MIG " + std::to_string(instances[*gpu.parent]++));
    } else {
      names.push_back("GPU " + std::to_string(whole++));
    }
  }
  return names;
}

/// Reads frame after frame; what is known of the GPUs moves on with them.
class Reader {
 public:
  Reader(std::span<const uint8_t> bytes, const Progress& progress)
      : bytes_(bytes), progress_(progress), tracks_(trace_) {}

  Trace read();

 private:
  struct Gpu {
    uint32_t firstTrack = 0;
    std::map<std::pair<uint32_t, std::string>, uint32_t> processTracks;
    std::map<uint32_t, double> processes;  ///< what each track holds now
    uint32_t state = 0;
  };

  void readHead(const Frame& frame);
  bool readFrame(const Frame& frame);
  bool readSamples(Fields fields);
  bool readProcesses(Fields fields);
  bool readMark(Fields fields);
  bool readLoss(Fields fields);
  void readReadings(Fields& fields, Gpu& gpu, int64_t* values, bool* isKnown, int64_t time);
  uint32_t processTrack(size_t gpu, uint32_t pid, const std::string& name);
  void leaveGap(int64_t until);
  void endGap(int64_t time);
  size_t skipDamage(size_t offset);
  void startAtFirst();
  void describe();
  void warn(const char* code, const std::string& message, int64_t byte, bool isDamage);

  std::span<const uint8_t> bytes_;
  const Progress& progress_;
  Trace trace_;
  CounterTracks tracks_;
  std::vector<GpuIdentity> identities_;
  std::vector<std::string> groups_;
  std::vector<Gpu> gpus_;
  uint64_t part_ = 0, flags_ = 0, damagedBytes_ = 0;
  std::string version_, host_;
  int64_t last_ = 0, period_ = 0, shortestPeriod_ = 0;
  bool hasSamples_ = false, isAfterDamage_ = false, isEnded_ = false, isContinued_ = false;
};

void Reader::warn(const char* code, const std::string& message, int64_t byte, bool isDamage) {
  trace_.warnings.push_back({code, message, byte, isDamage});
}

void Reader::readHead(const Frame& frame) {
  Fields fields(frame.payload);
  trace_.originNs = fields.whole();
  part_ = fields.number();
  flags_ = fields.number();
  version_ = fields.text();
  host_ = repairUtf8(fields.text());
  const uint64_t count = fields.number();
  for (uint64_t i = 0; i < std::min(count, kMostGpus) && !fields.isBad(); ++i) {
    GpuIdentity gpu;
    for (std::string* text : {&gpu.id, &gpu.name, &gpu.vendor, &gpu.bus, &gpu.driver})
      *text = repairUtf8(fields.text());
    const uint64_t parent = fields.number();
    if (parent != 0) gpu.parent = static_cast<uint32_t>(parent - 1);
    gpu.slowdownTemperature = fields.reading();
    identities_.push_back(std::move(gpu));
  }
  if (fields.isBad() || count > kMostGpus) {
    throw CaptureError("gpu-recording-head", "The head of this recording cannot be read.", kRecordAgain,
                       recording::kFileHeadBytes);
  }
  groups_ = groupNames(identities_);
  gpus_.resize(identities_.size());
  for (size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    gpus_[gpu].firstTrack = static_cast<uint32_t>(trace_.counters.size());
    for (size_t i = 0; i < kGpuMetricCount; ++i) {
      const auto metric = static_cast<GpuMetric>(i);
      tracks_.add(groups_[gpu], device::nameOf(metric), unitOf(metric), false);
    }
  }
}

/// Nothing is known from where the last sample stops to hold.
void Reader::leaveGap(int64_t until) {
  const int64_t from = std::min(sumOf(last_, 2 * period_), until);
  for (const Gpu& gpu : gpus_) {
    for (uint32_t i = 0; i < kGpuMetricCount; ++i) tracks_.push(gpu.firstTrack + i, from, kUnknown);
    for (const auto& [track, bytes] : gpu.processes) tracks_.push(track, from, kUnknown);
  }
}

/// The processes are those from before the gap until another list comes.
void Reader::endGap(int64_t time) {
  for (const Gpu& gpu : gpus_) {
    for (const auto& [track, bytes] : gpu.processes) tracks_.push(track, time, bytes);
  }
}

void Reader::readReadings(Fields& fields, Gpu& gpu, int64_t* values, bool* isKnown, int64_t time) {
  const uint64_t mask = fields.number();
  for (uint32_t i = 0; i < kGpuMetricCount; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const uint64_t change = fields.number();
    isKnown[i] = change != 0;
    values[i] = change == 0 ? 0 : sumOf(values[i], recording::unzigzag(change - 1));
    const double value = isKnown[i] ? static_cast<double>(values[i]) : kUnknown;
    if (!fields.isBad()) tracks_.push(gpu.firstTrack + i, time, value);
  }
  if ((mask >> recording::kStateBit & 1) != 0) gpu.state = static_cast<uint32_t>(fields.number());
}

bool Reader::readSamples(Fields fields) {
  const uint64_t period = fields.number();
  const uint64_t count = fields.number();
  int64_t time = fields.whole();
  const bool isInOrder = !hasSamples_ || time >= last_;
  if (fields.isBad() || period > kLongestPeriod || time < 0 || time > kLatest || !isInOrder) return false;
  // Everything in a frame is stated anew, so what is absent in it is absent.
  std::vector<int64_t> values(gpus_.size() * kGpuMetricCount, 0);
  const auto isKnown = std::make_unique<bool[]>(gpus_.size() * kGpuMetricCount);
  for (uint64_t sample = 0; sample < count; ++sample) {
    const uint64_t step = fields.number();
    const uint64_t flags = fields.number();
    if (fields.isBad() || step > static_cast<uint64_t>(kLatest)) return false;
    time = sumOf(time, static_cast<int64_t>(step));
    if (time > kLatest) return false;
    const bool isGap = (flags & recording::kGapFlag) != 0 || std::exchange(isAfterDamage_, false);
    if (hasSamples_ && isGap) {
      leaveGap(time);
      endGap(time);
    }
    for (size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
      int64_t* own = values.data() + gpu * kGpuMetricCount;
      bool* known = isKnown.get() + gpu * kGpuMetricCount;
      readReadings(fields, gpus_[gpu], own, known, time);
      if (sample > 0) continue;
      for (uint32_t i = 0; i < kGpuMetricCount; ++i) {
        if (!known[i]) tracks_.push(gpus_[gpu].firstTrack + i, time, kUnknown);
      }
    }
    if (fields.isBad()) return false;
    hasSamples_ = true;
    last_ = time;
    trace_.sampleTimes.push_back(time);
    period_ = static_cast<int64_t>(period);
    shortestPeriod_ = shortestPeriod_ == 0 ? period_ : std::min(shortestPeriod_, period_);
  }
  return fields.isAtEnd();
}

uint32_t Reader::processTrack(size_t gpu, uint32_t pid, const std::string& name) {
  const auto [found, isNew] = gpus_[gpu].processTracks.try_emplace({pid, name}, 0);
  if (isNew) {
    found->second = tracks_.add(groups_[gpu], device::describe(name, pid), CounterUnit::Bytes, true);
  }
  return found->second;
}

bool Reader::readProcesses(Fields fields) {
  const int64_t time = fields.whole();
  const uint64_t gpu = fields.number();
  const uint64_t count = fields.number();
  if (fields.isBad() || gpu >= gpus_.size() || time < 0 || time > kLatest) return false;
  std::map<uint32_t, double> now;
  for (uint64_t i = 0; i + 1 < count; ++i) {
    const auto pid = static_cast<uint32_t>(fields.number());
    const std::string name = repairUtf8(fields.text());
    const device::Reading bytes = fields.reading();
    fields.reading();  // how busy it was has no series: it is a mean over another time
    if (fields.isBad()) return false;
    now[processTrack(gpu, pid, name)] = valueOf(bytes);
  }
  auto& before = gpus_[gpu].processes;
  for (const auto& [track, bytes] : before) {
    if (now.count(track) == 0) tracks_.push(track, time, kUnknown);
  }
  for (const auto& [track, bytes] : now) tracks_.push(track, time, bytes);
  before = std::move(now);
  return fields.isAtEnd();
}

bool Reader::readMark(Fields fields) {
  Mark mark;
  mark.time = fields.whole();
  mark.kind = trace_.strings.intern(fields.text());
  const uint64_t gpu = fields.number();
  if (gpu > gpus_.size()) return false;
  if (gpu != 0) mark.group = trace_.strings.intern(groups_[gpu - 1]);
  mark.text = trace_.strings.intern(repairUtf8(fields.text()));
  if (fields.isBad() || mark.time < 0 || mark.time > kLatest) return false;
  trace_.marks.push_back(mark);
  return fields.isAtEnd();
}

bool Reader::readLoss(Fields fields) {
  fields.whole();
  const uint64_t samples = fields.number();
  if (fields.isBad()) return false;
  isAfterDamage_ = true;
  warn("gpu-recording-lost",
       std::to_string(samples) + (samples == 1 ? " sample is" : " samples are") +
           " missing here: the disk was full or too slow when they came.",
       -1, true);
  return true;
}

bool Reader::readFrame(const Frame& frame) {
  const Fields fields(frame.payload);
  switch (frame.kind) {
    case Kind::Samples:
      isEnded_ = isContinued_ = false;  // it was gone on with later
      return readSamples(fields);
    case Kind::Processes:
      return readProcesses(fields);
    case Kind::Mark:
      return readMark(fields);
    case Kind::Loss:
      return readLoss(fields);
    case Kind::Next:
      isContinued_ = true;
      isEnded_ = true;
      return true;
    case Kind::End:
      isEnded_ = true;
      return true;
    default:
      return true;  // of a later version
  }
}

/// Answers where the next whole frame stands, or the end of the file.
size_t Reader::skipDamage(size_t offset) {
  size_t next = offset + 1;
  while (next < bytes_.size() && !recording::frameAt(bytes_, next)) {
    const auto found = std::search(bytes_.begin() + static_cast<std::ptrdiff_t>(next + 1), bytes_.end(),
                                   recording::kFrameMagic.begin(), recording::kFrameMagic.end());
    next = static_cast<size_t>(found - bytes_.begin());
  }
  const bool isEnd = next >= bytes_.size();
  const size_t lost = std::min(next, bytes_.size()) - offset;
  damagedBytes_ += lost;
  isAfterDamage_ = true;
  for (Gpu& gpu : gpus_) {
    for (auto& [track, bytes] : gpu.processes) bytes = kUnknown;
  }
  const std::string size = std::to_string(lost) + (lost == 1 ? " byte" : " bytes");
  if (isEnd) {
    warn("gpu-recording-cut-off",
         "The recording breaks off inside a frame: its last " + size +
             " cannot be read. At most the last second before that is missing.",
         static_cast<int64_t>(offset), true);
  } else {
    warn("gpu-recording-damaged",
         size + " in the middle of the recording cannot be read; what they held is shown as a gap.",
         static_cast<int64_t>(offset), true);
  }
  return next;
}

/// The times in the file count from when sampling began, which may be hours before it was recorded.
void Reader::startAtFirst() {
  int64_t first = kLatest;
  if (hasSamples_) first = trace_.sampleTimes.front();
  for (const Counter& counter : trace_.counters) first = std::min(first, counter.time.front());
  if (!trace_.marks.empty()) first = std::min(first, trace_.marks.front().time);
  if (first == 0 || first == kLatest) return;
  trace_.originNs = sumOf(trace_.originNs, first);
  for (Counter& counter : trace_.counters) {
    for (int64_t& time : counter.time) time -= first;
  }
  for (Mark& mark : trace_.marks) mark.time -= first;
  for (int64_t& time : trace_.sampleTimes) time -= first;
  if (hasSamples_) trace_.countersEnd -= first;
}

void Reader::describe() {
  const bool isSimulated = (flags_ & recording::kSimulatedFlag) != 0;
  trace_.format = "gpu-recording";
  trace_.producer = "Strata" + (version_.empty() ? std::string() : " " + version_) +
                    (host_.empty() ? std::string() : " on " + host_);
  trace_.hasClock = true;
  for (size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    const GpuIdentity& identity = identities_[gpu];
    const auto accounting = static_cast<device::MemoryAccounting>(gpus_[gpu].state % recording::kLostFlag);
    trace_.settings.emplace_back(groups_[gpu], identity.name + ", " + identity.id);
    trace_.settings.emplace_back(groups_[gpu] + " memory", device::nameOf(accounting));
  }
  trace_.settings.emplace_back("samples", std::to_string(trace_.sampleTimes.size()));
  if (shortestPeriod_ > 0) trace_.settings.emplace_back("sampled every", inSeconds(shortestPeriod_));
  if (isSimulated) {
    trace_.settings.emplace_back("simulated", "yes");
    warn("gpu-recording-simulated", "This was recorded from the simulated source: no GPU was sampled.", -1,
         false);
  }
  if (!isEnded_) trace_.settings.emplace_back("closing record", "missing");
  if (part_ > 0) {
    warn("gpu-recording-later-part",
         "This is part " + std::to_string(part_ + 1) + " of a recording: it started in an earlier file.", -1,
         false);
  }
  if (isContinued_) {
    warn("gpu-recording-continued", "The recording goes on in a later file.", -1, false);
  }
  if (!isEnded_ && damagedBytes_ == 0) {
    warn("gpu-recording-unfinished",
         "The recording has no end: it is still being made, or its program was killed. At most its last "
         "second is "
         "missing.",
         static_cast<int64_t>(bytes_.size()), false);
  }
}

Trace Reader::read() {
  size_t offset = recording::kFileHeadBytes;
  const auto head = recording::frameAt(bytes_, offset);
  if (!head || head->kind != Kind::Head) {
    throw CaptureError("gpu-recording-head", "This recording breaks off inside its head: it holds nothing.",
                       "Record again.", recording::kFileHeadBytes);
  }
  readHead(*head);
  offset += head->bytes;
  size_t reported = 0;
  bool isExpecting = false;
  while (offset < bytes_.size()) {
    if (!isExpecting && offset > bytes_.size() / kExpectAfter) {
      isExpecting = true;
      tracks_.expect(kExpectAfter * kExpectMargin);
    }
    if (offset - reported >= kBetweenReports || reported == 0) {
      reported = offset;
      if (progress_ && !progress_("read", offset, bytes_.size(), trace_.sampleTimes.size()))
        throw Cancelled();
    }
    const auto frame = recording::frameAt(bytes_, offset);
    if (frame && readFrame(*frame)) {
      offset += frame->bytes;
    } else {
      offset = skipDamage(offset);
    }
  }
  trace_.countersEnd = hasSamples_ ? sumOf(last_, 2 * period_) : 0;
  describe();
  trace_.isComplete = std::none_of(trace_.warnings.begin(), trace_.warnings.end(),
                                   [](const Warning& warning) { return warning.isDamage; });
  tracks_.finish();
  std::stable_sort(trace_.marks.begin(), trace_.marks.end(),
                   [](const Mark& one, const Mark& other) { return one.time < other.time; });
  startAtFirst();
  return std::move(trace_);
}

}  // namespace

bool isGpuRecording(std::span<const uint8_t> bytes) {
  return bytes.size() >= recording::kMagic.size() &&
         std::equal(recording::kMagic.begin(), recording::kMagic.end(), bytes.begin(),
                    [](char one, uint8_t other) { return static_cast<uint8_t>(one) == other; });
}

Trace readGpuRecording(std::span<const uint8_t> bytes, const Progress& progress) {
  if (bytes.size() < recording::kFileHeadBytes) {
    throw CaptureError("gpu-recording-head", "This recording breaks off inside its head: it holds nothing.",
                       "Record again.", 0);
  }
  const uint8_t version = bytes[recording::kMagic.size()];
  if (version != recording::kVersion) {
    throw CaptureError("gpu-recording-version",
                       "This recording is of version " + std::to_string(version) +
                           ", and this Strata reads version " + std::to_string(recording::kVersion) + ".",
                       "Open it with a newer Strata.", static_cast<int64_t>(recording::kMagic.size()));
  }
  return Reader(bytes, progress).read();
}

}  // namespace strata
