#include "device/sampler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "device/gpu_events.h"
#include "device/pace.h"
#include "device/recording_error.h"
#include "device/sampling_rate.h"

namespace strata::device {
namespace {

constexpr double kSlowest = 0.1, kFastest = 50;
constexpr size_t kMostEvents = 1000;
constexpr std::chrono::milliseconds kPatience{500};  // for the thread, when the sampler ends

int64_t wallNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int64_t periodOf(double hz) { return static_cast<int64_t>(1e9 / std::clamp(hz, kSlowest, kFastest)); }

}  // namespace

const char* nameOf(SamplerState state) {
  constexpr const char* kNames[] = {"looking", "sampling", "resting", "no-gpus", "stuck"};
  return kNames[static_cast<size_t>(state)];
}

/// What the thread and the callers share. The thread owns it too, so that it outlives a sampler whose thread
/// is left behind.
struct Sampler::Core {
  const SamplerOptions options;
  const int64_t start = monotonicNow();
  const int64_t originNs = wallNow();
  CallWatch watch;
  std::vector<std::unique_ptr<GpuSource>> sources;  ///< only the thread uses them

  mutable std::mutex mutex;
  mutable std::condition_variable wake, changed;
  SamplingRate rate;
  int64_t lookedAt;
  bool isStopping = false, isDone = false, isOpen = false, isResting = false;
  std::vector<LookedFor> reports;
  std::vector<GpuIdentity> gpus;
  std::unique_ptr<SampleRing> ring;
  std::deque<Event> events;
  uint64_t eventCount = 0;
  ProcessEvents processEvents;
  LimitEvents limitEvents;
  std::shared_ptr<Recorder> recorder;
  std::optional<RecorderStatus> lastRecording;

  Core(std::vector<std::unique_ptr<GpuSource>> from, SamplerOptions given)
      : options(std::move(given)),
        sources(std::move(from)),
        rate(periodOf(options.hz)),
        lookedAt(start),
        processEvents(options.growthBytes) {}

  void runSafely();
  void run();
  void open();
  bool waitForTurn(int64_t& due, bool& hasRested);
  void keep(Sample sample, std::vector<Note> notes, int64_t sinceLast);
  void tell(Event event);
  int64_t period() const {
    const std::scoped_lock lock(mutex);
    return rate.period();
  }
  bool isWanted() const { return recorder != nullptr || monotonicNow() - lookedAt < options.attentionNs; }
};

void Sampler::Core::open() {
  for (const auto& source : sources) {
    LookedFor report = source->open(watch);
    const std::scoped_lock lock(mutex);
    const auto shift = static_cast<uint32_t>(gpus.size());
    for (GpuIdentity identity : source->gpus()) {
      if (identity.parent) *identity.parent += shift;
      gpus.push_back(std::move(identity));
    }
    reports.push_back(std::move(report));
  }
  const std::scoped_lock lock(mutex);
  ring = std::make_unique<SampleRing>(gpus.size(), options.ringBytes);
  isOpen = true;
  changed.notify_all();
}

/// Waits until the next sample is due and wanted. Answers false when the sampler ends.
bool Sampler::Core::waitForTurn(int64_t& due, bool& hasRested) {
  std::unique_lock lock(mutex);
  while (!isStopping) {
    const int64_t now = monotonicNow();
    isResting = !isWanted();
    if (isResting) {
      hasRested = true;
      wake.wait(lock);
      due = monotonicNow();
      continue;
    }
    due = std::min(due, now + rate.period());  // the rate may have become higher
    if (now >= due) return true;
    wake.wait_for(lock, std::chrono::nanoseconds(due - now));
  }
  return false;
}

void Sampler::Core::tell(Event event) {
  event.number = ++eventCount;
  if (recorder != nullptr) recorder->add(event);
  events.push_back(std::move(event));
  if (events.size() > kMostEvents) events.pop_front();
}

/// `sinceLast`: ns since the sample before, or 0 when nothing was sampled in between on purpose.
void Sampler::Core::keep(Sample sample, std::vector<Note> notes, int64_t sinceLast) {
  const std::scoped_lock lock(mutex);
  if (sinceLast > 0 && rate.add(sinceLast)) sample.isGapBefore = true;
  ring->push(sample, rate.pace());
  if (recorder != nullptr) recorder->add(sample, rate.pace());
  for (Note& note : notes) tell({0, sample.time, note.code, note.gpu, note.message, std::nullopt, {}});
  for (Event& event : processEvents.next(sample)) tell(std::move(event));
  for (Event& event : limitEvents.next(sample)) tell(std::move(event));
  changed.notify_all();
}

void Sampler::Core::run() {
  open();
  std::vector<std::vector<GpuReadings>> readings;
  for (const auto& source : sources) readings.emplace_back(source->gpus().size());
  std::vector<ProcessList> lists(gpus.size());
  int64_t due = monotonicNow(), last = 0;
  bool hasRested = false;
  while (!gpus.empty() && waitForTurn(due, hasRested)) {
    const int64_t now = monotonicNow();
    Sample sample;
    std::vector<Note> notes;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (readings[i].empty()) continue;
      const auto shift = static_cast<uint32_t>(sample.gpus.size());
      sources[i]->sample(now, readings[i], watch);
      for (GpuReadings& one : readings[i]) {
        ProcessList& list = lists[sample.gpus.size()];
        if (!one.processes) list = nullptr;
        if (one.processes && (list == nullptr || *list != *one.processes)) {
          list = std::make_shared<const std::vector<GpuProcess>>(std::move(*one.processes));
        }
        one.processes.reset();
        sample.processes.push_back(list);
        sample.gpus.push_back(one);
      }
      for (Note& note : sources[i]->takeNotes()) {
        if (note.gpu) *note.gpu += shift;
        notes.push_back(std::move(note));
      }
    }
    sample.time = now - start;
    sample.isGapBefore = hasRested;
    const int64_t sinceLast = hasRested || last == 0 ? 0 : now - last;
    hasRested = false;
    last = now;
    keep(std::move(sample), std::move(notes), sinceLast);
    // Turns that were missed are not made up for.
    due = std::max(due + period(), monotonicNow());
  }
}

