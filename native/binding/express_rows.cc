#include <algorithm>
#include <span>
#include <vector>

#include "analysis/call_site.h"
#include "binding/express.h"
#include "binding/values.h"

namespace strata::binding {
namespace {

const char* nameOf(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::Cuda:
      return "cuda";
    case DeviceKind::Host:
      return "host";
    case DeviceKind::Npu:
      return "npu";
    case DeviceKind::Xpu:
      return "xpu";
    default:
      return "unknown";
  }
}

const char* nameOf(DeviceLayout layout) {
  switch (layout) {
    case DeviceLayout::Segments:
      return "segments";
    case DeviceLayout::Blocks:
      return "blocks";
    default:
      return "totals";
  }
}

const char* nameOf(Exactness::Verdict verdict) {
  switch (verdict) {
    case Exactness::Verdict::Exact:
      return "exact";
    case Exactness::Verdict::Estimated:
      return "estimated";
    case Exactness::Verdict::Mismatch:
      return "mismatch";
    default:
      return "not-applicable";
  }
}

/// PyTorch's own words.
const char* nameOf(Action action) {
  switch (action) {
    case Action::Alloc:
      return "alloc";
    case Action::FreeRequested:
      return "free_requested";
    case Action::FreeCompleted:
      return "free_completed";
    case Action::SegmentAlloc:
      return "segment_alloc";
    case Action::SegmentFree:
      return "segment_free";
    case Action::SegmentMap:
      return "segment_map";
    case Action::SegmentUnmap:
      return "segment_unmap";
    case Action::Snapshot:
      return "snapshot";
    case Action::OutOfMemory:
      return "oom";
    case Action::Annotate:
      return "annotate";
    case Action::Free:
      return "free";
    default:
      return "other";
  }
}

Napi::Value rowOrNull(Napi::Env env, uint32_t row) {
  return row == kNone ? env.Null() : number(env, row).As<Napi::Value>();
}

Napi::Value stringOrNull(Napi::Env env, const Trace& trace, uint32_t row) {
  return row == kNone ? env.Null() : text(env, trace.strings.at(row)).As<Napi::Value>();
}

/// { event, time }, or null for what lies outside of the recording.
Napi::Value momentOrNull(Napi::Env env, const Device& device, EventIndex event) {
  if (event == kBeforeFirst || event == kNever) return env.Null();
  Napi::Object moment = Napi::Object::New(env);
  moment.Set("event", number(env, event));
  const auto& time = device.events.time;
  moment.Set("time", time.empty() ? env.Null() : number(env, static_cast<double>(time[event])));
  return moment;
}

void setStreamAndPool(Napi::Object& object, const Device& device, uint16_t stream, uint16_t pool) {
  const Napi::Env env = object.Env();
  object.Set("stream", whole(env, device.streams[stream]));
  Napi::Array pair = Napi::Array::New(env, 2);
  pair[0u] = number(env, static_cast<double>(device.pools[pool].first));
  pair[1u] = number(env, static_cast<double>(device.pools[pool].second));
  object.Set("pool", pair);
}

uint32_t labelOf(const Device& device, EventIndex event) {
  return event < 0 || device.events.label.empty() ? kNone : device.events.label[event];
}

Napi::Object expressExactness(Napi::Env env, const Exactness& exactness) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("verdict", nameOf(exactness.verdict));
  result.Set("placements", number(env, static_cast<double>(exactness.placements)));
  result.Set("placementsMatched", number(env, static_cast<double>(exactness.placementsMatched)));
  result.Set("segmentEvents", number(env, static_cast<double>(exactness.segmentEvents)));
  result.Set("segmentEventsMatched", number(env, static_cast<double>(exactness.segmentEventsMatched)));
  result.Set("finalBlocks", number(env, static_cast<double>(exactness.finalBlocks)));
  result.Set("finalBlocksMatched", number(env, static_cast<double>(exactness.finalBlocksMatched)));
  result.Set("firstMismatch",
             exactness.firstMismatch == kNever ? env.Null() : number(env, exactness.firstMismatch));
  result.Set("code", text(env, exactness.code));
  result.Set("because", text(env, exactness.because));
  result.Set("hiddenBlocks", number(env, static_cast<double>(exactness.hiddenBlocks)));
  result.Set("hiddenBytes", number(env, static_cast<double>(exactness.hiddenBytes)));
  return result;
}

