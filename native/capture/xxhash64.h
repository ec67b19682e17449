#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace strata {

/// XXH64 with seed 0, fed piece by piece: the checksum that zstd keeps of a frame's content (its low 32
/// bits). Source: the specification of xxHash, doc/xxhash_spec.md of Cyan4973/xxHash; RFC 8878, 3.1.1.
class XxHash64 {
 public:
  XxHash64();
  void update(std::span<const uint8_t> bytes);
  /// Of everything so far; more may follow.
  uint64_t digest() const;

 private:
  static constexpr size_t kStripe = 32;

  static uint64_t round(uint64_t lane, uint64_t input);
  void takeStripe(const uint8_t* stripe);

  std::array<uint64_t, 4> lanes_;
  std::array<uint8_t, kStripe> rest_{};  ///< less than a stripe that has not been taken yet
  uint64_t length_ = 0;
};

}  // namespace strata
