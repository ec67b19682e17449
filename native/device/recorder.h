#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "device/recording_writer.h"

namespace strata::device {

/// Where a recorder's bytes go. Every function answers an empty text, or what went wrong. Any may block.
class RecordingSink {
 public:
  virtual ~RecordingSink() = default;
  /// Starts the file anew.
  virtual std::string create() = 0;
  /// Goes on with the file that is there, of which so many bytes are kept.
  virtual std::string resume(uint64_t bytes) = 0;
  /// Appends all of it, or as if nothing.
  virtual std::string append(std::string_view bytes) = 0;
  /// Puts what was written where a crash of the machine leaves it.
  virtual std::string sync() = 0;
  /// Puts the file aside as the older part, in place of the one before.
  virtual std::string rotate() = 0;
};

/// A file and, beside it, its older part: PATH and PATH.1.
std::unique_ptr<RecordingSink> fileSink(const std::string& path);

struct RecorderStatus {
  std::string path;
  bool isActive = false;
  uint64_t bytes = 0;    ///< written, in all parts
  uint64_t samples = 0;  ///< written
  int64_t lengthNs = 0;  ///< from the first sample that came to the last
  uint64_t lost = 0;     ///< samples that could not be written and were given up
  uint64_t parts = 1;
  uint64_t keptBytes = 0, keptSamples = 0;  ///< in the file and its older part; what was before those is gone
  std::string problem;                      ///< why nothing is written now, or empty
};

/// Writes a recording on a thread of its own: at least each second, in whole frames, so that whatever ends
/// the program loses at most the last second. A disk that is full or slow loses samples, never the sampler's
/// time: they wait in memory, then the oldest are given up, counted, and the recording says so.
class Recorder {
 public:
  struct Options {
    std::string path;
    /// Of both parts together. A part holds at least its head with the processes of that time and one sample.
    uint64_t limitBytes = uint64_t{1} << 30;
    size_t waitingBytes = size_t{8} << 20;  ///< in memory, while the disk does not take them
    bool isAppending = false;               ///< to a recording that may be there already
  };

  /// Creates the file and answers when its head is on disk, or why it is not. A file that is there already is
  /// replaced, or gone on with when it is a recording of the same GPUs. Errors: RecordingError, before
  /// anything is changed; "limit-too-small" says the least.
  Recorder(Options options, RecordingHead head, std::unique_ptr<RecordingSink> sink);
  /// As stop().
  ~Recorder();

  /// Never blocks.
  void add(const Sample& sample, int64_t periodNs);
  void add(const Event& event);
  /// Ends the recording at a time and waits for the disk, but not for ever: a disk that does not answer is
  /// left to the thread, which goes on by itself.
  void stop(int64_t time);
  RecorderStatus status() const;

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace strata::device
