#include "device/recorder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "device/recording_error.h"
#include "device/recording_resume.h"

namespace strata::device {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kPeriod = 100'000'000;

RecordingHead headOf() {
  RecordingHead head;
  head.gpus.resize(1);
  head.gpus[0].id = "GPU-0";
  return head;
}

Sample sampleAt(int64_t time) {
  Sample sample;
  sample.time = time;
  sample.gpus.resize(1);
  sample.gpus[0][GpuMetric::Used] = time * 7919 % 1'000'003;  // changes each time
  sample.processes.resize(1);
  return sample;
}

/// What a file holds, by kinds of frames; fails when anything is left over.
std::string kindsIn(const std::string& bytes) {
  const std::span file(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  std::string kinds;
  size_t offset = recording::kFileHeadBytes;
  while (offset < file.size()) {
    const auto frame = recording::frameAt(file, offset);
    if (!frame) {
      ADD_FAILURE() << "no whole frame at byte " << offset;
      break;
    }
    if (kinds.empty() || kinds.back() != static_cast<char>(frame->kind)) {
      kinds.push_back(static_cast<char>(frame->kind));
    }
    offset += frame->bytes;
  }
  return kinds;
}

/// How many samples the frames of a file hold.
uint64_t samplesIn(const std::string& bytes) {
  const std::span file(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  uint64_t samples = 0;
  size_t offset = recording::kFileHeadBytes;
  while (const auto frame = recording::frameAt(file, offset)) {
    offset += frame->bytes;
    if (frame->kind != recording::Kind::Samples) continue;
    recording::Fields fields(frame->payload);
    fields.number();
    samples += fields.number();
  }
  return samples;
}

std::string contentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "strata-recorder-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// A disk in memory that can be full, and tells when it was asked.
class Disk final : public RecordingSink {
 public:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::string bytes;
    bool isFull = false;
    int refusals = 0;
    void waitForRefusals(int wanted) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return refusals >= wanted; });
    }
    void setFull(bool full) {
      const std::scoped_lock lock(mutex);
      isFull = full;
    }
  };
  explicit Disk(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::string create() override { return {}; }
  std::string resume(uint64_t) override { return {}; }
  std::string append(std::string_view bytes) override {
    const std::scoped_lock lock(state_->mutex);
    if (!state_->isFull) {
      state_->bytes += bytes;
      return {};
    }
    ++state_->refusals;
    state_->changed.notify_all();
    return "The disk is full.";
  }
  std::string sync() override { return {}; }
  std::string rotate() override { return {}; }

 private:
  std::shared_ptr<State> state_;
};

TEST(Recorder, WritesWholeFramesAndAnEnd) {
  const Folder folder;
  Recorder recorder({.path = folder.file("a.strata")}, headOf(), fileSink(folder.file("a.strata")));
  for (int i = 0; i < 100; ++i) recorder.add(sampleAt(i * kPeriod), kPeriod);
  recorder.add(Event{1, 5, "mark", std::nullopt, "here", std::nullopt, {}});
  recorder.stop(100 * kPeriod);
  const RecorderStatus status = recorder.status();
  EXPECT_FALSE(status.isActive);
  EXPECT_EQ(status.samples, 100u);
  EXPECT_EQ(status.keptSamples, 100u);
  EXPECT_EQ(status.lengthNs, 99 * kPeriod);
  EXPECT_EQ(status.lost, 0u);
  const std::string bytes = contentOf(folder.file("a.strata"));
  EXPECT_EQ(status.bytes, bytes.size());
  const std::string kinds = kindsIn(bytes);
  EXPECT_EQ(kinds.front(), 'H');
  EXPECT_EQ(kinds.back(), 'E');
  EXPECT_NE(kinds.find('M'), std::string::npos);
}

