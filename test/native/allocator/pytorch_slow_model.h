#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "allocator/pytorch_config.h"
#include "trace/trace.h"

namespace strata::test {

/// PyTorch's caching allocator written down as plainly as it can be: one map of
/// all blocks, every choice a scan over all of them. It shares no code with the
/// product, records a trace, and remembers the truth.
class PytorchSlowModel {
 public:
  struct Options {
    PytorchConfig config;
    std::vector<uint64_t> streams = {0};
    std::vector<std::pair<int64_t, int64_t>> pools = {{0, 0}};
    uint64_t capacity = uint64_t{1} << 46;
    bool reusesAddresses = true;
    bool isRangeBounded = false;  ///< expandable ranges end after 9/8 of the capacity, as the real ones do
  };

  /// One block or piece of memory, with events counted over the whole run.
  struct Life {
    uint64_t address = 0, bytes = 0, requested = 0;
    EventIndex birth = 0, freeRequested = kNever, death = kNever;
    Region region = Region::Pooled;
  };

  explicit PytorchSlowModel(const Options& options);

  /// Answers the address, or 0 when out of memory.
  uint64_t allocate(uint64_t requested, uint16_t stream = 0, uint16_t pool = 0);
  /// Frees; with `isWaiting` the block waits until complete() because another
  /// stream uses it.
  void free(uint64_t address, bool isWaiting = false);
  void complete(uint64_t address);
  /// Returns what is wholly free, of the default pool and the released private
  /// ones.
  void emptyCache(const std::set<uint16_t>& releasedPools = {});

  /// The recording from an event on, with the final state.
  Trace trace(EventIndex first = 0) const;
  EventIndex eventCount() const { return static_cast<EventIndex>(events_.count()); }
  const std::vector<Life>& blocks() const { return lives_; }
  const std::vector<Life>& segments() const { return segmentLives_; }

 private:
  enum class Use { Free, Allocated, Waiting, Unmapped };
  struct Block {
    uint64_t bytes = 0, requested = 0, segment = 0;
    Use use = Use::Free;
    uint16_t stream = 0, pool = 0;
    bool isLarge = false, isExpandable = false;
    size_t life = 0;
  };
  using Blocks = std::map<uint64_t, Block>;

  uint64_t round(uint64_t requested) const;
  bool isSame(const Block& block, uint16_t stream, uint16_t pool, bool isLarge) const;
  std::vector<uint64_t> freeInOrder(uint16_t stream, uint16_t pool, bool isLarge) const;
  uint64_t worth(uint64_t address) const;
  uint64_t findFree(uint64_t bytes, uint16_t stream, uint16_t pool, bool isLarge) const;
  uint64_t newSegment(uint64_t bytes, uint16_t stream, uint16_t pool, bool isLarge);
  uint64_t grow(uint64_t bytes, uint16_t stream, uint16_t pool, bool isLarge);
  bool hasRoom(uint64_t address, uint64_t bytes) const;
  uint64_t mapAt(uint64_t address, uint64_t bytes);
  bool releaseOversize(uint64_t bytes, uint16_t stream, uint16_t pool, bool isLarge);
  void returnSegment(uint64_t address);
  void returnPool(uint16_t pool, bool isLarge);
  void unmapGranules(uint64_t address);
  uint64_t mergeFree(uint64_t address);
  void record(Action action, uint64_t address, uint64_t bytes, uint16_t stream, uint16_t pool);
  void finalState(Device& device) const;
  EventIndex last() const { return eventCount() - 1; }
  uint64_t granule(bool isLarge) const;
  uint64_t rangeBytes(bool isLarge) const;
  Region regionOf(const Block& block) const;

  Options options_;
  Blocks blocks_;
  EventColumns events_;
  std::vector<Life> lives_;
  std::vector<Life> segmentLives_;
  std::map<uint64_t, size_t> liveSegments_;  ///< address -> segmentLives_
  std::map<uint64_t, uint64_t> driver_;      ///< address -> bytes taken from the driver
  uint64_t reserved_ = 0;
  uint64_t nextRange_ = uint64_t{1} << 50;
  uint64_t bump_ = uint64_t{0x7f} << 32;
};

}  // namespace strata::test
