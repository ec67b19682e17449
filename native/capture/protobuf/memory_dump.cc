#include "capture/protobuf/memory_dump.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "capture/capture.h"
#include "capture/live_blocks.h"
#include "capture/possible_memory.h"
#include "capture/protobuf/cut_off.h"
#include "capture/protobuf/wire.h"
#include "capture/text.h"
#include "capture/text_warnings.h"
#include "trace/append_rows.h"

namespace strata::protobuf {
namespace {

struct Chunk {
  uint64_t address = 0, bytes = 0, requested = 0, freedAt = 0, step = 0;
  uint64_t at = 0;  ///< byte of the file
  bool isInUse = false;
  std::string_view op;
  uint64_t end() const { return address + bytes; }
};

Chunk readChunk(const Field& whole) {
  Chunk chunk;
  chunk.at = whole.at;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(5, Wire::Bytes)) chunk.op = field.bytes;
    if (field.wire != Wire::Varint) continue;
    if (field.number == 1) chunk.address = field.value;
    if (field.number == 2) chunk.bytes = field.value;
    if (field.number == 3) chunk.requested = field.value;
    if (field.number == 6) chunk.freedAt = field.value;
    if (field.number == 8) chunk.isInUse = field.value != 0;
    if (field.number == 9) chunk.step = field.value;
  }
  return chunk;
}

