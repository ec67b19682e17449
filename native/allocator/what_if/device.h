#pragma once

#include <map>
#include <vector>

#include "allocator/device_model.h"
#include "allocator/what_if/recorded_requests.h"

namespace strata::what_if {

/// The GPU of a run: a driver that remembers which ranges of addresses are reserved.
class RunDevice : public Driver {
 public:
  /// The operation of this event comes next.
  virtual void enter(EventIndex) {}
  /// Where the reserved range that holds an address begins; the address itself where there is none.
  uint64_t rangeOf(uint64_t address) const;

 protected:
  void keepRange(uint64_t address, uint64_t bytes) { ranges_[address] = bytes; }
  void dropRange(uint64_t address) { ranges_.erase(address); }

 private:
  std::map<uint64_t, uint64_t> ranges_;  ///< address -> bytes
};

/// A GPU that places memory at the lowest address where it fits and uses addresses again, without gaps.
class ModelDevice final : public RunDevice {
 public:
  explicit ModelDevice(uint64_t capacity)
      : model_({.capacity = capacity, .policy = PlacementPolicy::FirstFit, .alignment = 512, .gap = 0}) {}

  std::optional<uint64_t> allocate(uint64_t bytes) override;
  void free(uint64_t address, uint64_t bytes) override;
  uint64_t reserveRange(uint64_t bytes) override;
  void releaseRange(uint64_t address, uint64_t bytes) override;
  bool createPhysical(uint64_t bytes) override;
  void releasePhysical(uint64_t bytes) override;
  uint64_t capacity() const override { return model_.capacity(); }
  uint64_t used() const override { return model_.used(); }

 private:
  DeviceModel model_;
};

/// The GPU of a recording: memory lies where it was recorded, and is refused where it was refused.
///
/// A request for memory is answered with the address of a recorded segment of the same size that came at the
/// same moment, if nothing lies there now; else with an address above all recorded ones. What was there
/// before the first event is taken already.
class RecordedDevice final : public RunDevice {
 public:
  /// `refusals` may be empty: then only the capacity limits. Both must outlive this.
  RecordedDevice(const Device& device, const std::vector<RecordedRequests::Refusal>& refusals,
                 uint64_t capacity);

  void enter(EventIndex event) override;
  std::optional<uint64_t> allocate(uint64_t bytes) override;
  void free(uint64_t address, uint64_t bytes) override;
  uint64_t reserveRange(uint64_t bytes) override;
  void releaseRange(uint64_t address, uint64_t bytes) override;
  bool createPhysical(uint64_t bytes) override;
  void releasePhysical(uint64_t bytes) override;
  uint64_t capacity() const override { return capacity_; }
  uint64_t used() const override { return used_; }

  /// Memory that is held from the start.
  void takeOver(uint64_t address, uint64_t bytes);
  void takeOverRange(uint64_t address, uint64_t bytes);
  void takeOverPhysical(uint64_t bytes) { used_ += bytes; }

 private:
  struct Piece {
    EventIndex birth;
    uint64_t address, bytes;
  };
  bool isRefused(uint64_t bytes);
  bool isTaken(uint64_t address, uint64_t bytes) const;
  uint64_t freshAddress(uint64_t bytes);

  const std::vector<RecordedRequests::Refusal>& refusals_;
  uint64_t capacity_;
  uint64_t used_ = 0;
  uint64_t fresh_;                         ///< above everything recorded
  std::vector<Piece> pieces_;              ///< recorded ordinary segments by birth
  std::vector<Piece> bases_;               ///< recorded ranges by their first piece; `bytes` is not known
  size_t firstPiece_ = 0, firstBase_ = 0;  ///< of the moment
  std::map<uint64_t, uint64_t> taken_;     ///< address -> bytes
  EventIndex last_ = kBeforeFirst, event_ = kBeforeFirst;
  size_t refusal_ = 0;
  bool isRefusing_ = false;
  uint64_t granted_ = 0;  ///< bytes that may still be created before the refusal
};

}  // namespace strata::what_if