Napi::Array expressUses(Napi::Env env, const Summary& summary) {
  Napi::Array uses = Napi::Array::New(env, kRegionCount);
  for (uint32_t i = 0; i < kRegionCount; ++i) uses[i] = Napi::Boolean::New(env, summary.uses[i]);
  return uses;
}

Napi::Object expressTotals(Napi::Env env, const Totals& totals) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("allocated", whole(env, totals.allocated));
  result.Set("active", whole(env, totals.active));
  result.Set("reserved", whole(env, totals.reserved));
  result.Set("requested", whole(env, totals.requested));
  return result;
}

/// How many rows are older than the recording: rows are in order of birth.
double olderIn(const std::vector<EventIndex>& births) {
  const auto first = std::upper_bound(births.begin(), births.end(), kBeforeFirst);
  return static_cast<double>(first - births.begin());
}

Napi::Object expressDevice(Napi::Env env, const Device& device, const Summary& summary) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("ordinal", number(env, device.ordinal));
  result.Set("part", number(env, device.part));
  result.Set("kind", nameOf(device.kind));
  result.Set("allocator", text(env, device.allocator));
  result.Set("layout", nameOf(device.layout));
  result.Set("events", number(env, static_cast<double>(device.events.count())));
  result.Set("allocations", number(env, static_cast<double>(summary.allocations)));
  result.Set("blocks", number(env, static_cast<double>(device.blocks.count())));
  result.Set("segments", number(env, static_cast<double>(device.segments.count())));
  result.Set("olderBlocks", number(env, olderIn(device.blocks.birth)));
  result.Set("olderSegments", number(env, olderIn(device.segments.birth)));
  result.Set("finalSegments", number(env, static_cast<double>(summary.finalSegments)));
  const auto& time = device.events.time;
  result.Set("firstTime", time.empty() ? env.Null() : number(env, static_cast<double>(time.front())));
  result.Set("lastTime", number(env, static_cast<double>(summary.lastTime)));
  result.Set("hasHistory", Napi::Boolean::New(env, device.hasHistory));
  result.Set("isRegionBySize", Napi::Boolean::New(env, device.isRegionBySize));
  result.Set("areRequestsKnown", Napi::Boolean::New(env, device.areRequestsKnown));
  result.Set("isEventListComplete", Napi::Boolean::New(env, device.isEventListComplete));
  result.Set("peak", device.peak == kNever ? env.Null() : number(env, device.peak));
  result.Set("uses", expressUses(env, summary));
  result.Set("possible", expressTotals(env, summary.possible));
  result.Set("storedEnd", expressTotals(env, summary.storedEnd));
  result.Set("exactness", expressExactness(env, device.exactness));
  return result;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

Napi::Array expressSettings(Napi::Env env, const Settings& settings) {
  Napi::Array list = Napi::Array::New(env, settings.size());
  for (uint32_t i = 0; i < settings.size(); ++i) {
    Napi::Array pair = Napi::Array::New(env, 2);
    pair[0u] = text(env, settings[i].first);
    pair[1u] = text(env, settings[i].second);
    list[i] = pair;
  }
  return list;
}

const char* nameOf(PartClock clock) {
  switch (clock) {
    case PartClock::Wall:
      return "wall";
    case PartClock::Start:
      return "start";
    default:
      return "none";
  }
}

Napi::Array expressParts(Napi::Env env, const OpenedTrace& opened) {
  const auto& parts = opened.trace.parts;
  Napi::Array list = Napi::Array::New(env, parts.size());
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const TracePart& part = parts[i];
    Napi::Object result = Napi::Object::New(env);
    result.Set("file", number(env, opened.files[i]));
    result.Set("name", text(env, part.name));
    result.Set("format", text(env, part.format));
    result.Set("producer", text(env, part.producer));
    result.Set("isComplete", Napi::Boolean::New(env, part.isComplete));
    result.Set("clock", nameOf(part.clock));
    result.Set("start", number(env, static_cast<double>(part.startNs)));
    result.Set("settings", expressSettings(env, part.settings));
    list[i] = result;
  }
  return list;
}

