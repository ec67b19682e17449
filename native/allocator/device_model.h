#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "allocator/first_fit_index.h"

namespace strata {

/// How many calls of each kind an allocator made to the driver; refused ones count as calls too.
struct DeviceCalls {
  uint64_t allocate = 0, refuse = 0, free = 0;
  uint64_t reserve = 0, releaseRange = 0;
  uint64_t create = 0, refuseCreate = 0, releasePhysical = 0;
  uint64_t map = 0, unmap = 0, setAccess = 0;
  uint64_t synchronize = 0;
};

/// Capacities from here on stand for "without a limit": more than any GPU has, and still small enough that
/// ranges of addresses over all of it can be reserved many times.
inline constexpr uint64_t kUnlimitedCapacity = uint64_t{1} << 45;

/// What an allocator asks of a GPU driver. Bytes are exact, addresses absolute. A simulated device decides
/// where memory lies (DeviceModel); a device fed from a capture answers with the recorded addresses.
class Driver {
 public:
  virtual ~Driver() = default;
  /// A new piece of memory, or nothing when the device refuses.
  virtual std::optional<uint64_t> allocate(uint64_t bytes) = 0;
  /// What a piece of this many bytes really gets, for drivers that hand out whole pages.
  virtual uint64_t granted(uint64_t bytes) const { return bytes; }
  /// Gives [address, address + bytes) back: one allocation, or several that touch.
  virtual void free(uint64_t address, uint64_t bytes) = 0;
  /// An address range without memory behind it.
  virtual uint64_t reserveRange(uint64_t bytes) = 0;
  virtual void releaseRange(uint64_t address, uint64_t bytes) = 0;
  /// Physical memory without an address; false when the device refuses.
  virtual bool createPhysical(uint64_t bytes) = 0;
  virtual void releasePhysical(uint64_t bytes) = 0;
  virtual uint64_t capacity() const = 0;
  virtual uint64_t used() const = 0;
  uint64_t freeBytes() const { return used() < capacity() ? capacity() - used() : 0; }
  bool isUnlimited() const { return capacity() >= kUnlimitedCapacity; }

  DeviceCalls calls;  ///< kept by the device; map, unmap, setAccess and synchronize by the allocator
};

/// Where the next allocation goes.
enum class PlacementPolicy : uint8_t {
  Bump,        ///< always upwards, never reusing an address
  FirstFit,    ///< the lowest aligned hole that holds the bytes and the gap behind them
  Descending,  ///< always downwards from the base, never reusing an address
};

struct DeviceOptions {
  uint64_t capacity = std::numeric_limits<int64_t>::max();
  PlacementPolicy policy = PlacementPolicy::Bump;
  uint64_t alignment = uint64_t{2} << 20;
  uint64_t gap = uint64_t{2} << 20;
};

/// A GPU as the golden vectors model it: a capacity in exact bytes and a placement policy.
///
///   base          |<- bytes ->|<- gap ->|          every allocation starts at a multiple of `alignment`
///   base + 2^46   reserved ranges, one after the other, 2 MiB aligned and 2 MiB apart whatever the policy
///
/// A request is refused when used + bytes > capacity, or when the addresses have run out (2^63 bytes above
/// the base for Bump, the base itself for Descending). FirstFit is O(log n), the others O(1).
/// Source: "Device model" in the README of the golden vectors; proved by the vectors of all three policies.
class DeviceModel final : public Driver {
 public:
  static constexpr uint64_t kBase = 0x7f0000000000;
  static constexpr uint64_t kRangeBase = kBase + (uint64_t{1} << 46);
  static constexpr uint64_t kRangeAlignment = uint64_t{2} << 20;

  explicit DeviceModel(const DeviceOptions& options);

  std::optional<uint64_t> allocate(uint64_t bytes) override;
  void free(uint64_t address, uint64_t bytes) override;
  uint64_t reserveRange(uint64_t bytes) override;
  void releaseRange(uint64_t address, uint64_t bytes) override;
  bool createPhysical(uint64_t bytes) override;
  void releasePhysical(uint64_t bytes) override;
  uint64_t capacity() const override { return options_.capacity; }
  uint64_t used() const override { return used_; }

 private:
  std::optional<uint64_t> place(uint64_t bytes);
  std::optional<uint64_t> placeFirstFit(uint64_t bytes);
  void freeFirstFit(uint64_t address, uint64_t bytes);
  bool fits(uint64_t bytes) const { return used_ <= options_.capacity && bytes <= options_.capacity - used_; }

  DeviceOptions options_;
  uint64_t used_ = 0;
  uint64_t cursor_ =
      0;  ///< Bump: offset of the next free byte; Descending: how far below the base the top is
  uint64_t rangeCursor_ = 0;
  FirstFitIndex holes_;  ///< FirstFit: offset where an allocation could start -> bytes up to the next one
};

}  // namespace strata
