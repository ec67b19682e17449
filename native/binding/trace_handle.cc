#include "binding/trace_handle.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "binding/arguments.h"
#include "binding/express.h"
#include "binding/failure.h"
#include "binding/query_worker.h"
#include "binding/run_workers.h"
#include "binding/values.h"

namespace strata::binding {
namespace {

/// Inside the range of int64_t with room for the rounding of a double.
constexpr double kLatestTime = 9.2e18;

}  // namespace

void TraceHandle::define(Napi::Env env) {
  const Napi::Function constructor =
      DefineClass(env, "TraceHandle",
                  {
                      InstanceMethod<&TraceHandle::facts>("facts"),
                      InstanceMethod<&TraceHandle::close>("close"),
                      InstanceMethod<&TraceHandle::series>("series"),
                      InstanceMethod<&TraceHandle::liveBlocks>("liveBlocks"),
                      InstanceMethod<&TraceHandle::map>("map"),
                      InstanceMethod<&TraceHandle::ranges>("ranges"),
                      InstanceMethod<&TraceHandle::state>("state"),
                      InstanceMethod<&TraceHandle::moment>("moment"),
                      InstanceMethod<&TraceHandle::hit>("hit"),
                      InstanceMethod<&TraceHandle::eventAt>("eventAt"),
                      InstanceMethod<&TraceHandle::markers>("markers"),
                      InstanceMethod<&TraceHandle::annotations>("annotations"),
                      InstanceMethod<&TraceHandle::consumers>("consumers"),
                      InstanceMethod<&TraceHandle::counters>("counters"),
                      InstanceMethod<&TraceHandle::counterWindow>("counterWindow"),
                      InstanceMethod<&TraceHandle::difference>("difference"),
                      InstanceMethod<&TraceHandle::sites>("sites"),
                      InstanceMethod<&TraceHandle::extremes>("extremes"),
                      InstanceMethod<&TraceHandle::block>("block"),
                      InstanceMethod<&TraceHandle::segment>("segment"),
                      InstanceMethod<&TraceHandle::event>("event"),
                      InstanceMethod<&TraceHandle::frames>("frames"),
                      InstanceMethod<&TraceHandle::simulate>("simulate"),
                      InstanceMethod<&TraceHandle::sweep>("sweep"),
                      InstanceMethod<&TraceHandle::decisions>("decisions"),
                  });
  env.SetInstanceData(new Napi::FunctionReference(Napi::Persistent(constructor)));
}

Napi::Object TraceHandle::create(Napi::Env env, SharedTrace trace) {
  return env.GetInstanceData<Napi::FunctionReference>()->New({Napi::External<SharedTrace>::New(env, &trace)});
}

TraceHandle::TraceHandle(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  if (info.Length() != 1 || !info[0].IsExternal()) {
    throw Napi::TypeError::New(info.Env(), "A trace is opened with open().");
  }
  trace_ = *info[0].As<Napi::External<SharedTrace>>().Data();
}

const SharedTrace& TraceHandle::opened(Napi::Env env) const {
  if (trace_ == nullptr) throw Failure{"trace-closed", "This trace is closed.", ""}.toError(env);
  return trace_;
}

Napi::Value TraceHandle::close(const Napi::CallbackInfo& info) {
  trace_.reset();
  return info.Env().Undefined();
}

Napi::Value TraceHandle::facts(const Napi::CallbackInfo& info) {
  return expressFacts(info.Env(), *opened(info.Env()));
}

Napi::Value TraceHandle::series(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const Window window = arguments.window();
  return QueryWorker<SeriesWindow>::start(
      info.Env(), trace_, [=](const OpenedTrace& o) { return o.indices[device]->series(window); },
      expressSeries);
}

Napi::Value TraceHandle::liveBlocks(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const Window window = arguments.window();
  const uint32_t pixelRows = arguments.count();
  return QueryWorker<LiveWindow>::start(
      info.Env(), trace_,
      [=](const OpenedTrace& o) { return o.indices[device]->liveBlocks(window, pixelRows); }, expressLive);
}

Napi::Value TraceHandle::map(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const Region region = arguments.region();
  const Window window = arguments.window();
  const uint64_t from = arguments.bytes();
  const uint64_t to = arguments.bytes();
  const uint32_t rows = arguments.count();
  return QueryWorker<MapWindow>::start(
      info.Env(), trace_,
      [=](const OpenedTrace& o) { return o.indices[device]->map(region, window, from, to, rows); },
      expressMap);
}

Napi::Value TraceHandle::ranges(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const Region region = arguments.region();
  return QueryWorker<std::vector<FoldedRange>>::start(
      info.Env(), trace_, [=](const OpenedTrace& o) { return o.indices[device]->ranges(region); },
      expressRanges);
}

Napi::Value TraceHandle::state(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const EventIndex event = arguments.moment(device);
  return QueryWorker<StateColumns>::start(
      info.Env(), trace_, [=](const OpenedTrace& o) { return stateColumns(o, device, event); }, expressState);
}

Napi::Value TraceHandle::moment(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const EventIndex event = arguments.moment(device);
  return QueryWorker<Moment>::start(
      info.Env(), trace_, [=](const OpenedTrace& o) { return o.indices[device]->moment(event); },
      expressMoment);
}

Napi::Value TraceHandle::hit(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const EventIndex event = arguments.moment(device);
  const uint64_t address = arguments.address();
  return QueryWorker<Hit>::start(
      info.Env(), trace_, [=](const OpenedTrace& o) { return o.indices[device]->hit(event, address); },
      expressHit);
}

Napi::Value TraceHandle::eventAt(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const double time = std::floor(std::clamp(arguments.number(), -kLatestTime, kLatestTime));
  return number(info.Env(), trace_->indices[device]->eventAtTime(static_cast<int64_t>(time)));
}

Napi::Value TraceHandle::markers(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  return QueryWorker<std::vector<Marker>>::start(
      info.Env(), trace_, [=](const OpenedTrace& o) { return markersOf(o.trace.devices[device]); },
      expressMarkers);
}

Napi::Value TraceHandle::annotations(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  return expressAnnotations(info.Env(), *trace_, arguments.device());
}

Napi::Value TraceHandle::consumers(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const EventIndex event = arguments.moment(device);
  const size_t limit = arguments.count();
  return QueryWorker<std::vector<Consumer>>::start(
      info.Env(), trace_,
      [=](const OpenedTrace& o) { return consumersAt(o.trace.devices[device], event, limit); },
      expressConsumers);
}

Napi::Value TraceHandle::counters(const Napi::CallbackInfo& info) {
  return expressCounters(info.Env(), opened(info.Env())->trace);
}

Napi::Value TraceHandle::counterWindow(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const uint32_t row = arguments.row("counter", trace_->counters.size());
  const double from = arguments.number();
  const double to = arguments.number();
  const uint32_t columns = arguments.count();
  return QueryWorker<SeriesColumns>::start(
      info.Env(), trace_, [=](const OpenedTrace& o) { return o.counters[row].window(from, to, columns); },
      expressColumns);
}

Napi::Value TraceHandle::difference(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const uint32_t row = arguments.row("counter", trace_->trace.counters.size());
  const double from = arguments.number();
  const double to = arguments.number();
  const uint32_t columns = arguments.count();
  return QueryWorker<DifferenceWindow>::start(
      info.Env(), trace_,
      [=](const OpenedTrace& o) {
        const auto found = o.differences.of(o.trace, device, row);
        return DifferenceWindow{found, found->index.window(from, to, columns)};
      },
      expressDifference);
}

Napi::Value TraceHandle::sites(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  return expressSites(info.Env(), trace_->indices[arguments.device()]->sites());
}

Napi::Value TraceHandle::extremes(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  return expressExtremes(info.Env(), trace_->indices[arguments.device()]->extremes());
}

Napi::Value TraceHandle::block(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const uint32_t row = arguments.row("block", trace_->trace.devices[device].blocks.count());
  return expressBlock(info.Env(), *trace_, device, row);
}

Napi::Value TraceHandle::segment(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const uint32_t row = arguments.row("segment", trace_->trace.devices[device].segments.count());
  return expressSegment(info.Env(), *trace_, device, row);
}

Napi::Value TraceHandle::event(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const uint32_t row = arguments.row("event", trace_->trace.devices[device].events.count());
  return expressEvent(info.Env(), *trace_, device, row);
}

Napi::Value TraceHandle::frames(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const uint32_t stack = arguments.row("stack", trace_->trace.stacks.count());
  return expressFrames(info.Env(), trace_->trace, stack);
}

Napi::Value TraceHandle::simulate(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  return startSimulate(info, trace_, arguments.device());
}

Napi::Value TraceHandle::sweep(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  return startSweep(info, trace_, arguments.device());
}

Napi::Value TraceHandle::decisions(const Napi::CallbackInfo& info) {
  Arguments arguments(info, *opened(info.Env()));
  const size_t device = arguments.device();
  const uint32_t event = arguments.row("event", trace_->trace.devices[device].events.count());
  return startDecisions(info, trace_, event);
}

}  // namespace strata::binding
