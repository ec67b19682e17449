#pragma once

#include <unordered_map>
#include <vector>

#include "allocator/gmlake_blocks.h"
#include "allocator/pytorch_stream_work.h"
#include "allocator/slot_table.h"

namespace strata {

/// Named as GMLake's environment variables; defaults of its documentation.
struct GmlakeOptions {
  bool vmmDefragment = true;                 ///< off: everything goes to the caching allocator
  uint64_t fragLimit = uint64_t{512} << 20;  ///< requests below are not served by stitching
  uint64_t reuseLimit = 10;                  ///< a stitched block may be this many times the request
  uint64_t defragLevel = 0;                  ///< 0: stitch whenever possible, 1: when memory is short
  uint64_t autoGC = uint64_t{1000} << 30;    ///< bytes of stitched addresses above which the idlest go
};

/// GMLake: scattered free memory is stitched together by mapping it once more, under one range of addresses.
///
///   request -> S1 exact -> S2 one larger -> S3 several, stitched -> S4 new memory -> S5 out of memory
///
/// Small:    requests up to 1 MiB, and everything with vmmDefragment off, go to PyTorch's caching
///           allocator.
/// Round:    the others up to 2 MiB, the size of a chunk. 0 bytes are no request.
/// Streams:  blocks belong to the stream that got their memory; only its requests use them. A block freed
///           with uses on other streams waits for these; finished ones are looked for at the start of an
///           allocation.
/// S1:       a free primitive block of exactly the size, lowest address on a tie; else such a stitched
///           block.
/// S2:       the smallest larger primitive block, lowest address on a tie, cut at once: addresses and
///           mappings of both parts stay. Else the smallest free stitched block that is larger, if it is at
///           most reuseLimit times the request: its first blocks are used, the last of them cut to fit, the
///           others stay free.
/// S3:       requests of fragLimit and more: when the stream's free primitive blocks are enough together,
///           the largest first, lowest address on a tie, until they suffice; the last one is cut to fit.
///           Their chunks are mapped behind one another into a new range.
/// S4:       requests of fragLimit and more while anything is free: only the missing bytes are created, as
///           a primitive block, and stitched as in S3. Other requests get a new block of their own. With
///           defragLevel 1, S3 and S4 come only after the device has refused a block of the whole size.
/// S5:       after a refusal all waiting frees are synchronised, stitched blocks that are not in use are
///           dropped, primitive segments that are wholly free go back to the device, the caching allocator
///           empties its cache, and S1 to S4 are tried once more. Then the request fails.
/// Free:     the primitive blocks of the block are free again, and with them every stitched block that has
///           no other. Free primitive memory of one segment that touches is one block. Stitched blocks are
///           kept for later.
/// Collect:  when more than autoGC of addresses are stitched, blocks not in use are dropped, those first
///           that were freed first; their memory stays.
/// Calls:    each chunk is created, mapped, unmapped and released by a call of its own; access is set once
///           for a range.
/// Layout:   every byte once: in the stitched block that uses it, else where it is primitive.
///
/// From the paper: the two kinds of blocks, the states, largest first, the limit, dropping the least recently
/// used. From the released code: the border at 1 MiB, the settings, partial use of a stitched block, cuts in
/// place, merging. Where these leave something open or differ, the rules above are the model's: new blocks
/// have the size of the request (the code: PyTorch's segment sizes), S4 stitches (the code creates the whole
/// size unless reAlloc is set), a flush drops all idle stitched blocks (the code: those above what it
/// releases).
///
/// Source: GMLake, ASPLOS 2024 (arXiv 2401.08156); CUDACachingAllocator.cpp and GMLake-tutorial.md of GLake.
class Gmlake final : public Allocator {
 public:
  static constexpr uint64_t kLargestSmall = uint64_t{1} << 20;

  /// `small` stands over the same device.
  Gmlake(const GmlakeOptions& options, Allocator& small, Driver& device)
      : options_(options), small_(small), device_(device), blocks_(device) {}

  Placement allocate(uint64_t bytes, uint32_t stream) override;
  void free(BlockHandle block) override;
  void recordStream(BlockHandle block, uint32_t stream) override;
  ControlResult control(const Control& control) override;
  Usage usage() const override;
  Layout layout() const override;

  const GmlakeBlocks& blocks() const { return blocks_; }

 private:
  using Reason = Decision::Reason;
  using Step = Decision::Step;
  enum class Kind : uint8_t { Small, Primitive, Stitched };
  /// A block handed out.
  struct Use {
    uint64_t bytes = 0;
    uint32_t block = kNoBlock;  ///< of its kind
    uint32_t stream = 0;
    uint32_t pendingEvents = 0;
    Kind kind = Kind::Small;
  };
  struct Request {
    uint64_t rounded = 0;
    uint64_t requested = 0;
    uint32_t stream = 0;
  };

  Placement allocateSmall(uint64_t bytes, uint32_t stream);
  uint32_t obtain(const Request& request);
  uint32_t findExact(const Request& request);
  uint32_t findLarger(const Request& request);
  uint32_t usePrimitive(uint32_t block, const Request& request, Reason reason);
  uint32_t useStitched(uint32_t block, const Request& request, Reason reason);
  uint32_t stitchOrGrow(const Request& request, bool mayStitch);
  uint32_t create(uint64_t bytes, uint32_t stream);
  uint32_t stitch(const Request& request);
  void collect();
  void dropIdlest(Reason reason);
  ControlResult flush(Reason reason);
  void pollStreams();
  void complete(uint32_t use);
  void emitStitched(uint32_t block, bool isUsed) const;
  uint32_t addUse(Kind kind, uint32_t block, uint64_t bytes, uint32_t stream);
  void notePeaks();

  GmlakeOptions options_;
  Allocator& small_;
  Driver& device_;
  GmlakeBlocks blocks_;
  StreamOrder streams_;
  SlotTable<Use> uses_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> users_;  ///< other streams, by use
  pytorch::StreamWork work_;
  uint64_t clock_ = 0;
  uint64_t allocated_ = 0;  ///< without the small ones
  uint64_t waiting_ = 0;
  uint64_t peakAllocated_ = 0;
  uint64_t peakReserved_ = 0;
};

}  // namespace strata
