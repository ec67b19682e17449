#include "binding/growing_trace.h"

#include <utility>

#include "binding/long_worker.h"
#include "binding/trace_handle.h"
#include "binding/values.h"

namespace strata::binding {

Napi::Function GrowingTrace::define(Napi::Env env) {
  return DefineClass(env, "GrowingTrace",
                     {
                         InstanceMethod<&GrowingTrace::append>("append"),
                         InstanceMethod<&GrowingTrace::trace>("trace"),
                     });
}

GrowingTrace::GrowingTrace(const Napi::CallbackInfo& info)
    : ObjectWrap(info),
      capture_(std::make_shared<GrowingCapture>()),
      sites_(std::make_shared<SiteMemory>()) {}

Napi::Value GrowingTrace::append(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto bytes = info[0].As<Napi::Uint8Array>();
  const GrowingCapture::Counts counts = capture_->append({bytes.Data(), bytes.ByteLength()});
  Napi::Object result = Napi::Object::New(env);
  const auto set = [&](const char* name, uint64_t value) {
    result.Set(name, number(env, static_cast<double>(value)));
  };
  set("lines", counts.lines);
  set("bytes", counts.bytes);
  set("events", counts.events);
  set("held", counts.held);
  set("dropped", counts.dropped);
  set("gaps", counts.gaps);
  set("unreadable", counts.unreadable.count);
  set("unreadableLine", counts.unreadable.first.line);
  set("unreadableByte", counts.unreadable.first.byte);
  return result;
}

Napi::Value GrowingTrace::trace(const Napi::CallbackInfo& info) {
  using Made = std::shared_ptr<OpenedTrace>;
  const auto make = [capture = capture_, sites = sites_](const Progress& progress) {
    auto opened = std::make_shared<OpenedTrace>();
    opened->trace = capture->trace();
    for (const Device& device : opened->trace.devices) {
      const auto key = std::pair(device.kind, device.ordinal);
      opened->summaries.push_back(summarise(device));
      opened->indices.push_back(std::make_unique<Index>(opened->trace, device, progress, (*sites)[key]));
      (*sites)[key] = opened->indices.back()->sites();
    }
    return opened;
  };
  return LongWorker<Made>::start(
      info[0].As<Napi::Function>(), make,
      [](Napi::Env env, Made& made) -> Napi::Value { return TraceHandle::create(env, std::move(made)); });
}

}  // namespace strata::binding