/// Whatever ends the thread is said; nothing may leave it.
void Sampler::Core::runSafely() {
  std::string problem;
  try {
    run();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const std::scoped_lock lock(mutex);
  if (!problem.empty()) {
    tell({0,
          monotonicNow() - start,
          "sampler-failed",
          std::nullopt,
          "Sampling ended: " + problem + ".",
          std::nullopt,
          {}});
  }
  isOpen = isDone = true;
  changed.notify_all();
}

Sampler::Sampler(std::vector<std::unique_ptr<GpuSource>> sources, SamplerOptions options)
    : core_(std::make_shared<Core>(std::move(sources), std::move(options))) {
  // Detached from the start: nobody can wait for a call of a driver that never returns.
  std::thread([core = core_] { core->runSafely(); }).detach();
}

Sampler::~Sampler() {
  stopRecording();
  std::unique_lock lock(core_->mutex);
  core_->isStopping = true;
  core_->wake.notify_all();
  core_->changed.wait_for(lock, kPatience, [this] { return core_->isDone; });
}

bool Sampler::waitForGpus(int64_t patienceNs) const {
  std::unique_lock lock(core_->mutex);
  return core_->changed.wait_for(lock, std::chrono::nanoseconds(patienceNs),
                                 [this] { return core_->isOpen; });
}

std::vector<LookedFor> Sampler::lookedFor() const {
  const std::scoped_lock lock(core_->mutex);
  return core_->reports;
}

std::vector<GpuIdentity> Sampler::gpus() const {
  const std::scoped_lock lock(core_->mutex);
  return core_->isOpen ? core_->gpus : std::vector<GpuIdentity>();
}

void Sampler::look() {
  const std::scoped_lock lock(core_->mutex);
  core_->lookedAt = monotonicNow();
  core_->wake.notify_all();
}

void Sampler::setRate(double hz) {
  const std::scoped_lock lock(core_->mutex);
  if (core_->rate.period() != periodOf(hz)) core_->rate.setPeriod(periodOf(hz));
  core_->wake.notify_all();
}

void Sampler::watch(int64_t growthBytes, std::vector<Limits> limits) {
  const std::scoped_lock lock(core_->mutex);
  core_->processEvents.setGrowth(growthBytes);
  core_->limitEvents.set(std::move(limits));
}

SamplerStatus Sampler::status() const {
  const std::scoped_lock lock(core_->mutex);
  const Core& core = *core_;
  SamplerStatus status;
  status.originNs = core.originNs;
  status.now = monotonicNow() - core.start;
  status.hz = 1e9 / static_cast<double>(core.rate.period());
  status.realHz = core.rate.hz();
  if (core.ring != nullptr) {
    status.firstSample = core.ring->first();
    status.endSample = core.ring->end();
  }
  status.isSimulated = std::any_of(core.reports.begin(), core.reports.end(),
                                   [](const LookedFor& report) { return report.kind == "simulated"; });
  status.state = !core.isOpen        ? SamplerState::Looking
                 : core.gpus.empty() ? SamplerState::NoGpus
                 : core.isResting    ? SamplerState::Resting
                                     : SamplerState::Sampling;
  const CallWatch::Call call = core.watch.current();
  if (call.name != nullptr && monotonicNow() - call.since > core.options.stuckAfterNs) {
    status.state = SamplerState::Stuck;
    status.call = call.name;
    status.stuckNs = monotonicNow() - call.since;
  }
  status.recording = core.recorder != nullptr ? core.recorder->status() : core.lastRecording;
  return status;
}

std::vector<Sample> Sampler::samplesFrom(uint64_t number, size_t limit) const {
  const std::scoped_lock lock(core_->mutex);
  std::vector<Sample> samples;
  if (core_->ring == nullptr) return samples;
  const SampleRing& ring = *core_->ring;
  for (uint64_t at = std::max(number, ring.first()); at < ring.end() && samples.size() < limit; ++at) {
    Sample sample;
    sample.time = ring.time(at);
    sample.isGapBefore = ring.isGapBefore(at);
    for (size_t gpu = 0; gpu < ring.gpuCount(); ++gpu) {
      GpuReadings readings;
      for (size_t i = 0; i < kGpuMetricCount; ++i) {
        readings.values[i] = ring.value(at, gpu, static_cast<GpuMetric>(i));
      }
      readings.accounting = ring.accounting(at, gpu);
      readings.isLost = ring.isLost(at, gpu);
      sample.gpus.push_back(std::move(readings));
      sample.processes.push_back(ring.processes(at, gpu));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<RingColumns> Sampler::window(size_t gpu, int64_t from, int64_t to, uint32_t columns) const {
  const std::scoped_lock lock(core_->mutex);
  std::vector<RingColumns> result;
  if (core_->ring == nullptr || gpu >= core_->ring->gpuCount() || to <= from || columns == 0) return result;
  for (size_t i = 0; i < kGpuMetricCount; ++i) {
    result.push_back(core_->ring->window(gpu, static_cast<GpuMetric>(i), from, to, columns));
  }
  return result;
}

std::vector<Event> Sampler::eventsAfter(uint64_t number) const {
  const std::scoped_lock lock(core_->mutex);
  const auto& events = core_->events;
  const auto first =
      std::find_if(events.begin(), events.end(), [=](const Event& event) { return event.number > number; });
  return {first, events.end()};
}

void Sampler::mark(const std::string& text) {
  const std::scoped_lock lock(core_->mutex);
  core_->tell({0, monotonicNow() - core_->start, "mark", std::nullopt, text, std::nullopt, {}});
}

void Sampler::startRecording(const Recorder::Options& options) {
  RecordingHead head;
  {
    const std::scoped_lock lock(core_->mutex);
    if (core_->recorder != nullptr)
      throw RecordingError("recording-failed", "A recording is under way already.", "Stop it first.");
    if (core_->gpus.empty()) throw RecordingError("recording-failed", "There is no GPU to record.", "");
    head.originNs = core_->originNs;
    head.version = core_->options.version;
    head.host = core_->options.host;
    head.gpus = core_->gpus;
    head.isSimulated = core_->gpus.front().vendor == "simulated";
  }
  auto recorder = std::make_shared<Recorder>(options, std::move(head), fileSink(options.path));
  const std::scoped_lock lock(core_->mutex);
  core_->recorder = std::move(recorder);
  core_->wake.notify_all();
}

void Sampler::stopRecording() {
  std::shared_ptr<Recorder> recorder;
  int64_t now = 0;
  {
    const std::scoped_lock lock(core_->mutex);
    recorder = std::exchange(core_->recorder, nullptr);
    now = monotonicNow() - core_->start;
  }
  if (recorder == nullptr) return;
  recorder->stop(now);
  const std::scoped_lock lock(core_->mutex);
  core_->lastRecording = recorder->status();
}

}  // namespace strata::device
