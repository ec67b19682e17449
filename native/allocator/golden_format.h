#pragma once

#include <memory>

#include "allocator/allocator.h"
#include "allocator/json_text.h"

namespace strata {

/// The digest of the golden vectors: FNV-1a over 64-bit values, fed as 8 little-endian bytes each.
class GoldenDigest {
 public:
  void feed(uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) state_ = (state_ ^ (value & 0xff)) * kPrime;
  }
  uint64_t value() const { return state_; }

 private:
  // Not FNV's own offset: the vectors start from this value.
  uint64_t state_ = 1469598103934665603u;
  static constexpr uint64_t kPrime = 1099511628211u;
};

/// What the golden vectors say about the state of one kind of allocator.
class GoldenFormat {
 public:
  virtual ~GoldenFormat() = default;
  /// Whether allocations say which stream they are for.
  virtual bool hasStreams() const { return true; }
  /// The members between "i" and "hash" of a checkpoint, or between "oom" and "hash" of the end record.
  virtual void writeTotals(JsonLine& line, const Layout& layout, bool isEnd) const = 0;
  /// The digest of the state.
  virtual uint64_t hash(const Layout& layout) const = 0;
  /// The members after "ph" of the end record: the whole state.
  virtual void writeState(JsonLine& line, const Layout& layout) const = 0;
};

/// An address as the vectors write it: from the base, negative below it.
inline uint64_t goldenOffset(uint64_t address) { return address - DeviceModel::kBase; }

}  // namespace strata
