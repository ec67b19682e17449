#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/bfc.h"
#include "allocator/device_model.h"

namespace strata::test {

/// BFC as the documentation words it, with nothing but lists and scans: chunks in a vector for each region,
/// each search a look at all of them. Slow and obvious; the simulator must agree with it.
class BfcSlowModel {
 public:
  BfcSlowModel(const BfcOptions& options, Driver& driver) : options_(options), driver_(driver) {
    const uint64_t first = options.allowGrowth ? std::min<uint64_t>(options.limit, 2 << 20) : options.limit;
    aim_ = (first + 255) / 256 * 256;
  }

  struct Chunk {
    uint64_t address = 0;
    uint64_t bytes = 0;
    bool isUsed = false;
  };
  struct Region {
    uint64_t address = 0;
    uint64_t bytes = 0;
    std::vector<Chunk> chunks;
  };

  /// The chunk handed out, or nothing.
  std::optional<Chunk> allocate(uint64_t bytes);
  void free(uint64_t address);
  const std::vector<Region>& regions() const { return regions_; }

 private:
  std::optional<Chunk> takeSmallestThatFits(uint64_t rounded);
  bool extend(uint64_t rounded);
  bool collect(uint64_t rounded);
  void addRegion(uint64_t address, uint64_t bytes);
  uint64_t pool() const;

  BfcOptions options_;
  Driver& driver_;
  uint64_t aim_ = 0;
  std::vector<Region> regions_;  ///< by address
};

}  // namespace strata::test
