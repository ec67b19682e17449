// Feeds arbitrary bytes to the reader of captures, whatever their format, and what opens to the allocator's
// rules and the index, as opening a file does. What opens must hold a device or a counter, its rows must
// refer to rows that exist, and its totals must agree; anything else must be refused with a CaptureError.
// Memory and time are bounded by the fuzzer's own limits: run with -rss_limit_mb=1024 -timeout=10
// -max_len=65536.

#include <cstdint>
#include <span>

#include "allocator/rebuild.h"
#include "capture/capture.h"
#include "check_trace.h"

namespace {

using namespace strata;
using fuzz::checkRows;
using fuzz::require;

void checkEvents(const Trace& trace, const Device& device) {
  const EventColumns& events = device.events;
  const size_t count = events.count();
  require(events.address.size() == count && events.size.size() == count && events.stack.size() == count);
  require(events.stream.size() == count && events.pool.size() == count);
  require(events.time.empty() || events.time.size() == count);
  require(events.label.empty() || events.label.size() == count);
  for (const uint16_t stream : events.stream) require(stream < device.streams.size());
  for (const uint16_t pool : events.pool) require(pool < device.pools.size());
  for (size_t i = 1; i < events.time.size(); ++i) require(events.time[i - 1] <= events.time[i]);
  checkRows(events.stack, trace.stacks.count());
  checkRows(events.label, trace.strings.count());
}

void checkFinal(const Trace& trace, const Device& device) {
  const FinalState& final = device.final;
  uint32_t nextBlock = 0;
  uint64_t lastAddress = 0;
  for (const FinalState::Segment& segment : final.segments) {
    require(segment.firstBlock == nextBlock);
    nextBlock += segment.blockCount;
    require(segment.address >= lastAddress);
    lastAddress = segment.address;
    require(segment.stream < device.streams.size() && segment.pool < device.pools.size());
    require(segment.stack == kNone || segment.stack < trace.stacks.count());
  }
  require(nextBlock == final.blockAddress.size());
  checkRows(final.blockStack, trace.stacks.count());
}

void checkTables(const Trace& trace) {
  for (uint32_t stack = 0; stack < trace.stacks.count(); ++stack) {
    for (const uint32_t frame : trace.stacks.at(stack)) require(frame < trace.frames.count());
  }
  for (uint32_t frame = 0; frame < trace.frames.count(); ++frame) {
    require(trace.frames.name(frame) < trace.strings.count());
    require(trace.frames.file(frame) < trace.strings.count());
  }
  for (const Annotation& annotation : trace.annotations) {
    require(annotation.name < trace.strings.count() && annotation.begin <= annotation.end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    Trace trace = readCapture(std::span<const uint8_t>(data, size), {});
    require(!trace.devices.empty() || !trace.counters.empty());
    checkTables(trace);
    for (const Device& device : trace.devices) {
      checkEvents(trace, device);
      checkFinal(trace, device);
    }
    rebuild(trace, {});
    for (const Device& device : trace.devices) fuzz::checkIndex(trace, device);
  } catch (const CaptureError& error) {
    require(!error.code.empty() && !error.remedy.empty());
  }
  return 0;
}
