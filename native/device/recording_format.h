#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The file of a recording: what the sampler saw, readable up to its last whole frame whatever ended it.
///
///   file     | magic, 12 bytes | version, 1 byte | zeros, 3 bytes | frame | frame | …
///   frame    | "FRM" | kind, 1 byte | bytes of the payload, u32 | CRC-32 of kind, size and payload, u32 |
///   payload |
///
/// Numbers are little endian; in payloads they are varints (7 bits a byte, the lowest first), signed ones
/// zigzag. A text is its length and its bytes. A reading is 0 when absent, else 1 + zigzag. Times are ns
/// since the recording's origin. Frames stand in the order in which they were written; each can be read
/// alone, but for the head, which is the first.
///
///   'H' head       wall clock of time 0 (signed, ns since 1970), number of this part (0, 1, …), flags
///                  (1: simulated), version of Strata, host, count of GPUs; of each: id, name, vendor, bus,
///                  driver, parent + 1 or 0, reading of the slowdown temperature
///   'S' samples    period in ns, count of samples, time of the first; of each sample: ns since the one
///   before,
///                  flags (1: a gap is before it, only of the first); of each GPU: mask of what changed, then
///                  the changes. Bits 0 to 13 are the metrics (GpuMetric), each 0 for absent or 1 + zigzag of
///                  the difference from its last value in this frame (from 0 at first); bit 14: state,
///                  accounting + 16 if lost
///   'P' processes  time, GPU, count + 1 or 0 when they cannot be listed; of each: pid, name, readings of
///   bytes and
///                  busy. Holds until the next of that GPU. Stands behind the samples it was read with
///   'M' mark       time, kind, GPU + 1 or 0, text
///   'L' loss       time, samples that could not be written before this frame
///   'N' next       time; the recording goes on in another file
///   'E' end        time; the recording ended as it should
namespace strata::device::recording {

inline constexpr std::string_view kMagic("\x89STRATAG\r\n\x1a\n", 12);
inline constexpr uint8_t kVersion = 1;
inline constexpr size_t kFileHeadBytes = 16;
inline constexpr std::string_view kFrameMagic("FRM", 3);
inline constexpr size_t kFrameHeadBytes = 12;
inline constexpr size_t kMostPayloadBytes = size_t{1} << 28;
inline constexpr uint32_t kStateBit = 14, kLostFlag = 16, kSimulatedFlag = 1, kGapFlag = 1;

enum class Kind : uint8_t {
  Head = 'H',
  Samples = 'S',
  Processes = 'P',
  Mark = 'M',
  Loss = 'L',
  Next = 'N',
  End = 'E',
};

/// CRC-32 (IEEE 802.3), as in zip and PNG; `crc` goes on from an earlier part.
uint32_t crc32(std::span<const uint8_t> bytes, uint32_t crc = 0);

constexpr uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

/// Puts a payload together.
class Payload {
 public:
  void number(uint64_t value);
  void whole(int64_t value) { number(zigzag(value)); }
  void text(std::string_view value);
  void reading(std::optional<int64_t> value);
  void append(const Payload& other) { bytes_ += other.bytes_; }

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

/// Takes a payload apart. After `isBad()` everything reads as zero.
class Fields {
 public:
  explicit Fields(std::span<const uint8_t> bytes) : next_(bytes.data()), end_(next_ + bytes.size()) {}

  uint64_t number() {
    if (next_ < end_ && *next_ < 0x80) return *next_++;
    return longNumber();
  }
  int64_t whole() { return unzigzag(number()); }
  std::string_view text();
  std::optional<int64_t> reading();
  bool isBad() const { return isBad_; }
  bool isAtEnd() const { return next_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - next_); }

 private:
  uint64_t longNumber();
  void fail() {
    isBad_ = true;
    next_ = end_;
  }

  const uint8_t* next_;
  const uint8_t* end_;
  bool isBad_ = false;
};

/// Head of a file, before its first frame.
std::string fileHead();
/// A whole frame.
std::string frame(Kind kind, const Payload& payload);

/// A frame in a file that is being read.
struct Frame {
  Kind kind;
  std::span<const uint8_t> payload;
  size_t bytes;  ///< with its head
};
/// The frame at an offset, if a whole and undamaged one is there.
std::optional<Frame> frameAt(std::span<const uint8_t> file, size_t offset);

}  // namespace strata::device::recording
