#include "device/recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "device/recording_error.h"
#include "device/recording_resume.h"

namespace strata::device {
namespace {

using recording::Kind;

constexpr std::chrono::milliseconds kFlush{500};  // half of the second that may be lost
constexpr std::chrono::milliseconds kRetry{1000};
constexpr std::chrono::milliseconds kPatience{3000};  // for a disk, when the recording is stopped
constexpr size_t kMostInBatch = size_t{64} << 10;     // bytes; what is given up is given up in batches
/// Bytes that are kept free for the frames that may end a part: loss, next.
constexpr uint64_t kTail = 64;
/// Bytes of a part that can be of use, beyond its head: some samples of each GPU with their processes.
constexpr uint64_t kRoomPerGpu = 512;
/// A part is made of so many batches at least, so that little of its room is wasted.
constexpr uint64_t kBatchesInPart = 4;

/// Frames that belong together, as they are handed from the sampler to the disk.
struct Batch {
  std::string bytes;
  uint64_t samples = 0;
  bool isEnd = false;  ///< nothing comes behind it
};

/// "0.024 MiB".
std::string mebibytes(double thousandths) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f MiB", thousandths / 1000);
  return text;
}

double thousandthsOf(uint64_t bytes) { return static_cast<double>(bytes) / 1048.576; }

RecordingError limitTooSmall(const std::string& why, uint64_t least) {
  return {"limit-too-small", "The limit is too small: " + why + ".",
          "Give a limit of at least " + mebibytes(std::ceil(thousandthsOf(least))) + "."};
}

}  // namespace

struct Recorder::Core {
  Options options;
  std::unique_ptr<RecordingSink> sink;
  std::optional<RecordingSoFar> soFar;  ///< what is gone on with
  int64_t shift = 0;                    ///< from the sampler's time to that of the recording, ns

  mutable std::mutex mutex;
  std::condition_variable wake, changed;
  RecordingWriter writer;
  std::deque<Batch> waiting;
  size_t waitingBytes = 0;
  uint64_t lostUnsaid = 0;  ///< samples given up since the recording last said so
  int64_t lastTime = 0;     ///< as the recording counts
  bool isStopping = false, isDone = false, isCreated = false;
  std::optional<int64_t> firstTime;  ///< of the first sample that came, as the recording counts
  RecorderStatus status;

  // Only the thread uses these.
  enum class Part { Open, Full, Missing } part = Part::Open;
  struct Held {
    uint64_t bytes = 0, samples = 0;
  } newer, older;  ///< what the file and its older part hold

  uint64_t nextPart = 1;
  uint64_t headBytes = 0;  ///< of a part that has no processes yet
  size_t mostInBatch = kMostInBatch;

  Core(Options given, RecordingHead head, std::unique_ptr<RecordingSink> to)
      : options(std::move(given)), sink(std::move(to)), writer({}) {
    status.path = options.path;
    status.isActive = true;
    headBytes = RecordingWriter(head).beginPart(0).size();
    const uint64_t part = headBytes + kRoomPerGpu * std::max<size_t>(1, head.gpus.size()) + kTail;
    if (options.limitBytes / 2 < part) {
      const size_t count = head.gpus.size();
      throw limitTooSmall("a recording of " + std::to_string(count) + (count == 1 ? " GPU" : " GPUs") +
                              " cannot be kept within " + mebibytes(thousandthsOf(options.limitBytes)),
                          2 * part);
    }
    mostInBatch = std::min<size_t>(kMostInBatch, (options.limitBytes / 2 - headBytes) / kBatchesInPart);
    if (options.isAppending && isThere(options.path)) goOnWith(head, part);
    writer = RecordingWriter(std::move(head));
  }

  /// An empty file is as good as none.
  static bool isThere(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return false;
    const auto size = std::filesystem::file_size(path, error);
    return error || size > 0;
  }

  void goOnWith(RecordingHead& head, uint64_t leastPart);

  void run();
  bool create();
  void takeFromWriter();
  void giveUpOldest();
  bool write(const Batch& batch, uint64_t lost, int64_t time);
  bool fits(const Batch& batch) const;
  void closePart(int64_t time);
  bool openPart();
  bool drain();
  void countKept();
};

