#include "device/recording_resume.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "device/recording_error.h"
#include "device/recording_format.h"

namespace strata::device {
namespace {

using recording::Fields;
using recording::Frame;
using recording::Kind;

RecordingError notARecording(const std::string& path, const std::string& what) {
  return {"not-a-recording", path + " " + what + "; it was left as it is.",
          "Name a recording of GPUs to go on with, or a file that is not there yet to begin one."};
}

void readHead(Fields fields, RecordingSoFar& found, const std::string& path) {
  found.originNs = fields.whole();
  found.part = fields.number();
  found.isSimulated = (fields.number() & recording::kSimulatedFlag) != 0;
  fields.text();  // version
  fields.text();  // host
  const uint64_t count = fields.number();
  for (uint64_t i = 0; i < count && !fields.isBad(); ++i) {
    found.gpus.emplace_back(fields.text());
    for (int other = 0; other < 4; ++other) fields.text();
    fields.number();
    fields.reading();
  }
  if (fields.isBad()) throw notARecording(path, "has a head that cannot be read");
}

/// As much of the samples as time and number need: the steps between them stand between readings, so the time
/// of the first stands for all.
void readSamples(Fields fields, RecordingSoFar& found) {
  const auto period = static_cast<int64_t>(fields.number());
  const auto count = static_cast<int64_t>(fields.number());
  const int64_t first = fields.whole();
  found.samples += static_cast<uint64_t>(count);
  found.last = std::max(found.last, first + period * std::max<int64_t>(0, count - 1));
}

}  // namespace

RecordingSoFar recordingSoFar(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw notARecording(path, "cannot be read");
  const std::span bytes(reinterpret_cast<const uint8_t*>(content.data()), content.size());
  const auto head = content.starts_with(recording::kMagic)
                        ? recording::frameAt(bytes, recording::kFileHeadBytes)
                        : std::nullopt;
  if (!head || head->kind != Kind::Head) throw notARecording(path, "is no recording of GPUs");
  if (bytes[recording::kMagic.size()] != recording::kVersion) {
    throw notARecording(path, "is a recording of another version of Strata");
  }
  RecordingSoFar found;
  readHead(Fields(head->payload), found, path);
  size_t offset = recording::kFileHeadBytes;
  while (offset < bytes.size()) {
    if (const auto frame = recording::frameAt(bytes, offset)) {
      if (frame->kind == Kind::Samples) readSamples(Fields(frame->payload), found);
      offset += frame->bytes;
      found.bytes = offset;
      continue;
    }
    const auto next = std::search(bytes.begin() + static_cast<std::ptrdiff_t>(offset + 1), bytes.end(),
                                  recording::kFrameMagic.begin(), recording::kFrameMagic.end(),
                                  [](uint8_t one, char other) { return one == static_cast<uint8_t>(other); });
    offset = static_cast<size_t>(next - bytes.begin());
  }
  return found;
}

}  // namespace strata::device
