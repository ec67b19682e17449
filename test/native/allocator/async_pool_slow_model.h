#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "allocator/async_pool.h"

namespace strata::test {

/// The stream-ordered pool as its header words it, with one sorted map of blocks, a set of pieces, and a scan
/// for every question. Slow and obvious; the simulator must agree with it.
class AsyncPoolSlowModel {
 public:
  AsyncPoolSlowModel(const AsyncPoolOptions& options, Driver& driver) : options_(options), driver_(driver) {
    meet(0);
  }

  std::optional<uint64_t> allocate(uint64_t bytes, uint32_t stream);
  void free(uint64_t address);
  void recordStream(uint64_t address, uint32_t stream);
  void synchronize(std::optional<uint32_t> stream);
  void emptyCache();

  uint64_t reserved() const { return pieces_.size() * options_.pieceBytes; }
  uint64_t used() const;
  /// Blocks that touch and are alike are one.
  struct Block {
    uint64_t bytes = 0;
    bool isUsed = false;
    bool isPending = false;
    uint32_t stream = 0;
    uint64_t time = 0;
    std::set<uint32_t> users = {};
  };
  const std::map<uint64_t, Block>& blocks() const { return blocks_; }

 private:
  using At = std::map<uint64_t, Block>::iterator;

  void meet(uint32_t stream);
  void tick(uint32_t stream);
  uint64_t& seen(uint32_t stream, uint32_t other) { return seen_[{stream, other}]; }
  void waitForAll(uint32_t stream, uint32_t other);
  std::optional<At> smallest(uint64_t bytes, std::optional<uint32_t> pendingOn);
  std::optional<At> earliest(uint64_t bytes, uint32_t stream);
  std::optional<At> find(uint64_t bytes, uint32_t stream);
  std::optional<At> findAmongOthers(uint64_t bytes, uint32_t stream);
  std::optional<At> grow(uint64_t bytes);
  std::optional<At> wait(uint64_t bytes, uint32_t stream);
  std::vector<uint64_t> sparePieces() const;
  uint64_t lowestHole(uint64_t count);
  void unmap(uint64_t piece);
  void shrink(uint64_t least);
  void complete(uint32_t stream, uint64_t time);
  void completeAll(uint64_t time);
  bool hasPending() const;
  void mergeAlike();
  bool isSameRange(uint64_t a, uint64_t b) const;

  AsyncPoolOptions options_;
  Driver& driver_;
  std::vector<uint32_t> order_;  ///< streams by first use
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> seen_;
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  ///< first and last address, in order
  std::set<uint64_t> pieces_;                          ///< that are mapped
  std::map<uint64_t, Block> blocks_;
  uint64_t clock_ = 0;
};

}  // namespace strata::test
