#pragma once

#include <set>
#include <utility>
#include <vector>

#include "allocator/allocator.h"
#include "allocator/best_fit_index.h"

namespace strata {

/// GMLake's two kinds of blocks and what they have in common. It makes no choice of its own; see gmlake.h.
///
///   segment:  | primitive 1 |  primitive 2  | primitive 3 |     each has addresses of its own
///   stitched: | 3           | 1           |                     the same memory once more, in another order
///
/// Primitive: a run of chunks of one segment. Free ones that touch are one. It consists of pieces, which are
///            cut wherever a stitched block above begins or ends.
/// Stitched:  a range of addresses that maps the chunks of several primitive blocks. It is free when all of
///            them are. In use, it may have only its first pieces; the others are free for anyone.
/// Cost:      searches are O(log n); using and freeing is linear in the pieces concerned, and so is a cut in
///            each stitched block that it goes through.
class GmlakeBlocks {
 public:
  static constexpr uint64_t kChunk = uint64_t{2} << 20;

  /// A piece of a primitive block. `run…` belong to the block: free, its first and last piece have them; in
  /// use, its first has its size. Such a first piece stands for the block.
  struct Primitive {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t requested = 0;                         ///< in use on its own
    uint64_t runBytes = 0;                          ///< first: of the block
    uint32_t runTail = kNoBlock;                    ///< first: the last
    uint32_t runHead = kNoBlock;                    ///< last: the first
    uint32_t previous = kNoBlock, next = kNoBlock;  ///< neighbours in the segment
    uint32_t stream = 0;
    bool isFree = false;
    bool isLent = false;  ///< in use through a stitched block
    bool isWaiting = false;
    std::vector<uint32_t> stitched = {};  ///< the stitched blocks it lies under
  };
  struct Stitched {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t requested = 0;
    uint64_t usedBytes = 0;  ///< 0: not in use
    uint64_t idleSince = 0;  ///< not in use
    uint32_t stream = 0;
    uint32_t busy = 0;  ///< pieces that are not free
    bool isWaiting = false;
    std::vector<uint32_t> pieces = {};
  };

  explicit GmlakeBlocks(Driver& device) : device_(device) {}

  const Primitive& primitive(uint32_t at) const { return primitives_[at]; }
  const Stitched& stitched(uint32_t at) const { return stitched_[at]; }
  uint64_t reserved() const { return reserved_; }
  uint64_t stitchedBytes() const { return stitchedBytes_; }
  uint64_t largestFree() const;
  uint64_t freeBytes(uint32_t stream) const { return stream < pools_.size() ? pools_[stream].freeBytes : 0; }

  /// The smallest free block of at least this size, lowest address on a tie; kNoBlock when there is none.
  uint32_t findPrimitive(uint32_t stream, uint64_t bytes) const;
  uint32_t findStitched(uint32_t stream, uint64_t bytes) const;
  /// Free primitive blocks, largest first, lowest address on a tie, until they have this many bytes together.
  std::vector<uint32_t> gather(uint32_t stream, uint64_t bytes);

  /// A new segment: one primitive block, free; kNoBlock when the device refuses.
  uint32_t create(uint64_t bytes, uint32_t stream);
  /// Takes the low end of a free primitive block into use; answers the rest, or kNoBlock.
  uint32_t use(uint32_t head, uint64_t bytes, uint64_t requested);
  void free(uint32_t head);
  /// Stitches free primitive blocks, cutting the last one so that the whole has this many bytes.
  uint32_t stitch(const std::vector<uint32_t>& blocks, uint64_t bytes);
  /// Takes the first bytes of a free stitched block into use, cutting a piece where they end.
  void useStitched(uint32_t stitched, uint64_t bytes, uint64_t requested);
  void freeStitched(uint32_t stitched, uint64_t now);
  void setWaiting(uint32_t block, bool isStitched);

  /// The stitched block that has not been in use for the longest time; kNoBlock when all are in use.
  uint32_t idlest() const { return idle_.empty() ? kNoBlock : idle_.begin()->second; }
  /// Unmaps a stitched block that is not in use. Its memory stays.
  void drop(uint32_t stitched);
  /// Free primitive blocks that are whole segments and lie under no stitched block, by stream, size and
  /// address.
  std::vector<uint32_t> wholeSegments() const;
  /// Gives such a block back to the device.
  void release(uint32_t primitive);

  /// Calls visit(piece) for the primitive blocks that a stitched block in use has.
  template <typename Visit>
  void forEachUsed(uint32_t stitched, Visit&& visit) const {
    uint64_t bytes = 0;
    for (const uint32_t piece : stitched_[stitched].pieces) {
      if (bytes == stitched_[stitched].usedBytes) return;
      bytes += primitives_[piece].bytes;
      visit(primitives_[piece]);
    }
  }
  /// Every byte once: where it is used, else where it is primitive.
  void addTo(Layout& layout) const;

 private:
  struct Pool {
    BestFitIndex primitives;
    BestFitIndex stitched;
    uint64_t freeBytes = 0;
  };
  Pool& poolOf(uint32_t stream);
  bool isFree(uint32_t piece) const { return piece != kNoBlock && primitives_[piece].isFree; }
  void enlist(uint32_t head);
  void delist(uint32_t head);
  void setRun(uint32_t head, uint32_t tail, uint64_t bytes);
  void setBusy(uint32_t piece);
  uint32_t cut(uint32_t piece, uint64_t bytes);
  void freePiece(uint32_t piece);
  void join(uint32_t piece);
  void tidy(uint32_t piece);
  void extract(uint32_t piece);
  void addSegmentTo(Layout& layout, uint32_t first) const;

  Driver& device_;
  std::vector<Primitive> primitives_;
  std::vector<uint32_t> unusedPrimitives_;
  std::vector<Stitched> stitched_;
  std::vector<uint32_t> unusedStitched_;
  std::set<std::pair<uint64_t, uint32_t>> idle_;  ///< stitched blocks not in use, by since when
  std::set<uint32_t> segments_;                   ///< first primitive block of each
  std::vector<Pool> pools_;                       ///< by stream
  uint64_t reserved_ = 0;
  uint64_t stitchedBytes_ = 0;
};

}  // namespace strata