/// Time goes on from the origin of the recording that is there.
void Recorder::Core::goOnWith(RecordingHead& head, uint64_t leastPart) {
  soFar = recordingSoFar(options.path);
  std::vector<std::string> ids;
  for (const GpuIdentity& gpu : head.gpus) ids.push_back(gpu.id);
  if (soFar->gpus != ids || soFar->isSimulated != head.isSimulated) {
    throw RecordingError("recording-of-others", options.path + " is a recording of other GPUs.",
                         "Name a file that is not there yet, to begin a recording of these.");
  }
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count();
  if (now - soFar->originNs < soFar->last) {
    throw RecordingError("recording-failed",
                         "The clock of this machine stands before the end of " + options.path + ".",
                         "Set the clock, or name a file that is not there yet.");
  }
  shift = head.originNs - soFar->originNs;
  head.originNs = soFar->originNs;
  nextPart = soFar->part + 1;
  newer = {soFar->bytes, soFar->samples};
  if (newer.bytes + leastPart > options.limitBytes) {
    throw limitTooSmall(options.path + " holds " + mebibytes(thousandthsOf(newer.bytes)) + " already",
                        newer.bytes + leastPart);
  }
  const std::string aside = options.path + ".1";
  if (!isThere(aside)) return;
  const RecordingSoFar part = recordingSoFar(aside);
  older = {part.bytes, part.samples};
}

bool Recorder::Core::create() {
  std::string head;
  if (!soFar) {
    const std::scoped_lock lock(mutex);
    head = writer.beginPart(0);
  }
  std::string problem = soFar ? sink->resume(soFar->bytes) : sink->create();
  if (problem.empty() && !head.empty()) problem = sink->append(head);
  const std::scoped_lock lock(mutex);
  isCreated = problem.empty();
  isDone = !isCreated;
  status.problem = problem;
  status.isActive = isCreated;
  if (isCreated) {
    newer.bytes += head.size();
    status.bytes = head.size();
  }
  countKept();
  changed.notify_all();
  return isCreated;
}

/// Under the lock.
void Recorder::Core::countKept() {
  status.keptBytes = newer.bytes + older.bytes;
  status.keptSamples = newer.samples + older.samples;
}

/// Under the lock.
void Recorder::Core::takeFromWriter() {
  const uint64_t samples = writer.pendingSamples();
  std::string bytes = writer.take();
  if (bytes.empty()) return;
  waitingBytes += bytes.size();
  waiting.push_back({std::move(bytes), samples});
  while (waitingBytes > options.waitingBytes && waiting.size() > 1) giveUpOldest();
}

void Recorder::Core::giveUpOldest() {
  status.lost += waiting.front().samples;
  lostUnsaid += waiting.front().samples;
  waitingBytes -= waiting.front().bytes.size();
  waiting.pop_front();
}

/// One batch, with the word that samples before it were lost.
bool Recorder::Core::write(const Batch& batch, uint64_t lost, int64_t time) {
  std::string bytes;
  if (lost > 0) {
    RecordingWriter loss{RecordingHead{}};
    loss.addLoss(time, lost);
    bytes = loss.take();
  }
  bytes += batch.bytes;
  const std::string problem = sink->append(bytes);
  const std::scoped_lock lock(mutex);
  status.problem = problem;
  if (!problem.empty()) return false;
  lostUnsaid -= lost;
  newer.bytes += bytes.size();
  newer.samples += batch.samples;
  status.bytes += bytes.size();
  status.samples += batch.samples;
  countKept();
  return true;
}

/// The limit holds for both parts together, so each gets half; one that was longer before leaves less.
bool Recorder::Core::fits(const Batch& batch) const {
  const uint64_t left = options.limitBytes - std::min(options.limitBytes, older.bytes);
  const uint64_t tail = batch.isEnd ? 0 : kTail;
  return newer.bytes + batch.bytes.size() + tail <= std::min(options.limitBytes / 2, left);
}

/// Ends the file with the word that it goes on elsewhere. A full disk has no room for it, and is no reason to
/// keep the file: putting it aside removes the part before it.
void Recorder::Core::closePart(int64_t time) {
  recording::Payload payload;
  payload.whole(time);
  const std::string last = recording::frame(Kind::Next, payload);
  if (sink->append(last).empty()) {
    const std::scoped_lock lock(mutex);
    newer.bytes += last.size();
    status.bytes += last.size();
    countKept();
  }
  sink->sync();
  part = Part::Full;
}