Napi::Array expressRefused(Napi::Env env, const OpenedTrace& opened) {
  Napi::Array list = Napi::Array::New(env, opened.refused.size());
  for (uint32_t i = 0; i < opened.refused.size(); ++i) {
    const RefusedFile& refused = opened.refused[i];
    Napi::Object result = Napi::Object::New(env);
    result.Set("file", number(env, refused.file));
    result.Set("code", text(env, refused.code));
    result.Set("message", text(env, refused.message));
    result.Set("remedy", text(env, refused.remedy));
    result.Set("byte", number(env, static_cast<double>(refused.byte)));
    list[i] = result;
  }
  return list;
}

Napi::Array expressWarnings(Napi::Env env, const Trace& trace) {
  Napi::Array warnings = Napi::Array::New(env, trace.warnings.size());
  for (uint32_t i = 0; i < trace.warnings.size(); ++i) {
    const Warning& warning = trace.warnings[i];
    Napi::Object result = Napi::Object::New(env);
    result.Set("code", text(env, warning.code));
    result.Set("message", text(env, warning.message));
    result.Set("byte", number(env, static_cast<double>(warning.byte)));
    result.Set("line", number(env, static_cast<double>(warning.line)));
    result.Set("isDamage", Napi::Boolean::New(env, warning.isDamage));
    result.Set("part", rowOrNull(env, warning.part));
    warnings[i] = result;
  }
  return warnings;
}

}  // namespace

Napi::Value expressFacts(Napi::Env env, const OpenedTrace& opened) {
  const Trace& trace = opened.trace;
  Napi::Array devices = Napi::Array::New(env, trace.devices.size());
  for (uint32_t i = 0; i < trace.devices.size(); ++i) {
    devices[i] = expressDevice(env, trace.devices[i], opened.summaries[i]);
  }
  Napi::Object facts = Napi::Object::New(env);
  facts.Set("format", text(env, trace.format));
  facts.Set("producer", text(env, trace.producer));
  facts.Set("isComplete", Napi::Boolean::New(env, trace.isComplete));
  facts.Set("hasClock", Napi::Boolean::New(env, trace.hasClock));
  facts.Set("hasOrigin", Napi::Boolean::New(env, trace.hasOrigin));
  facts.Set("originNs", Napi::BigInt::New(env, trace.originNs));
  facts.Set("counters", number(env, static_cast<double>(trace.counters.size())));
  facts.Set("countersEnd", number(env, static_cast<double>(trace.countersEnd)));
  facts.Set("fileBytes", number(env, static_cast<double>(trace.fileBytes)));
  facts.Set("devices", devices);
  facts.Set("settings", expressSettings(env, trace.settings));
  facts.Set("parts", expressParts(env, opened));
  facts.Set("refused", expressRefused(env, opened));
  facts.Set("warnings", expressWarnings(env, trace));
  return facts;
}

Napi::Value expressAnnotations(Napi::Env env, const OpenedTrace& opened, size_t device) {
  const Trace& trace = opened.trace;
  const Index& index = *opened.indices[device];
  Napi::Array list = Napi::Array::New(env);
  uint32_t count = 0;
  for (const Annotation& annotation : trace.annotations) {
    if (annotation.device != trace.devices[device].ordinal || annotation.part != trace.devices[device].part)
      continue;
    Napi::Object result = Napi::Object::New(env);
    result.Set("name", text(env, trace.strings.at(annotation.name)));
    result.Set("begin", number(env, static_cast<double>(annotation.begin)));
    result.Set("end", number(env, static_cast<double>(annotation.end)));
    result.Set("beginEvent", number(env, index.eventAtTime(annotation.begin)));
    result.Set("endEvent", number(env, index.eventAtTime(annotation.end)));
    result.Set("depth", number(env, annotation.depth));
    result.Set("hasBegin", Napi::Boolean::New(env, annotation.hasBegin));
    result.Set("hasEnd", Napi::Boolean::New(env, annotation.hasEnd));
    list[count++] = result;
  }
  return list;
}

