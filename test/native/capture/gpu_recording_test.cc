#include "capture/gpu_recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "capture/capture.h"
#include "device/recording_writer.h"

namespace strata {
namespace {

using device::GpuMetric;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kPeriod = kSecond / 5;

device::RecordingHead headOf(size_t gpus) {
  device::RecordingHead head;
  head.originNs = 1'700'000'000 * kSecond;
  head.version = "1.2.3";
  head.host = "node-7";
  for (size_t i = 0; i < gpus; ++i) {
    device::GpuIdentity gpu;
    gpu.id = "GPU-" + std::to_string(i);
    gpu.name = "Made GPU";
    gpu.vendor = "nvidia";
    head.gpus.push_back(gpu);
  }
  return head;
}

device::Sample sampleOf(size_t gpus, int64_t time, int64_t used, device::ProcessList processes = nullptr) {
  device::Sample sample;
  sample.time = time;
  for (size_t i = 0; i < gpus; ++i) {
    device::GpuReadings readings;
    readings[GpuMetric::Total] = 1000;
    readings[GpuMetric::Used] = used + static_cast<int64_t>(i);
    readings.accounting = device::MemoryAccounting::ReservedApart;
    sample.gpus.push_back(readings);
    sample.processes.push_back(processes);
  }
  return sample;
}

device::ProcessList processesOf(std::vector<device::GpuProcess> list) {
  return std::make_shared<const std::vector<device::GpuProcess>>(std::move(list));
}

Trace read(const std::string& bytes) {
  return readCapture(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), {});
}

std::string textOf(const Trace& trace, uint32_t row) { return std::string(trace.strings.at(row)); }

const Counter* find(const Trace& trace, const std::string& group, const std::string& name) {
  for (const Counter& counter : trace.counters) {
    if (textOf(trace, counter.group) == group && textOf(trace, counter.name) == name) return &counter;
  }
  return nullptr;
}

std::string codes(const Trace& trace) {
  std::string all;
  for (const Warning& warning : trace.warnings) all += (all.empty() ? "" : " ") + warning.code;
  return all;
}

/// Five seconds of two GPUs, a batch a second, with what each batch must bring back.
struct Made {
  std::string bytes;
  std::vector<size_t> ends;   ///< of each batch in the file
  std::vector<int64_t> last;  ///< time of the last sample of each

