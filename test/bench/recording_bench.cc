// Makes the recording of a day, as the sampler would have written it: eight GPUs at 10 Hz, a batch each half
// second. Readings are the simulated source's with the jitter that real sensors have, from a seed, so that
// every sample changes something.
//
//   recording_bench FILE [--seconds 86400] [--hz 10]
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/recording_writer.h"
#include "device/simulated_source.h"

using namespace strata::device;

namespace {

struct Options {
  std::string path;
  int64_t seconds = 86'400;
  int64_t hz = 10;
};

Options optionsOf(int count, char** texts) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string text = texts[i];
    if (text == "--seconds" && i + 1 < count) {
      options.seconds = std::atoll(texts[++i]);
    } else if (text == "--hz" && i + 1 < count) {
      options.hz = std::atoll(texts[++i]);
    } else {
      options.path = text;
    }
  }
  return options;
}

void shake(GpuReadings& readings, std::mt19937_64& random) {
  const auto jitter = [&](GpuMetric metric, int64_t most) {
    Reading& value = readings[metric];
    if (value) *value += static_cast<int64_t>(random() % static_cast<uint64_t>(2 * most + 1)) - most;
  };
  jitter(GpuMetric::Power, 4000);
  jitter(GpuMetric::CoreClock, 15);
  jitter(GpuMetric::Busy, 2);
  if (random() % 16 == 0) jitter(GpuMetric::Temperature, 1);
}

}  // namespace

int main(int count, char** texts) {
  const Options options = optionsOf(count, texts);
  if (options.path.empty() || options.hz <= 0) {
    std::fprintf(stderr, "recording_bench FILE [--seconds 86400] [--hz 10]\n");
    return 1;
  }
  CallWatch watch;
  SimulatedSource source(Scenario::EightGpus);
  source.open(watch);
  RecordingHead head;
  head.originNs = 1'700'000'000'000'000'000;
  head.isSimulated = true;
  head.gpus = source.gpus();
  std::ofstream file(options.path, std::ios::binary);
  RecordingWriter writer(head);
  file << writer.beginPart(0);
  std::mt19937_64 random(7);
  std::vector<GpuReadings> readings(head.gpus.size());
  const int64_t period = 1'000'000'000 / options.hz;
  std::vector<ProcessList> lists(readings.size());
  for (int64_t i = 0; i < options.seconds * options.hz; ++i) {
    Sample sample;
    sample.time = i * period;
    source.sample(sample.time, readings, watch);
    for (size_t gpu = 0; gpu < readings.size(); ++gpu) {
      shake(readings[gpu], random);
      auto& processes = readings[gpu].processes;
      if (i % options.hz == 0 && processes && (lists[gpu] == nullptr || *lists[gpu] != *processes)) {
        lists[gpu] = std::make_shared<const std::vector<GpuProcess>>(std::move(*processes));
      }
      processes.reset();
      sample.processes.push_back(lists[gpu]);
      sample.gpus.push_back(readings[gpu]);
    }
    writer.add(sample, period);
    if (i % (options.hz / 2 + 1) == 0) file << writer.take();
  }
  writer.addEnd(options.seconds * 1'000'000'000, recording::Kind::End);
  file << writer.take();
  return file.good() ? 0 : 1;
}
