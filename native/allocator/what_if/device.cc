#include "allocator/what_if/device.h"

#include <algorithm>

namespace strata::what_if {
namespace {

constexpr uint64_t kAlignment = uint64_t{2} << 20;

uint64_t roundUp(uint64_t value) { return (value + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

uint64_t RunDevice::rangeOf(uint64_t address) const {
  const auto above = ranges_.upper_bound(address);
  if (above == ranges_.begin()) return address;
  const auto& [start, bytes] = *std::prev(above);
  return address - start < bytes ? start : address;
}

std::optional<uint64_t> ModelDevice::allocate(uint64_t bytes) {
  const std::optional<uint64_t> address = model_.allocate(bytes);
  ++calls.allocate;
  if (!address) ++calls.refuse;
  return address;
}

void ModelDevice::free(uint64_t address, uint64_t bytes) {
  ++calls.free;
  model_.free(address, bytes);
}

uint64_t ModelDevice::reserveRange(uint64_t bytes) {
  ++calls.reserve;
  const uint64_t address = model_.reserveRange(bytes);
  keepRange(address, bytes);
  return address;
}

void ModelDevice::releaseRange(uint64_t address, uint64_t bytes) {
  ++calls.releaseRange;
  dropRange(address);
  model_.releaseRange(address, bytes);
}

bool ModelDevice::createPhysical(uint64_t bytes) {
  ++calls.create;
  const bool isCreated = model_.createPhysical(bytes);
  if (!isCreated) ++calls.refuseCreate;
  return isCreated;
}

void ModelDevice::releasePhysical(uint64_t bytes) {
  ++calls.releasePhysical;
  model_.releasePhysical(bytes);
}

RecordedDevice::RecordedDevice(const Device& device, const std::vector<RecordedRequests::Refusal>& refusals,
                               uint64_t capacity)
    : refusals_(refusals), capacity_(capacity) {
  const SegmentColumns& segments = device.segments;
  std::map<uint32_t, Piece> ranges;
  uint64_t highest = 0;
  for (size_t row = 0; row < segments.count(); ++row) {
    const Piece piece{segments.birth[row], segments.address[row], segments.bytes[row]};
    highest = std::max(highest, piece.address + piece.bytes);
    if (segments.isExpandable[row] == 0) {
      pieces_.push_back(piece);
    } else {
      ranges.try_emplace(segments.range[row], piece);
    }
  }
  for (const auto& [range, piece] : ranges) bases_.push_back(piece);
  const auto isEarlier = [](const Piece& a, const Piece& b) { return a.birth < b.birth; };
  std::stable_sort(pieces_.begin(), pieces_.end(), isEarlier);
  std::stable_sort(bases_.begin(), bases_.end(), isEarlier);
  fresh_ = roundUp(std::min(highest, uint64_t{1} << 60)) + kAlignment;
}

void RecordedDevice::enter(EventIndex event) {
  if (event != event_) last_ = event_;
  event_ = event;
  isRefusing_ = false;
  while (refusal_ < refusals_.size() && refusals_[refusal_].event < event) ++refusal_;
  if (refusal_ < refusals_.size() && refusals_[refusal_].event == event) {
    isRefusing_ = true;
    granted_ = refusals_[refusal_].granted;
  }
  while (firstPiece_ < pieces_.size() && pieces_[firstPiece_].birth <= last_) ++firstPiece_;
  while (firstBase_ < bases_.size() && bases_[firstBase_].birth <= last_) ++firstBase_;
}

/// Once for a request that was served after a flush; as often as it is tried for one that failed.
bool RecordedDevice::isRefused(uint64_t bytes) {
  if (isRefusing_) {
    if (granted_ >= bytes) {
      granted_ -= bytes;
    } else {
      isRefusing_ = refusals_[refusal_].isFinal;
      return true;
    }
  }
  return used_ > capacity_ || bytes > capacity_ - used_;
}

bool RecordedDevice::isTaken(uint64_t address, uint64_t bytes) const {
  const auto above = taken_.lower_bound(address + bytes);
  if (above == taken_.begin()) return false;
  const auto& [start, length] = *std::prev(above);
  return start + length > address;
}

uint64_t RecordedDevice::freshAddress(uint64_t bytes) {
  const uint64_t address = fresh_;
  fresh_ = roundUp(fresh_ + bytes) + kAlignment;
  return address;
}

std::optional<uint64_t> RecordedDevice::allocate(uint64_t bytes) {
  ++calls.allocate;
  if (isRefused(bytes)) {
    ++calls.refuse;
    return std::nullopt;
  }
  for (size_t at = firstPiece_; at < pieces_.size() && pieces_[at].birth <= event_; ++at) {
    if (pieces_[at].bytes != bytes || isTaken(pieces_[at].address, bytes)) continue;
    takeOver(pieces_[at].address, bytes);
    return pieces_[at].address;
  }
  const uint64_t address = freshAddress(bytes);
  takeOver(address, bytes);
  return address;
}

void RecordedDevice::free(uint64_t address, uint64_t bytes) {
  ++calls.free;
  used_ -= bytes;
  taken_.erase(taken_.lower_bound(address), taken_.lower_bound(address + bytes));
}

uint64_t RecordedDevice::reserveRange(uint64_t bytes) {
  ++calls.reserve;
  uint64_t address = 0;
  if (firstBase_ < bases_.size() && bases_[firstBase_].birth <= event_) {
    address = bases_[firstBase_++].address;
  } else {
    address = freshAddress(bytes);
  }
  keepRange(address, bytes);
  return address;
}

void RecordedDevice::releaseRange(uint64_t address, uint64_t) {
  ++calls.releaseRange;
  dropRange(address);
}

bool RecordedDevice::createPhysical(uint64_t bytes) {
  ++calls.create;
  if (isRefused(bytes)) {
    ++calls.refuseCreate;
    return false;
  }
  used_ += bytes;
  return true;
}

void RecordedDevice::releasePhysical(uint64_t bytes) {
  ++calls.releasePhysical;
  used_ -= bytes;
}

void RecordedDevice::takeOver(uint64_t address, uint64_t bytes) {
  taken_[address] = bytes;
  used_ += bytes;
}

void RecordedDevice::takeOverRange(uint64_t address, uint64_t bytes) { keepRange(address, bytes); }

}  // namespace strata::what_if
