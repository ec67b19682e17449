#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "allocator/device_model.h"
#include "allocator/rmm_pool.h"

namespace strata::test {

struct Span {
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool isHead = false;  ///< starts an upstream block: never merged into what lies before it
};

/// RMM's pool with what the real one has: a sorted list for each stream, scanned from end to end.
class RmmPoolSlowModel {
 public:
  RmmPoolSlowModel(const RmmPoolOptions& options, Driver& driver);

  std::optional<uint64_t> allocate(uint64_t bytes, uint32_t stream);
  void free(uint64_t address, uint64_t bytes, uint32_t stream);

 private:
  using FreeList = std::vector<Span>;

  FreeList& listOf(uint32_t stream);
  std::optional<Span> takeBest(FreeList& list, uint64_t bytes);
  uint64_t cut(FreeList& list, const Span& span, uint64_t bytes);
  void insert(FreeList& list, Span span);
  std::optional<Span> grow(uint64_t bytes);
  std::optional<Span> fromDevice(uint64_t bytes);

  RmmPoolOptions options_;
  Driver& driver_;
  std::vector<uint32_t> order_;  ///< streams by first use
  std::map<uint32_t, FreeList> lists_;
  std::vector<uint64_t> heads_;
  uint64_t poolBytes_ = 0;
};

/// RMM's arena with what the real one has: sets of superblocks, each with a list of free blocks, all scanned.
class RmmArenaSlowModel {
 public:
  RmmArenaSlowModel(uint64_t address, uint64_t bytes) { global_[address] = {bytes, {{address, bytes}}}; }

  std::optional<uint64_t> allocate(uint64_t bytes, uint32_t stream);
  void free(uint64_t address, uint64_t bytes);

 private:
  struct Superblock {
    uint64_t bytes = 0;
    std::map<uint64_t, uint64_t> free;  ///< address -> bytes
  };
  using Arena = std::map<uint64_t, Superblock>;  ///< by address

  std::optional<uint64_t> attempt(uint64_t bytes, uint32_t stream);
  static std::optional<uint64_t> firstFit(Arena& arena, uint64_t bytes);
  std::optional<std::pair<uint64_t, Superblock>> takeGlobal(uint64_t bytes);
  void giveBack(uint64_t address, Superblock superblock);
  static bool isEmpty(const Superblock& superblock);
  static void merge(Superblock& superblock, uint64_t address, uint64_t bytes);

  Arena global_;
  std::map<uint32_t, Arena> streams_;
};

}  // namespace strata::test