  Made() {
    device::RecordingWriter writer(headOf(2));
    bytes = writer.beginPart(0);
    int64_t time = 0;
    for (int second = 0; second < 5; ++second) {
      for (int i = 0; i < 5; ++i) {
        const auto list = processesOf({{7, "python", time / kPeriod, std::nullopt}});
        writer.add(sampleOf(2, time, 100 + time / kPeriod, list), kPeriod);
        time += kPeriod;
      }
      bytes += writer.take();
      ends.push_back(bytes.size());
      last.push_back(time - kPeriod);
    }
    writer.addEnd(time, device::recording::Kind::End);
    bytes += writer.take();
  }
};

TEST(GpuRecording, BringsBackWhatWasRecorded) {
  device::RecordingWriter writer(headOf(2));
  std::string bytes = writer.beginPart(0);
  writer.add(sampleOf(2, 0, 100), kPeriod);
  writer.add(sampleOf(2, kPeriod, 100), kPeriod);
  writer.add(device::Event{1, kPeriod, "mark", std::nullopt, "training starts", std::nullopt, {}});
  device::Sample lost = sampleOf(2, 2 * kPeriod, 300, processesOf({{9, "", std::nullopt, std::nullopt}}));
  lost.gpus[1] = {};
  lost.gpus[1].isLost = true;
  writer.add(lost, kPeriod);
  writer.addEnd(2 * kPeriod, device::recording::Kind::End);
  const Trace trace = read(bytes + writer.take());
  EXPECT_EQ(trace.format, "gpu-recording");
  EXPECT_EQ(trace.producer, "Strata 1.2.3 on node-7");
  EXPECT_EQ(trace.originNs, 1'700'000'000 * kSecond);
  EXPECT_TRUE(trace.isComplete);
  EXPECT_EQ(codes(trace), "");
  EXPECT_TRUE(trace.devices.empty());
  EXPECT_EQ(trace.countersEnd, 4 * kPeriod);
  const Counter* used = find(trace, "GPU 0", "used");
  ASSERT_NE(used, nullptr);
  EXPECT_EQ(used->time, (std::vector<int64_t>{0, 2 * kPeriod})) << "what does not change is not stored again";
  EXPECT_EQ(used->value, (std::vector<double>{100, 300}));
  const Counter* gone = find(trace, "GPU 1", "used");
  ASSERT_NE(gone, nullptr);
  EXPECT_EQ(gone->time.back(), 2 * kPeriod);
  EXPECT_TRUE(std::isnan(gone->value.back()));
  EXPECT_EQ(find(trace, "GPU 0", "power"), nullptr) << "never read";
  EXPECT_EQ(find(trace, "GPU 0", "9"), nullptr) << "a process of unknown size has no series";
  ASSERT_EQ(trace.marks.size(), 1u);
  EXPECT_EQ(textOf(trace, trace.marks[0].text), "training starts");
}

TEST(GpuRecording, StartsWithItsFirstSampleHoweverLongWasOnlyLookedAtBefore) {
  device::RecordingWriter writer(headOf(1));
  std::string bytes = writer.beginPart(0);
  const int64_t before = 3600 * kSecond;
  const auto list = processesOf({{7, "python", 50, std::nullopt}});
  writer.add(sampleOf(1, before, 100, list), kPeriod);
  writer.add(device::Event{1, before + kPeriod, "mark", std::nullopt, "now", std::nullopt, {}});
  writer.add(sampleOf(1, before + kPeriod, 300, list), kPeriod);
  const Trace trace = read(bytes + writer.take());
  EXPECT_EQ(trace.originNs, 1'700'000'000 * kSecond + before);
  EXPECT_EQ(trace.sampleTimes, (std::vector<int64_t>{0, kPeriod}));
  EXPECT_EQ(trace.countersEnd, 3 * kPeriod);
  const Counter* used = find(trace, "GPU 0", "used");
  ASSERT_NE(used, nullptr);
  EXPECT_EQ(used->time, (std::vector<int64_t>{0, kPeriod}));
  EXPECT_EQ(used->value, (std::vector<double>{100, 300}));
  const Counter* process = find(trace, "GPU 0", "python (7)");
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(process->time, (std::vector<int64_t>{0}));
  ASSERT_EQ(trace.marks.size(), 1u);
  EXPECT_EQ(trace.marks[0].time, kPeriod);
}

TEST(GpuRecording, LeavesGapsAsGaps) {
  device::RecordingWriter writer(headOf(1));
  std::string bytes = writer.beginPart(0);
  const auto list = processesOf({{7, "python", 50, std::nullopt}});
  writer.add(sampleOf(1, 0, 100, list), kPeriod);
  device::Sample later = sampleOf(1, 10 * kSecond, 100, list);
  later.isGapBefore = true;
  writer.add(later, kPeriod);
  const Trace trace = read(bytes + writer.take());
  for (const char* name : {"used", "python (7)"}) {
    const Counter* counter = find(trace, "GPU 0", name);
    ASSERT_NE(counter, nullptr);
    ASSERT_EQ(counter->time, (std::vector<int64_t>{0, 2 * kPeriod, 10 * kSecond})) << name;
    EXPECT_TRUE(std::isnan(counter->value[1]));
    EXPECT_EQ(counter->value[2], counter->value[0]);
  }
  EXPECT_EQ(codes(trace), "gpu-recording-unfinished");
}

TEST(GpuRecording, FollowsProcessesThatComeAndGo) {
  device::RecordingWriter writer(headOf(1));
  std::string bytes = writer.beginPart(0);
  writer.add(sampleOf(1, 0, 1, processesOf({{7, "a", 10, 5}})), kPeriod);
  writer.add(sampleOf(1, kPeriod, 1, processesOf({{7, "a", 20, 5}, {8, "b", 1, 5}})), kPeriod);
  writer.add(sampleOf(1, 2 * kPeriod, 1, processesOf({{8, "b", 1, 5}})), kPeriod);
  const Trace trace = read(bytes + writer.take());
  const Counter* a = find(trace, "GPU 0", "a (7)");
  ASSERT_NE(a, nullptr);
  EXPECT_TRUE(a->isProcess);
  EXPECT_EQ(a->time, (std::vector<int64_t>{0, kPeriod, 2 * kPeriod}));
  EXPECT_TRUE(std::isnan(a->value[2]));
  const Counter* b = find(trace, "GPU 0", "b (8)");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->time, std::vector<int64_t>{kPeriod});
}

TEST(GpuRecording, CutAtAnyByteLosesAtMostTheLastSecond) {
  const Made made;
  for (size_t size = 0; size < made.bytes.size(); ++size) {
    SCOPED_TRACE("cut at byte " + std::to_string(size));
    const std::string cut = made.bytes.substr(0, size);
    size_t whole = 0;
    while (whole < made.ends.size() && made.ends[whole] <= size) ++whole;
    try {
      const Trace trace = read(cut);
      EXPECT_NE(codes(trace), "") << "that it has no end is said";
      if (whole == 0) continue;
      const Counter* used = find(trace, "GPU 1", "used");
      ASSERT_NE(used, nullptr);
      EXPECT_GE(used->time.back(), made.last[whole - 1]);
      EXPECT_GE(trace.countersEnd, made.last[whole - 1]);
    } catch (const CaptureError&) {
      EXPECT_EQ(whole, 0u);
    }
  }
}

TEST(GpuRecording, ADamagedByteCostsItsSecondAndIsSaid) {
  const Made made;
  const std::map<std::string, size_t> whole = [&] {
    std::map<std::string, size_t> points;
    const Trace trace = read(made.bytes);
    for (const Counter& counter : trace.counters) {
      points[textOf(trace, counter.group) + textOf(trace, counter.name)] = counter.time.size();
    }
    return points;
  }();
  ASSERT_FALSE(whole.empty());
  for (size_t at = 0; at < made.bytes.size(); ++at) {
    SCOPED_TRACE("byte " + std::to_string(at) + " is changed");
    std::string damaged = made.bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    try {
      const Trace trace = read(damaged);
      const bool isPadding = at > 12 && at < 16;
      EXPECT_EQ(trace.isComplete, isPadding) << codes(trace);
      const Counter* used = find(trace, "GPU 0", "used");
      ASSERT_NE(used, nullptr);
      EXPECT_GE(used->time.size(), 20u) << "four of five seconds are there";
    } catch (const CaptureError&) {
      EXPECT_LT(at, made.ends[0]) << "only what the head holds cannot be spared";
    }
  }
}

TEST(GpuRecording, SaysWhatItsPartsAndItsSourceAre) {
  device::RecordingHead head = headOf(1);
  head.isSimulated = true;
  device::RecordingWriter writer(head);
  std::string bytes = writer.beginPart(3);
  writer.add(sampleOf(1, 0, 1), kPeriod);
  writer.addLoss(kPeriod, 17);
  writer.addEnd(kPeriod, device::recording::Kind::Next);
  const Trace trace = read(bytes + writer.take());
  EXPECT_EQ(codes(trace),
            "gpu-recording-lost gpu-recording-simulated gpu-recording-later-part gpu-recording-continued");
  EXPECT_FALSE(trace.isComplete);
}

TEST(GpuRecording, RefusesLaterVersionsByName) {
  Made made;
  made.bytes[12] = 2;
  try {
    read(made.bytes);
    FAIL();
  } catch (const CaptureError& error) {
    EXPECT_EQ(error.code, "gpu-recording-version");
  }
}

TEST(GpuRecording, ReadsFramesOfAnyContentWithoutHarm) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  device::RecordingWriter writer(headOf(2));
  const std::string start = writer.beginPart(0);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = start;
    for (int frame = 0; frame < 4; ++frame) {
      device::recording::Payload payload;
      const unsigned numbers = random() % 40;
      for (unsigned i = 0; i < numbers; ++i) {
        payload.number(random() % 3 == 0 ? uint64_t{random()} << (random() % 33) : random() % 20);
      }
      const char kinds[] = {'S', 'P', 'M', 'L', 'N', 'E', 'X'};
      bytes += device::recording::frame(static_cast<device::recording::Kind>(kinds[random() % 7]), payload);
    }
    const Trace trace = read(bytes);
    for (const Counter& counter : trace.counters) {
      ASSERT_EQ(counter.time.size(), counter.value.size());
      ASSERT_TRUE(std::is_sorted(counter.time.begin(), counter.time.end()));
    }
  }
}

}  // namespace
}  // namespace strata
