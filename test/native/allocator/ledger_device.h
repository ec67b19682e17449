#pragma once

#include "allocator/device_model.h"

namespace strata::test {

/// A simulated device that keeps books: what was created and released in all, so that a test can hold them
/// against what an allocator says it has.
class LedgerDevice final : public Driver {
 public:
  explicit LedgerDevice(const DeviceOptions& options) : model_(options) {}

  std::optional<uint64_t> allocate(uint64_t bytes) override {
    const std::optional<uint64_t> address = model_.allocate(bytes);
    if (address) plainBytes += bytes;
    return address;
  }
  void free(uint64_t address, uint64_t bytes) override {
    plainBytes -= bytes;
    model_.free(address, bytes);
  }
  uint64_t reserveRange(uint64_t bytes) override { return model_.reserveRange(bytes); }
  void releaseRange(uint64_t address, uint64_t bytes) override { model_.releaseRange(address, bytes); }
  bool createPhysical(uint64_t bytes) override {
    if (!model_.createPhysical(bytes)) return false;
    createdBytes += bytes;
    return true;
  }
  void releasePhysical(uint64_t bytes) override {
    releasedBytes += bytes;
    model_.releasePhysical(bytes);
  }
  uint64_t capacity() const override { return model_.capacity(); }
  uint64_t used() const override { return model_.used(); }

  uint64_t plainBytes = 0;  ///< from allocate, not freed yet
  uint64_t createdBytes = 0;
  uint64_t releasedBytes = 0;

 private:
  DeviceModel model_;
};

}  // namespace strata::test
