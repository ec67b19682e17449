#include "capture/nsight/lanes.h"

#include <algorithm>

#include "capture/text.h"
#include "capture/text_warnings.h"

namespace strata::nsight {

Lanes::Lanes(const MemoryEvents& read, const MachineFacts& facts, Trace& trace)
    : read_(read), facts_(facts), trace_(trace) {
  const auto& events = read.events;
  hasSeveralProcesses_ = std::any_of(events.begin(), events.end(), [&](const MemoryEvent& event) {
    return event.process != events.front().process;
  });
}

int Lanes::ordinalOf(uint32_t process, int32_t device) const {
  const auto known = facts_.gpuOf.find({process, device});
  return known == facts_.gpuOf.end() ? device : known->second;
}

Lanes::Key Lanes::keyOf(const MemoryEvent& event) const {
  const uint32_t process = hasSeveralProcesses_ ? event.process : 0;
  const int ordinal = ordinalOf(event.process, event.device);
  switch (event.kind) {
    case MemoryKind::Device:
    case MemoryKind::Array:
    case MemoryKind::DeviceStatic:
      return {event.poolUse == PoolUse::Imported ? Part::ImportedPools : Part::Device, ordinal, process};
    case MemoryKind::Managed:
    case MemoryKind::ManagedStatic:
      return {Part::Managed, ordinal, process};
    case MemoryKind::Pinned:  // what they say of a device means nothing
      return {Part::Pinned, 0, process};
    case MemoryKind::Pageable:
      return {Part::Pageable, 0, process};
    case MemoryKind::Unknown:
      break;
  }
  return {Part::Unknown, ordinal, process};
}

/// A free goes to where the block is, even if its row names another device or kind: addresses of CUDA are
/// unique in a process.
Lanes::Rows& Lanes::rowsOf(const MemoryEvent& event) {
  const Key key = keyOf(event);
  if (lastRows_ == nullptr || key != lastKey_) {
    const bool isFirst = lanes_.empty();
    lastRows_ = &lanes_[key];
    if (isFirst && read_.hasAddresses) lastRows_->placed.expect(read_.events.size());
  }
  lastKey_ = key;
  Rows* rows = lastRows_;
  const bool isElsewhere = event.isFree && read_.hasAddresses && !rows->placed.isLive(event.address);
  if (!isElsewhere) return *rows;
  for (auto& [other, itsRows] : lanes_) {
    if (other.process == key.process && itsRows.placed.isLive(event.address)) return itsRows;
  }
  return *rows;
}

uint32_t Lanes::labelOf(const MemoryEvent& event) {
  if (event.label != kNone || event.poolUse == PoolUse::None) return event.label;
  const auto [known, isNew] = poolLabels_.try_emplace({event.pool, event.poolUse}, kNone);
  if (isNew) {
    const char* kind = event.poolUse == PoolUse::Imported ? "imported pool " : "pool ";
    known->second = trace_.strings.intern(std::string(kind).append(hexadecimal(event.pool)));
  }
  return known->second;
}

void Lanes::add(const MemoryEvent& event, uint32_t stack) {
  Rows& rows = rowsOf(event);
  PlacedBlocks::Entry entry;
  entry.action = event.isFree ? Action::Free : Action::Alloc;
  entry.address = event.address;
  entry.bytes = event.bytes;
  entry.stream = event.stream;
  entry.stack = stack;
  entry.label = labelOf(event);
  if (read_.hasTimes) entry.time = facts_.startNs.value_or(0) + event.start;
  const TextPlace place{static_cast<uint64_t>(event.row), 0};
  const Region region = event.poolUse == PoolUse::None ? Region::Pooled : Region::Virtual;
  if (!read_.hasAddresses) {
    event.isFree ? rows.totals.free(entry, place) : rows.totals.allocate(entry, place);
  } else if (event.isFree) {
    rows.placed.free(entry, place, region);
  } else {
    rows.placed.allocate(entry, entry.bytes, place, region);
  }
}

std::string Lanes::nameOf(const Key& key) const {
  constexpr const char* kNames[] = {
      "", "managed memory", "imported pools", "pinned memory", "pageable memory", "memory of unknown kind"};
  const std::string part = kNames[static_cast<size_t>(key.part)];
  if (!hasSeveralProcesses_) return part;
  const std::string process = "process " + std::to_string(key.process);
  return part.empty() ? process : part + ", " + process;
}

void Lanes::finish() {
  for (auto& [key, rows] : lanes_) {
    const EventIndex count = read_.hasAddresses ? rows.placed.eventCount() : rows.totals.eventCount();
    if (count == 0) {  // all of it impossible
      warnOf(rows);
      continue;
    }
    Device& device = trace_.devices.emplace_back();
    device.kind = key.part == Part::Pinned || key.part == Part::Pageable ? DeviceKind::Host
                  : key.part == Part::Unknown                            ? DeviceKind::Unknown
                                                                         : DeviceKind::Cuda;
    device.ordinal = key.ordinal;
    device.allocator = nameOf(key);
    read_.hasAddresses ? rows.placed.finish(device) : rows.totals.finish(device);
    warnOf(rows);
  }
}

/// Places are rows of a table here, not lines of a text.
void Lanes::warnOf(const Rows& rows) {
  const size_t before = trace_.warnings.size();
  warnOfPlacement(rows.placed.oddities(), trace_);
  warnOfImpossible(rows.totals.impossible(), trace_);
  for (size_t i = before; i < trace_.warnings.size(); ++i) {
    Warning& warning = trace_.warnings[i];
    if (warning.line < 0) continue;
    warning.message.append(" ").append(firstRow(static_cast<uint64_t>(warning.line)));
    warning.line = warning.byte = -1;
  }
}

}  // namespace strata::nsight