Napi::Value expressBlock(Napi::Env env, const OpenedTrace& opened, size_t at, uint32_t row) {
  const Trace& trace = opened.trace;
  const Device& device = trace.devices[at];
  const BlockColumns& blocks = device.blocks;
  const uint32_t segment = blocks.segment[row];
  Napi::Object result = Napi::Object::New(env);
  result.Set("address", whole(env, blocks.address[row]));
  result.Set("bytes", number(env, static_cast<double>(blocks.bytes[row])));
  result.Set("requested", number(env, static_cast<double>(blocks.requested[row])));
  result.Set("region", number(env, static_cast<int>(blocks.region[row])));
  result.Set("birth", momentOrNull(env, device, blocks.birth[row]));
  result.Set("freeRequested", momentOrNull(env, device, blocks.freeRequested[row]));
  result.Set("death", momentOrNull(env, device, blocks.death[row]));
  setStreamAndPool(result, device, blocks.stream[row], blocks.pool[row]);
  result.Set("segment", number(env, segment));
  result.Set("site", number(env, opened.indices[at]->siteOf(row)));
  result.Set("label", stringOrNull(env, trace, labelOf(device, blocks.birth[row])));
  result.Set("stack", rowOrNull(env, blocks.stack[row]));
  result.Set("isExact", Napi::Boolean::New(env, blocks.birth[row] < device.exactness.firstMismatch));
  return result;
}

Napi::Value expressSegment(Napi::Env env, const OpenedTrace& opened, size_t at, uint32_t row) {
  const Device& device = opened.trace.devices[at];
  const SegmentColumns& segments = device.segments;
  Napi::Object result = Napi::Object::New(env);
  result.Set("address", whole(env, segments.address[row]));
  result.Set("bytes", number(env, static_cast<double>(segments.bytes[row])));
  result.Set("region", number(env, static_cast<int>(segments.region[row])));
  result.Set("isLarge", Napi::Boolean::New(env, segments.isLarge[row] != 0));
  result.Set("isExpandable", Napi::Boolean::New(env, segments.isExpandable[row] != 0));
  result.Set("birth", momentOrNull(env, device, segments.birth[row]));
  result.Set("death", momentOrNull(env, device, segments.death[row]));
  setStreamAndPool(result, device, segments.stream[row], segments.pool[row]);
  result.Set("stack", rowOrNull(env, segments.stack[row]));
  return result;
}

Napi::Value expressEvent(Napi::Env env, const OpenedTrace& opened, size_t at, uint32_t row) {
  const Trace& trace = opened.trace;
  const Device& device = trace.devices[at];
  const EventColumns& events = device.events;
  Napi::Object result = Napi::Object::New(env);
  const auto& time = events.time;
  result.Set("time", time.empty() ? env.Null() : number(env, static_cast<double>(time[row])));
  result.Set("action", nameOf(events.action[row]));
  result.Set("address", whole(env, events.address[row]));
  result.Set("size", whole(env, events.size[row]));
  setStreamAndPool(result, device, events.stream[row], events.pool[row]);
  result.Set("label", stringOrNull(env, trace, labelOf(device, static_cast<EventIndex>(row))));
  result.Set("stack", rowOrNull(env, events.stack[row]));
  result.Set("row", rowOrNull(env, events.row.empty() ? kNone : events.row[row]));
  return result;
}

Napi::Value expressFrames(Napi::Env env, const Trace& trace, uint32_t stack) {
  const std::span<const uint32_t> frames = trace.stacks.at(stack);
  Napi::Array list = Napi::Array::New(env, frames.size());
  for (uint32_t i = 0; i < frames.size(); ++i) {
    Napi::Object frame = Napi::Object::New(env);
    frame.Set("name", text(env, trace.strings.at(trace.frames.name(frames[i]))));
    frame.Set("file", text(env, trace.strings.at(trace.frames.file(frames[i]))));
    frame.Set("line", number(env, trace.frames.line(frames[i])));
    frame.Set("isFolded", Napi::Boolean::New(env, isFolded(trace, frames[i])));
    list[i] = frame;
  }
  return list;
}

}  // namespace strata::binding
