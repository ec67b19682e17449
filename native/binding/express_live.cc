#include "binding/express_live.h"

#include <cmath>
#include <map>

#include "binding/values.h"

namespace strata::binding {
namespace {

using device::kGpuMetricCount;

/// As in the status of `expressSamples`.
constexpr uint8_t kLost = 16;

Napi::Value numberOrNull(Napi::Env env, device::Reading reading) {
  return reading ? number(env, static_cast<double>(*reading)).As<Napi::Value>() : env.Null();
}

Napi::Value positionOrNull(Napi::Env env, std::optional<uint32_t> position) {
  return position ? number(env, *position).As<Napi::Value>() : env.Null();
}

const char* nameOf(device::LookedFor::Outcome outcome) {
  constexpr const char* kNames[] = {"found", "missing", "failed"};
  return kNames[static_cast<size_t>(outcome)];
}

Napi::Value expressProcesses(Napi::Env env, const device::ProcessList& list) {
  if (list == nullptr) return env.Null();
  Napi::Array processes = Napi::Array::New(env, list->size());
  for (uint32_t i = 0; i < list->size(); ++i) {
    const device::GpuProcess& process = (*list)[i];
    Napi::Object one = Napi::Object::New(env);
    one.Set("pid", number(env, process.pid));
    one.Set("name", text(env, process.name));
    one.Set("bytes", numberOrNull(env, process.bytes));
    one.Set("busy", numberOrNull(env, process.busy));
    processes[i] = one;
  }
  return processes;
}

Napi::Value expressRecording(Napi::Env env, const device::RecorderStatus& status) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("path", text(env, status.path));
  result.Set("isActive", Napi::Boolean::New(env, status.isActive));
  result.Set("bytes", number(env, static_cast<double>(status.bytes)));
  result.Set("samples", number(env, static_cast<double>(status.samples)));
  result.Set("length", number(env, static_cast<double>(status.lengthNs)));
  result.Set("lost", number(env, static_cast<double>(status.lost)));
  result.Set("parts", number(env, static_cast<double>(status.parts)));
  result.Set("keptBytes", number(env, static_cast<double>(status.keptBytes)));
  result.Set("keptSamples", number(env, static_cast<double>(status.keptSamples)));
  result.Set("problem", text(env, status.problem));
  return result;
}

}  // namespace

Napi::Value expressLookedFor(Napi::Env env, const std::vector<device::LookedFor>& reports) {
  Napi::Array list = Napi::Array::New(env, reports.size());
  for (uint32_t i = 0; i < reports.size(); ++i) {
    const device::LookedFor& report = reports[i];
    Napi::Object one = Napi::Object::New(env);
    one.Set("kind", text(env, report.kind));
    one.Set("outcome", nameOf(report.outcome));
    one.Set("code", text(env, report.code));
    one.Set("what", text(env, report.what));
    Napi::Array where = Napi::Array::New(env, report.where.size());
    for (uint32_t place = 0; place < report.where.size(); ++place)
      where[place] = text(env, report.where[place]);
    one.Set("where", where);
    one.Set("detail", text(env, report.detail));
    one.Set("version", text(env, report.version));
    list[i] = one;
  }
  return list;
}

Napi::Value expressGpus(Napi::Env env, const std::vector<device::GpuIdentity>& gpus) {
  Napi::Array list = Napi::Array::New(env, gpus.size());
  for (uint32_t i = 0; i < gpus.size(); ++i) {
    const device::GpuIdentity& gpu = gpus[i];
    Napi::Object one = Napi::Object::New(env);
    one.Set("id", text(env, gpu.id));
    one.Set("name", text(env, gpu.name));
    one.Set("vendor", text(env, gpu.vendor));
    one.Set("bus", text(env, gpu.bus));
    one.Set("driver", text(env, gpu.driver));
    one.Set("parent", positionOrNull(env, gpu.parent));
    one.Set("slowdown", numberOrNull(env, gpu.slowdownTemperature));
    list[i] = one;
  }
  return list;
}

