#include "device/recording_writer.h"

#include <utility>

namespace strata::device {

using recording::Kind;
using recording::Payload;

std::string RecordingWriter::beginPart(uint64_t part) {
  Payload head;
  head.whole(head_.originNs);
  head.number(part);
  head.number(head_.isSimulated ? recording::kSimulatedFlag : 0);
  head.text(head_.version);
  head.text(head_.host);
  head.number(head_.gpus.size());
  for (const GpuIdentity& gpu : head_.gpus) {
    for (const std::string* text : {&gpu.id, &gpu.name, &gpu.vendor, &gpu.bus, &gpu.driver}) head.text(*text);
    head.number(gpu.parent ? *gpu.parent + 1 : 0);
    head.reading(gpu.slowdownTemperature);
  }
  std::string start = recording::fileHead() + recording::frame(Kind::Head, head);
  for (size_t gpu = 0; hasProcesses_ && gpu < processes_.size(); ++gpu) {
    start += processesFrame(last_, gpu, processes_[gpu]);
  }
  return start;
}

void RecordingWriter::addReadings(const GpuReadings& readings, State& before) {
  const uint32_t state =
      static_cast<uint32_t>(readings.accounting) | (readings.isLost ? recording::kLostFlag : 0);
  uint32_t mask = state != before.state ? 1u << recording::kStateBit : 0;
  for (size_t i = 0; i < kGpuMetricCount; ++i) {
    if (readings.values[i] != before.values[i]) mask |= 1u << i;
  }
  samples_.number(mask);
  for (size_t i = 0; i < kGpuMetricCount; ++i) {
    const Reading& value = readings.values[i];
    if (value == before.values[i]) continue;
    samples_.number(value ? 1 + recording::zigzag(*value - before.values[i].value_or(0)) : 0);
    before.values[i] = value;
  }
  if (state != before.state) samples_.number(state);
  before.state = state;
}

std::string RecordingWriter::processesFrame(int64_t time, size_t gpu, const ProcessList& list) {
  Payload payload;
  payload.whole(time);
  payload.number(gpu);
  payload.number(list ? list->size() + 1 : 0);
  if (list) {
    for (const GpuProcess& process : *list) {
      payload.number(process.pid);
      payload.text(process.name);
      payload.reading(process.bytes);
      payload.reading(process.busy);
    }
  }
  return recording::frame(Kind::Processes, payload);
}

void RecordingWriter::add(const Sample& sample, int64_t periodNs) {
  // A gap is always before a frame, so that what follows the frame lies behind the gap.
  if (period_ != periodNs || sample.isGapBefore) closeSamples();
  if (count_ == 0) {
    first_ = last_ = sample.time;
    period_ = periodNs;
    before_.assign(sample.gpus.size(), State());
  }
  samples_.number(static_cast<uint64_t>(sample.time - last_));
  samples_.number(sample.isGapBefore ? recording::kGapFlag : 0);
  for (size_t gpu = 0; gpu < sample.gpus.size(); ++gpu) addReadings(sample.gpus[gpu], before_[gpu]);
  last_ = sample.time;
  ++count_;
  ++pending_;
  processes_.resize(sample.processes.size());
  for (size_t gpu = 0; gpu < sample.processes.size(); ++gpu) {
    if (hasProcesses_ && processes_[gpu] == sample.processes[gpu]) continue;
    processes_[gpu] = sample.processes[gpu];
    after_ += processesFrame(sample.time, gpu, processes_[gpu]);
  }
  hasProcesses_ = true;
}

void RecordingWriter::add(const Event& event) {
  Payload payload;
  payload.whole(event.time);
  payload.text(event.kind);
  payload.number(event.gpu ? *event.gpu + 1 : 0);
  payload.text(event.text);
  after_ += recording::frame(Kind::Mark, payload);
}

void RecordingWriter::addLoss(int64_t time, uint64_t samples) {
  Payload payload;
  payload.whole(time);
  payload.number(samples);
  bytes_ += recording::frame(Kind::Loss, payload);
}

void RecordingWriter::addEnd(int64_t time, Kind kind) {
  closeSamples();
  Payload payload;
  payload.whole(time);
  bytes_ += recording::frame(kind, payload);
}

void RecordingWriter::closeSamples() {
  if (count_ > 0) {
    Payload payload;
    payload.number(static_cast<uint64_t>(period_));
    payload.number(count_);
    payload.whole(first_);
    payload.append(samples_);
    bytes_ += recording::frame(Kind::Samples, payload);
  }
  samples_.clear();
  count_ = 0;
  bytes_ += std::exchange(after_, {});
}

std::string RecordingWriter::take() {
  closeSamples();
  pending_ = 0;
  return std::exchange(bytes_, {});
}

}  // namespace strata::device
