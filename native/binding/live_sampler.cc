#include "binding/live_sampler.h"

#include <utility>
#include <vector>

#include "binding/express_live.h"
#include "binding/failure.h"
#include "binding/live_worker.h"
#include "binding/values.h"
#include "device/drm_source.h"
#include "device/nvml_source.h"
#include "device/simulated_source.h"

namespace strata::binding {
namespace {

using device::GpuSource;
using device::Sampler;

constexpr int64_t kNsPerMs = 1'000'000;

std::string textOf(const Napi::Object& options, const char* name) {
  return options.Get(name).ToString().Utf8Value();
}

int64_t wholeOf(const Napi::Value& value) { return value.ToNumber().Int64Value(); }

std::vector<std::unique_ptr<GpuSource>> sourcesOf(const Napi::Object& options) {
  std::vector<std::unique_ptr<GpuSource>> sources;
  if (const auto scenario = device::scenarioOf(textOf(options, "scenario"))) {
    sources.push_back(std::make_unique<device::SimulatedSource>(*scenario));
    return sources;
  }
  const std::string sysfs = textOf(options, "sysfsRoot"), proc = textOf(options, "procRoot");
  sources.push_back(std::make_unique<device::NvmlSource>(device::NvmlOptions{
      textOf(options, "nvmlLibrary"), proc, options.Get("withPcie").ToBoolean().Value()}));
  for (const auto cards : {device::DrmOptions::Cards::Amd, device::DrmOptions::Cards::Others}) {
    sources.push_back(std::make_unique<device::DrmSource>(device::DrmOptions{cards, sysfs, proc}));
  }
  return sources;
}

device::SamplerOptions samplerOptionsOf(const Napi::Object& options) {
  device::SamplerOptions result;
  result.hz = options.Get("hz").ToNumber().DoubleValue();
  result.growthBytes = wholeOf(options.Get("growthBytes"));
  result.version = textOf(options, "version");
  result.host = textOf(options, "host");
  return result;
}

/// One entry for each GPU, in order.
std::vector<device::Limits> limitsOf(const Napi::Array& list) {
  std::vector<device::Limits> limits(list.Length());
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Object one = list.Get(i).ToObject();
    const auto limit = [&](const char* name) {
      const Napi::Value value = one.Get(name);
      return value.IsNumber() ? std::optional(value.ToNumber().DoubleValue()) : std::nullopt;
    };
    limits[i] = {limit("memory"), limit("temperature"), limit("power")};
  }
  return limits;
}

}  // namespace

Napi::Function LiveSampler::define(Napi::Env env) {
  return DefineClass(env, "LiveSampler",
                     {
                         InstanceMethod<&LiveSampler::waitForGpus>("waitForGpus"),
                         InstanceMethod<&LiveSampler::lookedFor>("lookedFor"),
                         InstanceMethod<&LiveSampler::gpus>("gpus"),
                         InstanceMethod<&LiveSampler::status>("status"),
                         InstanceMethod<&LiveSampler::look>("look"),
                         InstanceMethod<&LiveSampler::setRate>("setRate"),
                         InstanceMethod<&LiveSampler::watch>("watch"),
                         InstanceMethod<&LiveSampler::samples>("samples"),
                         InstanceMethod<&LiveSampler::window>("window"),
                         InstanceMethod<&LiveSampler::events>("events"),
                         InstanceMethod<&LiveSampler::mark>("mark"),
                         InstanceMethod<&LiveSampler::startRecording>("startRecording"),
                         InstanceMethod<&LiveSampler::stopRecording>("stopRecording"),
                         InstanceMethod<&LiveSampler::close>("close"),
                     });
}

LiveSampler::LiveSampler(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  const Napi::Object options = info[0].ToObject();
  sampler_ = std::make_shared<Sampler>(sourcesOf(options), samplerOptionsOf(options));
}

const std::shared_ptr<Sampler>& LiveSampler::running(Napi::Env env) const {
  if (sampler_ == nullptr) throw Failure{"live-closed", "Sampling has ended.", ""}.toError(env);
  return sampler_;
}

Napi::Value LiveSampler::waitForGpus(const Napi::CallbackInfo& info) {
  const int64_t patience = wholeOf(info[0]) * kNsPerMs;
  return LiveWorker::start(
      info.Env(), [sampler = running(info.Env()), patience] { return sampler->waitForGpus(patience); });
}

Napi::Value LiveSampler::lookedFor(const Napi::CallbackInfo& info) {
  return expressLookedFor(info.Env(), running(info.Env())->lookedFor());
}

Napi::Value LiveSampler::gpus(const Napi::CallbackInfo& info) {
  return expressGpus(info.Env(), running(info.Env())->gpus());
}

Napi::Value LiveSampler::status(const Napi::CallbackInfo& info) {
  return expressStatus(info.Env(), running(info.Env())->status());
}

Napi::Value LiveSampler::look(const Napi::CallbackInfo& info) {
  running(info.Env())->look();
  return info.Env().Undefined();
}

Napi::Value LiveSampler::setRate(const Napi::CallbackInfo& info) {
  running(info.Env())->setRate(info[0].ToNumber().DoubleValue());
  return info.Env().Undefined();
}

Napi::Value LiveSampler::watch(const Napi::CallbackInfo& info) {
  running(info.Env())->watch(wholeOf(info[0]), limitsOf(info[1].As<Napi::Array>()));
  return info.Env().Undefined();
}

Napi::Value LiveSampler::samples(const Napi::CallbackInfo& info) {
  const auto from = static_cast<uint64_t>(wholeOf(info[0]));
  const auto limit = static_cast<size_t>(info[1].ToNumber().Uint32Value());
  return expressSamples(info.Env(), running(info.Env())->samplesFrom(from, limit));
}

Napi::Value LiveSampler::window(const Napi::CallbackInfo& info) {
  const auto gpu = static_cast<size_t>(info[0].ToNumber().Uint32Value());
  const uint32_t columns = info[3].ToNumber().Uint32Value();
  return expressWindow(info.Env(),
                       running(info.Env())->window(gpu, wholeOf(info[1]), wholeOf(info[2]), columns));
}

Napi::Value LiveSampler::events(const Napi::CallbackInfo& info) {
  return expressEvents(info.Env(), running(info.Env())->eventsAfter(static_cast<uint64_t>(wholeOf(info[0]))));
}

Napi::Value LiveSampler::mark(const Napi::CallbackInfo& info) {
  running(info.Env())->mark(info[0].ToString().Utf8Value());
  return info.Env().Undefined();
}

Napi::Value LiveSampler::startRecording(const Napi::CallbackInfo& info) {
  device::Recorder::Options options;
  options.path = info[0].ToString().Utf8Value();
  options.limitBytes = static_cast<uint64_t>(wholeOf(info[1]));
  options.isAppending = info[2].ToBoolean().Value();
  return LiveWorker::start(info.Env(), [sampler = running(info.Env()), options] {
    sampler->startRecording(options);
    return true;
  });
}

Napi::Value LiveSampler::stopRecording(const Napi::CallbackInfo& info) {
  return LiveWorker::start(info.Env(), [sampler = running(info.Env())] {
    sampler->stopRecording();
    return true;
  });
}

Napi::Value LiveSampler::close(const Napi::CallbackInfo& info) {
  return LiveWorker::start(info.Env(), [sampler = std::exchange(sampler_, nullptr)]() mutable {
    sampler.reset();
    return true;
  });
}

}  // namespace strata::binding
