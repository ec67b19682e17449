#include "binding/open_set.h"

#include <memory>
#include <utility>
#include <vector>

#include "allocator/rebuild.h"
#include "binding/long_worker.h"
#include "binding/opened_trace.h"
#include "binding/trace_handle.h"
#include "capture/read_set.h"

namespace strata::binding {
namespace {

std::vector<SetFile> readFiles(const Napi::Array& list) {
  std::vector<SetFile> files;
  for (uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Object one = list.Get(i).As<Napi::Object>();
    files.push_back({one.Get("path").ToString().Utf8Value(), one.Get("name").ToString().Utf8Value(),
                     static_cast<uint64_t>(one.Get("bytes").ToNumber().Int64Value())});
  }
  return files;
}

std::shared_ptr<OpenedTrace> openSet(const std::vector<SetFile>& files, const Progress& progress) {
  ReadSet read = readSet(files, progress);
  Trace trace = mergeTraces(std::move(read.traces));
  rebuild(trace, progress);
  auto opened = openTrace(std::move(trace), progress);
  opened->files = std::move(read.files);
  opened->refused = std::move(read.refused);
  return opened;
}

}  // namespace

Napi::Value startOpenSet(const Napi::CallbackInfo& info) {
  using Opened = std::shared_ptr<OpenedTrace>;
  std::vector<SetFile> files = readFiles(info[0].As<Napi::Array>());
  return LongWorker<Opened>::start(
      info[1].As<Napi::Function>(),
      [files = std::move(files)](const Progress& progress) { return openSet(files, progress); },
      [](Napi::Env env, Opened& opened) -> Napi::Value {
        return TraceHandle::create(env, std::move(opened));
      });
}

}  // namespace strata::binding