TEST(Recorder, KeepsItsFilesWithinTheLimit) {
  const Folder folder;
  constexpr uint64_t kLimit = 300'000;
  Recorder recorder({.path = folder.file("a.strata"), .limitBytes = kLimit}, headOf(),
                    fileSink(folder.file("a.strata")));
  for (int i = 0; i < 100'000; ++i) recorder.add(sampleAt(i * kPeriod), kPeriod);
  recorder.stop(100'000 * kPeriod);
  EXPECT_GT(recorder.status().parts, 2u);
  const std::string older = contentOf(folder.file("a.strata.1")), newer = contentOf(folder.file("a.strata"));
  EXPECT_LE(older.size() + newer.size(), kLimit);
  EXPECT_GT(older.size() + newer.size(), kLimit / 2) << "and makes use of it";
  const RecorderStatus status = recorder.status();
  EXPECT_EQ(status.samples, 100'000u);
  EXPECT_EQ(status.keptBytes, older.size() + newer.size()) << "what is still there is counted apart";
  EXPECT_EQ(status.keptSamples, samplesIn(older) + samplesIn(newer));
  EXPECT_LT(status.keptSamples, status.samples);
  EXPECT_GT(status.bytes, status.keptBytes);
  EXPECT_EQ(kindsIn(older).back(), 'N');
  EXPECT_EQ(kindsIn(newer).back(), 'E');
  EXPECT_EQ(kindsIn(newer).front(), 'H');
}

RecordingHead headSince(int64_t originNs) {
  RecordingHead head = headOf();
  head.originNs = originNs;
  return head;
}

std::string whyNot(const Recorder::Options& options, const RecordingHead& head) {
  try {
    Recorder recorder(options, head, fileSink(options.path));
  } catch (const RecordingError& error) {
    EXPECT_NE(error.remedy(), "");
    return error.code() + ": " + error.what() + " " + error.remedy();
  }
  return {};
}

TEST(Recorder, RefusesALimitThatItCannotKeepAndKeepsTheLeastThatItNames) {
  const Folder folder;
  const std::string path = folder.file("a.strata");
  const std::string refused = whyNot({.path = path, .limitBytes = 1000}, headOf());
  EXPECT_TRUE(refused.starts_with("limit-too-small: ")) << refused;
  EXPECT_FALSE(fs::exists(path));
  const size_t number = refused.find("at least ") + 9;
  const auto least = static_cast<uint64_t>(std::stod(refused.substr(number)) * 1048576);
  Recorder recorder({.path = path, .limitBytes = least}, headOf(), fileSink(path));
  for (int i = 0; i < 5000; ++i) recorder.add(sampleAt(i * kPeriod), kPeriod);
  recorder.stop(5000 * kPeriod);
  const std::string older = contentOf(path + ".1"), newer = contentOf(path);
  EXPECT_LE(older.size() + newer.size(), least);
  EXPECT_GT(samplesIn(older), 0u);
  EXPECT_GT(samplesIn(newer), 0u);
  EXPECT_EQ(recorder.status().keptSamples, samplesIn(older) + samplesIn(newer));
}

TEST(Recorder, KeepsALowerLimitWhenItGoesOnWithALongerRecording) {
  const Folder folder;
  const std::string path = folder.file("a.strata");
  {
    Recorder first({.path = path}, headSince(1'000), fileSink(path));
    for (int i = 0; i < 2000; ++i) first.add(sampleAt(i * kPeriod), kPeriod);
    first.stop(2000 * kPeriod);
  }
  const std::string before = contentOf(path);
  const std::string refused =
      whyNot({.path = path, .limitBytes = before.size(), .isAppending = true}, headSince(1'000));
  EXPECT_TRUE(refused.starts_with("limit-too-small: ")) << refused;
  EXPECT_EQ(contentOf(path), before);
  const uint64_t limit = before.size() + 5000;
  Recorder second({.path = path, .limitBytes = limit, .isAppending = true}, headSince(1'000 + 3000 * kPeriod),
                  fileSink(path));
  for (int i = 0; i < 20; ++i) second.add(sampleAt(i * kPeriod), kPeriod);
  second.stop(20 * kPeriod);
  EXPECT_TRUE(contentOf(path + ".1").starts_with(before)) << "what was there is the older part now";
  EXPECT_EQ(samplesIn(contentOf(path)), 20u);
  EXPECT_LE(fs::file_size(path) + fs::file_size(path + ".1"), limit);
}

TEST(Recorder, LosesTheOldestOfWhatADiskDoesNotTakeAndSaysSo) {
  const auto disk = std::make_shared<Disk::State>();
  Recorder recorder({.path = "memory", .waitingBytes = 200'000}, headOf(), std::make_unique<Disk>(disk));
  disk->setFull(true);
  for (int i = 0; i < 100'000; ++i) recorder.add(sampleAt(i * kPeriod), kPeriod);
  disk->waitForRefusals(1);
  disk->setFull(false);
  recorder.stop(100'000 * kPeriod);
  const RecorderStatus status = recorder.status();
  EXPECT_GT(status.lost, 0u);
  EXPECT_GT(status.samples, 0u);
  EXPECT_EQ(status.lost + status.samples, 100'000u);
  EXPECT_EQ(status.problem, "");
  const std::string kinds = kindsIn(disk->bytes);
  EXPECT_NE(kinds.find('L'), std::string::npos);
  EXPECT_EQ(kinds.back(), 'E');
}

TEST(Recorder, GoesOnWithARecordingThatIsThereAndCutsWhatItBreaksOffWith) {
  const Folder folder;
  const std::string path = folder.file("a.strata");
  {
    Recorder first({.path = path}, headSince(1'000), fileSink(path));
    for (int i = 0; i < 10; ++i) first.add(sampleAt(i * kPeriod), kPeriod);
    first.stop(10 * kPeriod);
  }
  const std::string before = contentOf(path);
  std::ofstream(path, std::ios::binary | std::ios::app) << "FRMhalf a frame";
  Recorder second({.path = path, .isAppending = true}, headSince(1'000 + 100 * kPeriod), fileSink(path));
  for (int i = 0; i < 5; ++i) second.add(sampleAt(i * kPeriod), kPeriod);
  second.add(Event{1, 5, "mark", std::nullopt, "here", std::nullopt, {}});
  second.stop(5 * kPeriod);
  const std::string after = contentOf(path);
  EXPECT_TRUE(after.starts_with(before)) << "what was there is there as it was";
  EXPECT_EQ(samplesIn(after), 15u);
  EXPECT_EQ(second.status().samples, 5u);
  EXPECT_EQ(second.status().keptSamples, 15u);
  EXPECT_EQ(second.status().keptBytes, after.size());
  const RecordingSoFar soFar = recordingSoFar(path);
  EXPECT_EQ(soFar.originNs, 1'000);
  EXPECT_EQ(soFar.last, 104 * kPeriod) << "on the time of the first";
  EXPECT_EQ(soFar.gpus, std::vector<std::string>{"GPU-0"});
  EXPECT_EQ(kindsIn(after).find('H', 1), std::string::npos) << "one head";
}

TEST(Recorder, GoesOnOnlyWithARecordingOfTheSameGpus) {
  const Folder folder;
  const std::string path = folder.file("a.strata");
  Recorder({.path = path}, headOf(), fileSink(path)).stop(0);
  RecordingHead other = headOf();
  other.gpus[0].id = "GPU-1";
  const auto goOn = [](const std::string& file, const RecordingHead& head) {
    return whyNot({.path = file, .isAppending = true}, head);
  };
  EXPECT_NE(goOn(path, other).find("other GPUs"), std::string::npos);
  std::ofstream(folder.file("text")) << "no recording";
  EXPECT_NE(goOn(folder.file("text"), headOf()).find("no recording of GPUs"), std::string::npos);
  EXPECT_EQ(contentOf(folder.file("text")), "no recording") << "and leaves it alone";
  EXPECT_EQ(goOn(path, headOf()), "");
  EXPECT_EQ(goOn(folder.file("new"), headOf()), "") << "one that is not there is begun";
  std::ofstream(folder.file("empty")).flush();
  EXPECT_EQ(goOn(folder.file("empty"), headOf()), "") << "and so is an empty one";
}

TEST(Recorder, RefusesAFileThatCannotBeCreatedOrHoldsNothing) {
  EXPECT_THROW(Recorder({.path = "/nowhere/a"}, headOf(), fileSink("/nowhere/a")), std::runtime_error);
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  try {
    Recorder({.path = "/dev/full"}, headOf(), fileSink("/dev/full"));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be written"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace strata::device
