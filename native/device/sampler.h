#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/limit_events.h"
#include "device/recorder.h"
#include "device/sample_ring.h"

namespace strata::device {

struct SamplerOptions {
  double hz = 5;                             ///< 0.1 to 50
  int64_t attentionNs = 5'000'000'000;       ///< how long it goes on after the last look
  int64_t stuckAfterNs = 5'000'000'000;      ///< in one call of a driver, to be called stuck
  int64_t growthBytes = int64_t{256} << 20;  ///< of a process, to tell of
  size_t ringBytes = size_t{24} << 20;
  std::string version{}, host{};  ///< for recordings
};

enum class SamplerState : uint8_t {
  Looking,  ///< for GPUs
  Sampling,
  Resting,  ///< nobody looks and nothing is recorded
  NoGpus,
  Stuck,  ///< a call of a driver has not returned for long
};
const char* nameOf(SamplerState state);

struct SamplerStatus {
  SamplerState state = SamplerState::Looking;
  std::string call;      ///< the call that is stuck, or empty
  int64_t stuckNs = 0;   ///< since when
  int64_t originNs = 0;  ///< wall clock of time 0, ns since the Unix epoch
  int64_t now = 0;       ///< ns since then
  double hz = 0;         ///< asked for
  double realHz = 0;     ///< as samples come; 0 when not known yet
  uint64_t firstSample = 0, endSample = 0;
  bool isSimulated = false;
  std::optional<RecorderStatus> recording;  ///< the one under way, or the last one
};

/// Samples all GPUs of some sources on a thread of its own.
///
/// A call of a driver that never returns stops nobody: every function here answers without waiting for it,
/// and when the sampler is destroyed, that thread is left behind on purpose, with the memory it uses; nothing
/// can end a thread inside a driver safely. Time is monotonic; its wall-clock origin is taken once.
class Sampler {
 public:
  Sampler(std::vector<std::unique_ptr<GpuSource>> sources, SamplerOptions options);
  /// Ends the recording, then waits for the thread, but not for ever.
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Waits until the sources have been asked for GPUs, at most this long. Answers whether they have been.
  bool waitForGpus(int64_t patienceNs) const;
  std::vector<LookedFor> lookedFor() const;
  std::vector<GpuIdentity> gpus() const;

  /// Somebody looks: sampling goes on for `attentionNs`.
  void look();
  /// From 0.1 to 50; others are taken as the nearer of these.
  void setRate(double hz);
  /// What is told as an event from now on: the growth of a process, and limits, one entry for each GPU.
  void watch(int64_t growthBytes, std::vector<Limits> limits);
  SamplerStatus status() const;

  /// Samples from a number on, at most so many; those that are gone already are left out.
  std::vector<Sample> samplesFrom(uint64_t number, size_t limit) const;
  /// The metrics of one GPU, in order; empty when there is no such GPU.
  std::vector<RingColumns> window(size_t gpu, int64_t from, int64_t to, uint32_t columns) const;
  /// Events after a number, oldest first. The last thousand are kept.
  std::vector<Event> eventsAfter(uint64_t number) const;
  void mark(const std::string& text);

  /// Errors: RecordingError.
  void startRecording(const Recorder::Options& options);
  void stopRecording();

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace strata::device
