#include "binding/express_runs.h"

#include "binding/values.h"

namespace strata::binding {
namespace {

using what_if::Capacity;

Napi::Number bytes(Napi::Env env, uint64_t value) { return number(env, static_cast<double>(value)); }

const char* nameOf(Capacity::From from) {
  switch (from) {
    case Capacity::From::Given:
      return "given";
    case Capacity::From::RecordedFailure:
      return "recorded-failure";
    default:
      return "none";
  }
}

Napi::Object expressSettings(Napi::Env env, const WrittenSettings& settings) {
  Napi::Object result = Napi::Object::New(env);
  for (const auto& [name, value] : settings) result.Set(name, text(env, value));
  return result;
}

Napi::Value expressFailure(Napi::Env env, const std::optional<what_if::RunFailure>& failure) {
  if (!failure) return env.Null();
  Napi::Object result = Napi::Object::New(env);
  result.Set("event", number(env, failure->event));
  result.Set("requested", bytes(env, failure->requested));
  result.Set("free", bytes(env, failure->free));
  result.Set("largestFree", bytes(env, failure->largestFree));
  result.Set("deviceFree", failure->deviceFree ? bytes(env, *failure->deviceFree) : env.Null());
  return result;
}

Napi::Value expressReproduction(Napi::Env env, const std::optional<what_if::Reproduction>& same) {
  if (!same) return env.Null();
  Napi::Object result = Napi::Object::New(env);
  result.Set("placements", bytes(env, same->placements));
  result.Set("matched", bytes(env, same->placementsMatched));
  result.Set("segmentEvents", bytes(env, same->segmentEvents));
  result.Set("segmentEventsMatched", bytes(env, same->segmentEventsMatched));
  result.Set("finalBlocks", bytes(env, same->finalBlocks));
  result.Set("finalBlocksMatched", bytes(env, same->finalBlocksMatched));
  return result;
}

}  // namespace

Napi::Object expressCalls(Napi::Env env, const DeviceCalls& calls) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("allocate", bytes(env, calls.allocate));
  result.Set("free", bytes(env, calls.free));
  result.Set("reserve", bytes(env, calls.reserve));
  result.Set("map", bytes(env, calls.map));
  result.Set("unmap", bytes(env, calls.unmap));
  result.Set("synchronize", bytes(env, calls.synchronize));
  result.Set("refused", bytes(env, calls.refuse + calls.refuseCreate));
  return result;
}

Napi::Object expressCapacity(Napi::Env env, const Capacity& capacity) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("bytes", capacity.bytes < kUnlimitedCapacity ? bytes(env, capacity.bytes) : env.Null());
  result.Set("from", text(env, nameOf(capacity.from)));
  return result;
}

Napi::Object expressRequests(Napi::Env env, const what_if::RecordedRequests& requests) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("lowerBound", bytes(env, requests.lowerBound));
  result.Set("requests", bytes(env, requests.trace.ids.size()));
  result.Set("streamFrees", bytes(env, requests.streamFrees));
  result.Set("olderBlocks", bytes(env, requests.olderBlocks));
  result.Set("failedRequests", bytes(env, requests.failedRequests));
  result.Set("privatePools", bytes(env, requests.privatePools));
  result.Set("unmatchedFrees", bytes(env, requests.unmatchedFrees));
  return result;
}

Napi::Object expressRun(Napi::Env env, const what_if::RunRequest& request,
                        const what_if::RunSummary& summary) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("allocator", text(env, request.allocator));
  result.Set("settings", expressSettings(env, request.settings));
  result.Set("peakReserved", bytes(env, summary.peakReserved));
  result.Set("peakReservedAt", number(env, summary.peakReservedAt));
  result.Set("finalReserved", bytes(env, summary.finalReserved));
  result.Set("peakAllocated", bytes(env, summary.peakAllocated));
  result.Set("activeAtPeak", bytes(env, summary.activeAtPeak));
  result.Set("freeAtPeak", bytes(env, summary.freeAtPeak));
  result.Set("largestFreeAtPeak", bytes(env, summary.largestFreeAtPeak));
  result.Set("peakFragmentation", number(env, summary.peakFragmentation));
  result.Set("peakFragmentationAt", number(env, summary.peakFragmentationAt));
  result.Set("requests", bytes(env, summary.requests));
  result.Set("calls", expressCalls(env, summary.calls));
  result.Set("failureCount", bytes(env, summary.failureCount));
  result.Set("firstFailure", expressFailure(env, summary.firstFailure));
  result.Set("reproduces", expressReproduction(env, summary.reproduces));
  result.Set("reserved", copyOut(env, summary.reserved));
  result.Set("active", copyOut(env, summary.active));
  return result;
}

Napi::Object expressSweep(Napi::Env env, const what_if::SweepResult& result) {
  Napi::Array runs = Napi::Array::New(env, result.runs.size());
  for (uint32_t i = 0; i < result.runs.size(); ++i)
    runs.Set(i, expressRun(env, result.runs[i].request, result.runs[i].summary));
  Napi::Array refused = Napi::Array::New(env, result.refused.size());
  for (uint32_t i = 0; i < result.refused.size(); ++i) {
    const auto& one = result.refused[i];
    Napi::Object expressed = Napi::Object::New(env);
    expressed.Set("allocator", text(env, one.request.allocator));
    expressed.Set("settings", expressSettings(env, one.request.settings));
    expressed.Set("code", text(env, one.code));
    expressed.Set("message", text(env, one.message));
    refused.Set(i, expressed);
  }
  Napi::Object expressed = Napi::Object::New(env);
  expressed.Set("runs", runs);
  expressed.Set("refused", refused);
  return expressed;
}

what_if::RunRequest readRun(const Napi::Value& value) {
  const Napi::Object object = value.As<Napi::Object>();
  what_if::RunRequest request;
  request.allocator = object.Get("allocator").ToString().Utf8Value();
  const Napi::Object settings = object.Get("settings").As<Napi::Object>();
  const Napi::Array names = settings.GetPropertyNames();
  for (uint32_t i = 0; i < names.Length(); ++i) {
    const std::string name = names.Get(i).ToString().Utf8Value();
    request.settings[name] = settings.Get(name).ToString().Utf8Value();
  }
  return request;
}

}  // namespace strata::binding
