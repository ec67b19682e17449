#include <napi.h>

#include "binding/content_hash.h"
#include "binding/growing_trace.h"
#include "binding/live_sampler.h"
#include "binding/open_set.h"
#include "binding/open_worker.h"
#include "binding/recognise.h"
#include "binding/replay_worker.h"
#include "binding/simulators.h"
#include "binding/trace_handle.h"

namespace {

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  strata::binding::TraceHandle::define(env);
  exports.Set("open", Napi::Function::New(env, strata::binding::OpenWorker::start, "open"));
  exports.Set("openSet", Napi::Function::New(env, strata::binding::startOpenSet, "openSet"));
  exports.Set("recognise", Napi::Function::New(env, strata::binding::recognise, "recognise"));
  exports.Set("replay", Napi::Function::New(env, strata::binding::ReplayWorker::start, "replay"));
  exports.Set("simulators", Napi::Function::New(env, strata::binding::listSimulators, "simulators"));
  exports.Set("ContentHash", strata::binding::ContentHash::define(env));
  exports.Set("LiveSampler", strata::binding::LiveSampler::define(env));
  exports.Set("GrowingTrace", strata::binding::GrowingTrace::define(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(strata, initialise)