/// Makes sure that there is a file to append to.
bool Recorder::Core::openPart() {
  std::string problem;
  if (part == Part::Full) {
    problem = sink->rotate();
    if (problem.empty()) {
      part = Part::Missing;
      older = std::exchange(newer, {});
    }
  }
  if (part == Part::Missing) {
    std::string head;
    {
      const std::scoped_lock lock(mutex);
      head = writer.beginPart(nextPart);
    }
    problem = sink->create();
    if (problem.empty()) problem = sink->append(head);
    if (problem.empty()) {
      part = Part::Open;
      newer.bytes = head.size();
      const std::scoped_lock lock(mutex);
      status.bytes += head.size();
      ++status.parts;
      ++nextPart;
      countKept();
    }
  }
  if (part == Part::Open) return true;
  const std::scoped_lock lock(mutex);
  status.problem = problem;
  return false;
}

/// Writes what waits, oldest first. Answers whether nothing is left.
bool Recorder::Core::drain() {
  while (true) {
    Batch batch;
    uint64_t lost = 0;
    int64_t time = 0;
    {
      const std::scoped_lock lock(mutex);
      if (waiting.empty()) return true;
      batch = std::move(waiting.front());
      waiting.pop_front();
      waitingBytes -= batch.bytes.size();
      lost = lostUnsaid;
      time = lastTime;
    }
    const bool holdsAny = newer.bytes > headBytes;
    if (part == Part::Open && holdsAny && !fits(batch)) closePart(time);
    if (!openPart() || !write(batch, lost, time)) {
      const std::scoped_lock lock(mutex);
      waitingBytes += batch.bytes.size();
      waiting.push_front(std::move(batch));
      return false;
    }
  }
}

void Recorder::Core::run() {
  if (!create()) return;
  while (true) {
    bool isLast = false;
    {
      std::unique_lock lock(mutex);
      const auto pause = status.problem.empty() ? kFlush : kRetry;
      wake.wait_for(lock, pause, [this] { return isStopping; });
      isLast = isStopping;
      if (isLast) writer.addEnd(lastTime, Kind::End);
      takeFromWriter();
      if (isLast) waiting.back().isEnd = true;
    }
    const bool isDrained = drain();
    const std::string problem = isDrained ? sink->sync() : std::string();
    const std::scoped_lock lock(mutex);
    if (!problem.empty()) status.problem = problem;
    if (!isLast) continue;
    for (const Batch& batch : waiting) status.lost += batch.samples;
    status.isActive = false;
    isDone = true;
    changed.notify_all();
    return;
  }
}

Recorder::Recorder(Options options, RecordingHead head, std::unique_ptr<RecordingSink> sink)
    : core_(std::make_shared<Core>(std::move(options), std::move(head), std::move(sink))) {
  // Detached from the start: a disk that never answers must not keep the program from ending.
  std::thread([core = core_] { core->run(); }).detach();
  std::unique_lock lock(core_->mutex);
  const bool isAnswered =
      core_->changed.wait_for(lock, kPatience, [this] { return core_->isCreated || core_->isDone; });
  if (core_->isCreated) return;
  throw RecordingError("recording-failed", isAnswered ? core_->status.problem : "The disk does not answer.",
                       "Choose a folder that can be written and has room.");
}

Recorder::~Recorder() { stop(core_->lastTime - core_->shift); }

void Recorder::add(const Sample& sample, int64_t periodNs) {
  const std::scoped_lock lock(core_->mutex);
  if (core_->isStopping) return;
  Sample own = sample;
  own.time += core_->shift;
  // What is between two recordings was not looked at.
  if (!core_->firstTime && core_->soFar) own.isGapBefore = true;
  core_->writer.add(own, periodNs);
  core_->lastTime = own.time;
  if (!core_->firstTime) core_->firstTime = own.time;
  core_->status.lengthNs = own.time - *core_->firstTime;
  if (core_->writer.pendingBytes() > core_->mostInBatch) core_->takeFromWriter();
}

void Recorder::add(const Event& event) {
  const std::scoped_lock lock(core_->mutex);
  if (core_->isStopping) return;
  Event own = event;
  own.time += core_->shift;
  core_->writer.add(own);
}

void Recorder::stop(int64_t time) {
  std::unique_lock lock(core_->mutex);
  if (!core_->isStopping) core_->lastTime = time + core_->shift;
  core_->isStopping = true;
  core_->wake.notify_all();
  core_->changed.wait_for(lock, kPatience, [this] { return core_->isDone; });
}

RecorderStatus Recorder::status() const {
  const std::scoped_lock lock(core_->mutex);
  return core_->status;
}

}  // namespace strata::device
