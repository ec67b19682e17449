#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allocator/rebuild.h"
#include "trace/trace.h"

namespace strata::test {

/// Writes the events of a made-up PyTorch recording that begins with an empty allocator, one call each.
class RecordedTrace {
 public:
  RecordedTrace() {
    trace_.format = "pytorch-snapshot";
    trace_.devices.emplace_back();
    device().streams = {0};
    device().pools = {{0, 0}};
    device().hasHistory = true;
  }

  RecordedTrace& segment(uint64_t address, uint64_t bytes) {
    return add(Action::SegmentAlloc, address, bytes);
  }
  RecordedTrace& segmentGone(uint64_t address, uint64_t bytes) {
    return add(Action::SegmentFree, address, bytes);
  }
  RecordedTrace& alloc(uint64_t address, uint64_t bytes) { return add(Action::Alloc, address, bytes); }
  RecordedTrace& freeRequested(uint64_t address, uint64_t bytes) {
    return add(Action::FreeRequested, address, bytes);
  }
  RecordedTrace& freeCompleted(uint64_t address, uint64_t bytes) {
    return add(Action::FreeCompleted, address, bytes);
  }
  RecordedTrace& free(uint64_t address, uint64_t bytes) {
    return freeRequested(address, bytes).freeCompleted(address, bytes);
  }
  RecordedTrace& outOfMemory(uint64_t deviceFree, uint64_t bytes) {
    return add(Action::OutOfMemory, deviceFree, bytes);
  }

  /// Rebuilt, as if it had been opened.
  Trace& finish() {
    rebuild(trace_, {});
    return trace_;
  }
  Device& device() { return trace_.devices.front(); }

  /// What is there at the end; a recording that holds nothing then needs none.
  RecordedTrace& finalSegment(uint64_t address, uint64_t bytes, std::vector<uint64_t> blocks) {
    FinalState& final = device().final;
    FinalState::Segment segment;
    segment.address = address;
    segment.bytes = bytes;
    segment.isLarge = bytes > (uint64_t{2} << 20);
    segment.firstBlock = static_cast<uint32_t>(final.blockAddress.size());
    uint64_t at = address;
    for (const uint64_t block : blocks) {
      addFinal(at, block, BlockState::Allocated);
      at += block;
    }
    if (at < address + bytes) addFinal(at, address + bytes - at, BlockState::Inactive);
    segment.blockCount = static_cast<uint32_t>(final.blockAddress.size()) - segment.firstBlock;
    final.segments.push_back(segment);
    return *this;
  }

 private:
  RecordedTrace& add(Action action, uint64_t address, uint64_t bytes) {
    EventColumns& events = device().events;
    events.action.push_back(action);
    events.address.push_back(address);
    events.size.push_back(bytes);
    events.stack.push_back(kNone);
    events.stream.push_back(0);
    events.pool.push_back(0);
    events.row.push_back(kNone);
    return *this;
  }

  void addFinal(uint64_t address, uint64_t bytes, BlockState state) {
    FinalState& final = device().final;
    final.blockAddress.push_back(address);
    final.blockBytes.push_back(bytes);
    final.blockRequested.push_back(state == BlockState::Allocated ? bytes : 0);
    final.blockState.push_back(state);
    final.blockStack.push_back(kNone);
  }

  Trace trace_;
};

}  // namespace strata::test
