#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "allocator/gmlake.h"
#include "allocator/pytorch_allocator.h"

namespace strata::test {

/// GMLake as its header words it, chunk by chunk: intervals of chunks, stitched blocks that are nothing but
/// lists of chunks, and a scan for every question. Slow and obvious; the simulator must agree with it. Small
/// requests go to PyTorch's allocator, which has a slow model of its own.
class GmlakeSlowModel {
 public:
  GmlakeSlowModel(const GmlakeOptions& options, Driver& driver)
      : options_(options), driver_(driver), small_(PytorchConfig{}, driver) {}

  struct Answer {
    uint64_t address = 0;
    uint32_t id = 0;  ///< to free it by
  };
  std::optional<Answer> allocate(uint64_t bytes, uint32_t stream);
  void free(uint32_t id);
  void recordStream(uint32_t id, uint32_t stream);
  void synchronize(std::optional<uint32_t> stream);
  void emptyCache() { flush(); }

  uint64_t reserved() const;
  uint64_t stitchedBytes() const;

 private:
  struct Interval {
    uint64_t bytes = 0;
    uint64_t segment = 0;  ///< its first address
    uint32_t stream = 0;
    bool isUsed = false;
  };
  struct Stitched {
    std::vector<uint64_t> chunks;
    uint32_t stream = 0;
    uint64_t usedChunks = 0;
    uint64_t idleSince = 0;
  };
  struct Use {
    bool isSmall = false;
    BlockHandle small = kNoBlock;
    uint64_t address = 0;  ///< of an interval, or of a stitched block
    uint32_t stream = 0;
    std::set<uint32_t> users = {};
    size_t events = 0;
  };
  struct Event {
    uint32_t stream = 0;
    uint64_t time = 0;
    uint32_t id = 0;
  };

  std::optional<Answer> obtain(uint64_t bytes, uint32_t stream, bool mayStitch, bool isSearching);
  std::optional<Answer> stitchOrGrow(uint64_t bytes, uint32_t stream, bool mayStitch);
  Answer useInterval(uint64_t address, uint64_t bytes, uint32_t stream);
  Answer useStitched(uint64_t address, uint64_t bytes);
  bool create(uint64_t bytes, uint32_t stream, uint64_t& address);
  Answer stitch(uint64_t bytes, uint32_t stream);
  void cutAt(uint64_t address);
  void markChunks(const Stitched& block, uint64_t chunks, bool isUsed);
  bool isFree(const Stitched& block) const;
  bool isChunkUsed(uint64_t chunk) const;
  bool isStitched(uint64_t address, uint64_t bytes) const;
  void mergeAll();
  void complete(uint32_t id);
  void poll();
  void flush();
  void dropIdlest();
  uint64_t freeBytes(uint32_t stream) const;
  std::optional<uint64_t> idlest() const;

  GmlakeOptions options_;
  Driver& driver_;
  PytorchAllocator small_;
  std::map<uint64_t, Interval> intervals_;
  std::map<uint64_t, Stitched> stitched_;  ///< by address
  std::map<uint32_t, Use> uses_;
  std::vector<uint32_t> order_;  ///< streams by first use
  std::vector<Event> events_;
  std::map<uint32_t, uint64_t> done_;  ///< by stream: events up to here are complete
  uint64_t allDone_ = 0;
  uint64_t eventClock_ = 0;
  uint64_t clock_ = 0;
  uint32_t nextId_ = 0;
};

}  // namespace strata::test