Napi::Value expressStatus(Napi::Env env, const device::SamplerStatus& status) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("state", device::nameOf(status.state));
  result.Set("call", text(env, status.call));
  result.Set("stuckNs", number(env, static_cast<double>(status.stuckNs)));
  result.Set("originNs", Napi::BigInt::New(env, status.originNs));
  result.Set("now", number(env, static_cast<double>(status.now)));
  result.Set("hz", number(env, status.hz));
  result.Set("realHz", number(env, status.realHz));
  result.Set("firstSample", number(env, static_cast<double>(status.firstSample)));
  result.Set("endSample", number(env, static_cast<double>(status.endSample)));
  result.Set("isSimulated", Napi::Boolean::New(env, status.isSimulated));
  result.Set("recording", status.recording ? expressRecording(env, *status.recording) : env.Null());
  return result;
}

Napi::Value expressSamples(Napi::Env env, const std::vector<device::Sample>& samples) {
  const size_t gpus = samples.empty() ? 0 : samples.front().gpus.size();
  auto times = Napi::Float64Array::New(env, samples.size());
  auto gaps = Napi::Uint8Array::New(env, samples.size());
  auto values = Napi::Float64Array::New(env, samples.size() * gpus * kGpuMetricCount);
  auto states = Napi::Uint8Array::New(env, samples.size() * gpus);
  auto lists = Napi::Uint32Array::New(env, samples.size() * gpus);
  std::map<device::ProcessList, uint32_t> rows;
  Napi::Array processes = Napi::Array::New(env);
  for (size_t i = 0; i < samples.size(); ++i) {
    const device::Sample& sample = samples[i];
    times[i] = static_cast<double>(sample.time);
    gaps[i] = sample.isGapBefore;
    for (size_t gpu = 0; gpu < gpus; ++gpu) {
      const size_t place = i * gpus + gpu;
      const device::GpuReadings& readings = sample.gpus[gpu];
      for (size_t metric = 0; metric < kGpuMetricCount; ++metric) {
        const device::Reading& value = readings.values[metric];
        values[place * kGpuMetricCount + metric] = value ? static_cast<double>(*value) : std::nan("");
      }
      states[place] =
          static_cast<uint8_t>(static_cast<uint8_t>(readings.accounting) + (readings.isLost ? kLost : 0));
      const auto [row, isNew] = rows.try_emplace(sample.processes[gpu], static_cast<uint32_t>(rows.size()));
      if (isNew) processes[row->second] = expressProcesses(env, row->first);
      lists[place] = row->second;
    }
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("times", times);
  result.Set("gaps", gaps);
  result.Set("values", values);
  result.Set("states", states);
  result.Set("lists", lists);
  result.Set("processes", processes);
  return result;
}

Napi::Value expressWindow(Napi::Env env, const std::vector<device::RingColumns>& metrics) {
  const size_t columns = metrics.empty() ? 0 : metrics.front().last.size();
  auto values = Napi::Float64Array::New(env, metrics.size() * 3 * columns);
  size_t next = 0;
  for (const device::RingColumns& metric : metrics) {
    for (const std::vector<double>* column : {&metric.min, &metric.max, &metric.last}) {
      for (const double value : *column) values[next++] = value;
    }
  }
  return values;
}

Napi::Value expressEvents(Napi::Env env, const std::vector<device::Event>& events) {
  Napi::Array list = Napi::Array::New(env, events.size());
  for (uint32_t i = 0; i < events.size(); ++i) {
    const device::Event& event = events[i];
    Napi::Object one = Napi::Object::New(env);
    one.Set("number", number(env, static_cast<double>(event.number)));
    one.Set("time", number(env, static_cast<double>(event.time)));
    one.Set("kind", text(env, event.kind));
    one.Set("gpu", positionOrNull(env, event.gpu));
    one.Set("text", text(env, event.text));
    one.Set("pid", positionOrNull(env, event.pid));
    one.Set("bytes", numberOrNull(env, event.bytes));
    list[i] = one;
  }
  return list;
}

}  // namespace strata::binding
