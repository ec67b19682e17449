// Feeds arbitrary bytes to the reader of TensorFlow's logs, past the search for its first line. What opens
// must be a trace whose rows refer to rows that exist and whose lives are in order. Run with
// -rss_limit_mb=1024 -timeout=10 -max_len=65536.

#include <cstdint>
#include <cstdlib>
#include <span>

#include "capture/bfc_log.h"
#include "capture/capture.h"

namespace {

using namespace strata;

void require(bool isTrue) {
  if (!isTrue) std::abort();
}

void checkBlocks(const Trace& trace, const Device& device) {
  const BlockColumns& blocks = device.blocks;
  const auto last = static_cast<EventIndex>(device.events.count());
  for (size_t row = 0; row < blocks.count(); ++row) {
    require(row == 0 || blocks.birth[row - 1] <= blocks.birth[row]);
    require(blocks.birth[row] >= kBeforeFirst && blocks.birth[row] < last);
    require(blocks.death[row] == kNever || (blocks.death[row] >= 0 && blocks.death[row] < last));
    require(blocks.stack[row] == kNone || blocks.stack[row] < trace.stacks.count());
    const bool hasSegment = blocks.segment[row] < device.segments.count();
    require(hasSegment || (device.layout == DeviceLayout::Totals && blocks.segment[row] == kNone));
  }
}

void checkEvents(const Trace& trace, const Device& device) {
  const EventColumns& events = device.events;
  require(events.time.empty() || events.time.size() == events.count());
  for (size_t i = 1; i < events.time.size(); ++i) require(events.time[i - 1] <= events.time[i]);
  for (size_t event = 0; event < events.count(); ++event) {
    const bool isOfSegment =
        events.action[event] == Action::SegmentAlloc || events.action[event] == Action::SegmentFree;
    const size_t rows = isOfSegment ? device.segments.count() : device.blocks.count();
    require(events.row[event] == kNone || events.row[event] < rows);
    require(events.stack[event] == kNone || events.stack[event] < trace.stacks.count());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::optional<Trace> trace = readBfcLog(std::span<const uint8_t>(data, size), 0, {});
    if (!trace) return 0;
    require(!trace->devices.empty());
    for (const Device& device : trace->devices) {
      checkBlocks(*trace, device);
      checkEvents(*trace, device);
    }
  } catch (const CaptureError& error) {
    require(!error.code.empty() && !error.remedy.empty());
  }
  return 0;
}
