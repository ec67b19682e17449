#pragma once

#include <string>
#include <vector>

#include "device/recording_format.h"
#include "device/sample.h"

namespace strata::device {

/// What a recording says of itself at its start.
struct RecordingHead {
  int64_t originNs = 0;  ///< wall clock of time 0, ns since the Unix epoch
  bool isSimulated = false;
  std::string version;
  std::string host;
  std::vector<GpuIdentity> gpus;
};

/// Turns samples into the frames of a recording (recording_format.h). Does not write: `take` hands over bytes
/// that end with a whole frame.
class RecordingWriter {
 public:
  explicit RecordingWriter(RecordingHead head) : head_(std::move(head)) {}

  /// What a file, or a further part of it, starts with: its head and the processes as they are.
  std::string beginPart(uint64_t part);
  void add(const Sample& sample, int64_t periodNs);
  void add(const Event& event);
  void addLoss(int64_t time, uint64_t samples);
  void addEnd(int64_t time, recording::Kind kind);

  /// Closes the frame under way and answers all that was added since the last call.
  std::string take();
  size_t pendingBytes() const { return bytes_.size() + samples_.bytes().size() + after_.size(); }
  uint64_t pendingSamples() const { return pending_; }

 private:
  struct State {
    std::array<Reading, kGpuMetricCount> values;
    uint32_t state = 0;
  };

  void addReadings(const GpuReadings& readings, State& before);
  static std::string processesFrame(int64_t time, size_t gpu, const ProcessList& list);
  void closeSamples();

  RecordingHead head_;
  std::string bytes_;
  std::string after_;           ///< frames that stand behind the one under way
  recording::Payload samples_;  ///< of the frame under way, without its start
  uint64_t count_ = 0;
  uint64_t pending_ = 0;
  int64_t first_ = 0, last_ = 0, period_ = 0;
  std::vector<State> before_;
  std::vector<ProcessList> processes_;
  bool hasProcesses_ = false;
};

}  // namespace strata::device
