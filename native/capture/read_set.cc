#include "capture/read_set.h"

#include <algorithm>

#include "capture/capture.h"

namespace strata {
namespace {

/// What one reader tells of its file, as a share of all of them. Readers may count in other units than bytes.
class ShareOfSet {
 public:
  ShareOfSet(const Progress& progress, std::span<const SetFile> files) : progress_(progress), files_(files) {
    for (const SetFile& file : files) total_ += file.bytes;
  }

  Progress of(size_t file) {
    return [this, file](const char* stage, uint64_t done, uint64_t total, uint64_t events) {
      if (!progress_) return true;
      const double share =
          total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
      const auto own = static_cast<uint64_t>(share * static_cast<double>(files_[file].bytes));
      return progress_(stage, before_ + own, total_, eventsBefore_ + events);
    };
  }

  void end(size_t file, const Trace& trace) {
    before_ += files_[file].bytes;
    for (const Device& device : trace.devices) eventsBefore_ += device.events.count();
  }

 private:
  const Progress& progress_;
  std::span<const SetFile> files_;
  uint64_t total_ = 0, before_ = 0, eventsBefore_ = 0;
};

}  // namespace

ReadSet readSet(std::span<const SetFile> files, const Progress& progress) {
  ReadSet set;
  ShareOfSet share(progress, files);
  for (uint32_t at = 0; at < files.size(); ++at) {
    Trace trace;
    try {
      trace = readCapture(files[at].path, share.of(at));
    } catch (const CaptureError& error) {
      set.refused.push_back({at, error.code, error.what(), error.remedy, error.byte});
      share.end(at, {});
      continue;
    }
    share.end(at, trace);
    set.traces.push_back({files[at].name, std::move(trace)});
    set.files.push_back(at);
  }
  return set;
}

}  // namespace strata
