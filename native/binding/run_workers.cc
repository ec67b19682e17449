#include "binding/run_workers.h"

#include <algorithm>
#include <vector>

#include "allocator/what_if/explain.h"
#include "allocator/what_if/recorded_calls.h"
#include "allocator/what_if/run_trace.h"
#include "allocator/what_if/sweep.h"
#include "allocator/what_if/sweep_grid.h"
#include "binding/express_runs.h"
#include "binding/long_worker.h"
#include "binding/trace_handle.h"

namespace strata::binding {
namespace {

using what_if::Capacity;
using what_if::RunRequest;

/// JavaScript's largest safe integer asks for a device without a limit, whatever the recording shows.
constexpr double kWithoutLimit = 0x1p53 - 1;

std::optional<uint64_t> readCapacity(const Napi::Value& value) {
  if (value.IsNull()) return std::nullopt;
  const double bytes = value.ToNumber().DoubleValue();
  return bytes >= kWithoutLimit ? kUnlimitedCapacity : static_cast<uint64_t>(bytes);
}

Capacity capacityFor(const Device& device, std::optional<uint64_t> given) {
  if (!given) return what_if::recordedCapacity(device);
  return {std::min(*given, kUnlimitedCapacity), Capacity::From::Given};
}

/// What both answers say about the recording.
struct Common {
  Capacity capacity;
  what_if::RecordedRequests requests;  ///< without its operations
};

Common commonOf(const Capacity& capacity, what_if::Recording& recording) {
  Common common{capacity, std::move(recording.requests)};
  common.requests.trace.operations.clear();
  return common;
}

void setCommon(Napi::Object& result, const Common& common) {
  const Napi::Env env = result.Env();
  result.Set("capacity", expressCapacity(env, common.capacity));
  result.Set("requests", expressRequests(env, common.requests));
}

struct Simulated {
  RunRequest request;
  what_if::RunSummary summary;
  Common common;
  std::shared_ptr<OpenedTrace> trace;  ///< when it is kept
};

struct Swept {
  what_if::SweepResult result;
  DeviceCalls recorded;
  Common common;
};

}  // namespace

Napi::Value startSimulate(const Napi::CallbackInfo& info, const SharedTrace& trace, size_t device) {
  const RunRequest request = readRun(info[1]);
  const std::optional<uint64_t> given = readCapacity(info[2]);
  const uint32_t columns = info[3].ToNumber().Uint32Value();
  const bool isKept = info[4].ToBoolean();
  const auto compute = [=](const Progress& progress) {
    const Device& source = trace->trace.devices[device];
    what_if::Recording recording = what_if::recordingOf(trace->trace, source);
    const Capacity capacity = capacityFor(source, given);
    Simulated simulated;
    simulated.request = request;
    const what_if::RunOptions options{capacity, columns};
    if (!isKept) {
      simulated.summary = what_if::run(recording, request, options, nullptr, progress);
    } else {
      what_if::RunTrace writer(recording, request);
      simulated.summary = what_if::run(recording, request, options, &writer, progress);
      SimulatedRun run{trace, device, request, options, {}};
      Trace written = writer.finish(simulated.summary, run.operationOf);
      simulated.trace = openTrace(std::move(written), progress);
      simulated.trace->run = std::move(run);
    }
    simulated.common = commonOf(capacity, recording);
    return simulated;
  };
  const auto express = [](Napi::Env env, Simulated& simulated) -> Napi::Value {
    Napi::Object result = Napi::Object::New(env);
    result.Set("run", expressRun(env, simulated.request, simulated.summary));
    setCommon(result, simulated.common);
    result.Set("trace", simulated.trace ? TraceHandle::create(env, simulated.trace) : env.Null());
    return result;
  };
  return LongWorker<Simulated>::start(info[5].As<Napi::Function>(), compute, express);
}

Napi::Value startSweep(const Napi::CallbackInfo& info, const SharedTrace& trace, size_t device) {
  std::optional<std::vector<RunRequest>> asked;
  if (!info[1].IsNull()) {
    const Napi::Array list = info[1].As<Napi::Array>();
    asked.emplace();
    for (uint32_t i = 0; i < list.Length(); ++i) asked->push_back(readRun(list.Get(i)));
  }
  const std::optional<uint64_t> given = readCapacity(info[2]);
  const uint32_t columns = info[3].ToNumber().Uint32Value();
  const auto compute = [=](const Progress& progress) {
    const Device& source = trace->trace.devices[device];
    what_if::Recording recording = what_if::recordingOf(trace->trace, source);
    const Capacity capacity = capacityFor(source, given);
    const auto runs = asked ? *asked : what_if::worthTrying(recording, capacity);
    Swept swept;
    swept.result = what_if::sweep(recording, runs, {capacity, columns}, progress);
    swept.recorded = what_if::recordedCalls(trace->trace, source);
    swept.common = commonOf(capacity, recording);
    return swept;
  };
  const auto express = [](Napi::Env env, Swept& swept) -> Napi::Value {
    Napi::Object result = expressSweep(env, swept.result);
    setCommon(result, swept.common);
    result.Set("calls", expressCalls(env, swept.recorded));
    return result;
  };
  return LongWorker<Swept>::start(info[4].As<Napi::Function>(), compute, express);
}

Napi::Value startDecisions(const Napi::CallbackInfo& info, const SharedTrace& trace, uint32_t event) {
  if (!trace->run)
    throw Failure{"not-a-simulation", "Only a simulated trace knows what its allocator looked at.",
                  "Open a run of What-if as a trace and ask there."}
        .toError(info.Env());
  const auto compute = [=](const Progress& progress) {
    const SimulatedRun& run = *trace->run;
    const Trace& source = run.source->trace;
    const what_if::Recording recording = what_if::recordingOf(source, source.devices[run.device]);
    return what_if::explain(recording, run.request, run.options, run.operationOf[event], progress);
  };
  const auto express = [](Napi::Env env, std::vector<Decision>& decisions) -> Napi::Value {
    return expressDecisions(env, decisions);
  };
  return LongWorker<std::vector<Decision>>::start(info[2].As<Napi::Function>(), compute, express);
}

}  // namespace strata::binding
