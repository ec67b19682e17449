#include "allocator/device_model.h"

namespace strata {
namespace {

constexpr uint64_t kEndless = std::numeric_limits<uint64_t>::max();
/// Offsets stay below this, so that no sum of an offset and a gap can wrap.
constexpr uint64_t kAddressSpace = uint64_t{1} << 63;

uint64_t roundUp(uint64_t value, uint64_t step) {
  const uint64_t rest = value % step;
  return rest == 0 ? value : value + (step - rest);
}

}  // namespace

DeviceModel::DeviceModel(const DeviceOptions& options) : options_(options) {
  if (options_.alignment == 0) options_.alignment = 1;
  if (options_.policy == PlacementPolicy::FirstFit) holes_.insert({0, kEndless, 0});
}

std::optional<uint64_t> DeviceModel::allocate(uint64_t bytes) {
  ++calls.allocate;
  std::optional<uint64_t> address;
  if (fits(bytes)) address = place(bytes);
  if (!address) {
    ++calls.refuse;
    return std::nullopt;
  }
  used_ += bytes;
  return address;
}

std::optional<uint64_t> DeviceModel::place(uint64_t bytes) {
  switch (options_.policy) {
    case PlacementPolicy::Bump: {
      const uint64_t offset = roundUp(cursor_, options_.alignment);
      if (bytes > kAddressSpace - offset) return std::nullopt;
      cursor_ = offset + bytes + options_.gap;
      if (cursor_ > kAddressSpace) cursor_ = kAddressSpace;
      return kBase + offset;
    }
    case PlacementPolicy::FirstFit:
      return placeFirstFit(bytes);
    case PlacementPolicy::Descending: {
      if (bytes > kBase - cursor_) return std::nullopt;
      const uint64_t depth = roundUp(cursor_ + bytes, options_.alignment);
      if (depth > kBase) return std::nullopt;
      cursor_ = std::min(depth + options_.gap, kBase);
      return kBase - depth;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> DeviceModel::placeFirstFit(uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  if (bytes > kAddressSpace || !holes_.firstFit(bytes + options_.gap, cursor)) return std::nullopt;
  const FirstFitIndex::Entry hole = holes_.at(cursor);
  if (bytes > kAddressSpace - hole.address) return std::nullopt;
  const uint64_t next = roundUp(hole.address + bytes + options_.gap, options_.alignment);
  const uint64_t room = hole.bytes == kEndless ? kEndless : hole.address + hole.bytes - next;
  holes_.replaceAt(cursor, {hole.address, 0, 0});
  holes_.insert({next, room, 0});
  return kBase + hole.address;
}

void DeviceModel::free(uint64_t address, uint64_t bytes) {
  ++calls.free;
  used_ -= bytes;
  if (options_.policy == PlacementPolicy::FirstFit) freeFirstFit(address, bytes);
}

void DeviceModel::freeFirstFit(uint64_t address, uint64_t bytes) {
  const uint64_t offset = address - kBase;
  const uint64_t end = roundUp(offset + bytes + options_.gap, options_.alignment);
  FirstFitIndex::Cursor cursor;
  uint64_t room = 0;
  uint64_t last = 0;
  while (holes_.floor(end, cursor) && holes_.at(cursor).address > offset) {
    if (last == 0) {
      last = holes_.at(cursor).address;
      room = holes_.at(cursor).bytes;
    }
    holes_.eraseAt(cursor);
  }
  if (last == 0 || !holes_.floor(offset, cursor)) return;
  const uint64_t start = holes_.at(cursor).address;
  holes_.replaceAt(cursor, {start, room == kEndless ? kEndless : last + room - start, 0});
}

uint64_t DeviceModel::reserveRange(uint64_t bytes) {
  ++calls.reserve;
  const uint64_t address = kRangeBase + roundUp(rangeCursor_, kRangeAlignment);
  rangeCursor_ = address - kRangeBase + bytes + kRangeAlignment;
  return address;
}

void DeviceModel::releaseRange(uint64_t, uint64_t) { ++calls.releaseRange; }

bool DeviceModel::createPhysical(uint64_t bytes) {
  ++calls.create;
  if (!fits(bytes)) {
    ++calls.refuseCreate;
    return false;
  }
  used_ += bytes;
  return true;
}

void DeviceModel::releasePhysical(uint64_t bytes) {
  ++calls.releasePhysical;
  used_ -= bytes;
}

}  // namespace strata