class MemoryDumpReader {
 public:
  MemoryDumpReader(std::span<const uint8_t> bytes, const Progress& progress)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), progress_(progress) {}

  Trace run() {
    Message file(bytes_);
    for (Field field; file.next(field);) take(field);
    if (file.isDamaged()) breakOff(file.position());
    if (chunks_.empty() && !trace_.isComplete) throw cutOffBefore("any chunk", bytes_.size());
    if (chunks_.empty()) refuse();
    makeDevice();
    compare();
    return std::move(trace_);
  }

 private:
  void take(const Field& field) {
    if (field.isCut) return breakOff(bytes_.size());
    if (field.is(1, Wire::Bytes)) name_ = repairUtf8(field.bytes);
    if (field.is(3, Wire::Bytes)) addChunk(readChunk(field));
    if (field.is(5, Wire::Bytes)) readStatistics(field);
  }

  void addChunk(const Chunk& chunk) {
    if (chunks_.size() % 65536 == 0 && progress_ && !progress_("read", 0, bytes_.size(), chunks_.size()))
      throw Cancelled();
    if (chunk.bytes == 0 || !isPossibleExtent(chunk.address, chunk.bytes)) {
      return impossible_.note({0, chunk.at});
    }
    uint32_t same = 0;
    const bool isRepeated = listed_.find(chunk.address, same) && chunks_[same].bytes == chunk.bytes &&
                            chunks_[same].isInUse == chunk.isInUse;
    if (isRepeated) return repeated_.note({0, chunk.at});
    const auto row = static_cast<uint32_t>(chunks_.size());
    listed_.insert({chunk.address, chunk.end(), row}, [&](const LiveBlocks::Block& other) {
      overlapping_.note({0, chunks_[other.row].at});
      chunks_[other.row].bytes = 0;  // of two that contradict each other the later one counts
    });
    chunks_.push_back(chunk);
  }

  void readStatistics(const Field& whole) {
    constexpr const char* kNames[] = {"num_allocs", "bytes_in_use", "peak_bytes_in_use",
                                      "largest_alloc_size"};
    Message message(whole);
    for (Field field; message.next(field);) {
      if (field.wire == Wire::Varint && field.number >= 1 && field.number <= 4)
        trace_.settings.emplace_back(kNames[field.number - 1], std::to_string(field.value));
      if (field.is(2, Wire::Varint)) {
        statedInUse_ = field.value;
        isInUseStated_ = true;
      }
      if (field.is(5, Wire::Fixed32)) {
        char text[32];
        const auto end = std::snprintf(text, sizeof text, "%.6g", static_cast<double>(field.real32()));
        trace_.settings.emplace_back("fragmentation_metric", std::string(text, static_cast<size_t>(end)));
      }
    }
  }

  void breakOff(uint64_t at) {
    if (!trace_.isComplete) return;
    trace_.isComplete = false;
    trace_.warnings.push_back(
        {"capture-truncated",
         "The memory dump breaks off at byte " + grouped(at) + "; the chunks before it are shown.",
         static_cast<int64_t>(at), true});
  }

  [[noreturn]] static void refuse() {
    throw CaptureError(
        "memory-dump-empty", "This memory dump of TensorFlow holds no chunks.",
        "Record it again: set TF_BFC_MEMORY_DUMP=/some/prefix and let the program run into its "
        "out-of-memory error.",
        0);
  }

  void makeDevice() {
    trace_.format = "tensorflow-memory-dump";
    trace_.producer = "TensorFlow (TF_BFC_MEMORY_DUMP)";
    Device& device = trace_.devices.emplace_back();
    device.allocator = name_;
    device.ordinal = ordinalOf(name_);
    device.kind = name_.starts_with("GPU") ? DeviceKind::Cuda : DeviceKind::Host;
    device.isPlaced = true;
    device.streams = {0};
    device.pools = {{0, 0}};
    std::erase_if(chunks_, [](const Chunk& chunk) { return chunk.bytes == 0; });
    std::sort(chunks_.begin(), chunks_.end(),
              [](const Chunk& a, const Chunk& b) { return a.address < b.address; });
    for (const Chunk& chunk : chunks_) place(chunk, device);
    device.exactness.code = "as-recorded";
    device.exactness.because =
        "Every block is where the capture says it was; no allocator's rules are compared.";
    warnOfOddity(trace_, impossible_, "memory-dump-chunks",
                 "chunk is left out: no memory has its size and address.",
                 "chunks are left out: no memory has their sizes and addresses.", true);
    warnOfOddity(trace_, overlapping_, "memory-dump-overlap",
                 "chunk is left out: it overlaps one that is listed later.",
                 "chunks are left out: they overlap others that are listed later.", true);
    warnOfOddity(trace_, repeated_, "memory-dump-twice", "chunk is listed twice and counts once.",
                 "chunks are listed twice and count once.");
  }

  /// "GPU_1_bfc" is device 1.
  static int ordinalOf(const std::string& name) {
    const size_t digit = name.find_first_of("0123456789");
    int ordinal = 0;
    if (digit != std::string::npos) std::from_chars(name.data() + digit, name.data() + name.size(), ordinal);
    return ordinal;
  }

  void place(const Chunk& chunk, Device& device) {
    SegmentColumns& segments = device.segments;
    if (chunk.address != end_ || segments.count() == 0) appendRow(segments, SegmentRow{chunk.address, 0});
    segments.bytes.back() += chunk.bytes;
    end_ = chunk.end();
    if (chunk.isInUse || chunk.freedAt != 0) addBlock(chunk, device);
  }

  void addBlock(const Chunk& chunk, Device& device) {
    BlockRow block{chunk.address, chunk.bytes, chunk.bytes};
    if (chunk.isInUse) block.requested = std::min(chunk.requested, chunk.bytes);
    if (!chunk.isInUse) block.freeRequested = kBeforeFirst;
    block.stack = stackOf(chunk);
    block.segment = static_cast<uint32_t>(device.segments.count() - 1);
    appendRow(device.blocks, block);
    if (chunk.isInUse) inUse_ += chunk.bytes;
  }

  uint32_t stackOf(const Chunk& chunk) {
    if (chunk.op.empty()) return kNone;
    const uint32_t frame =
        trace_.frames.intern(trace_.strings.intern(repairUtf8(chunk.op)), trace_.strings.intern(""), 0);
    return trace_.stacks.intern({&frame, 1});
  }

  void compare() {
    if (!isInUseStated_ || statedInUse_ == inUse_ || !trace_.isComplete) return;
    trace_.warnings.push_back({"memory-dump-sum",
                               "The dump states " + grouped(statedInUse_) +
                                   " bytes in use, its chunks add up to " + grouped(inUse_) +
                                   "; the chunks are used.",
                               -1, false});
  }

  std::string_view bytes_;
  const Progress& progress_;
  Trace trace_;
  std::string name_;
  std::vector<Chunk> chunks_;
  uint64_t end_ = 0;  ///< of the chunk placed last
  uint64_t inUse_ = 0, statedInUse_ = 0;
  bool isInUseStated_ = false;
  LiveBlocks listed_;  ///< the chunks that count
  TextOddity impossible_, overlapping_, repeated_;
};

}  // namespace

Trace readMemoryDump(std::span<const uint8_t> bytes, const Progress& progress) {
  return MemoryDumpReader(bytes, progress).run();
}

}  // namespace strata::protobuf
