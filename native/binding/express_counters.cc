#include "binding/express.h"
#include "binding/values.h"

namespace strata::binding {
namespace {

const char* nameOf(CounterUnit unit) {
  constexpr const char* kNames[] = {"bytes",      "bytes-per-second", "percent",   "celsius",
                                    "milliwatts", "millijoules",      "megahertz", "count"};
  return kNames[static_cast<size_t>(unit)];
}

const char* nameOf(Subtracted subtracted) {
  constexpr const char* kNames[] = {"reserved", "stated", "active"};
  return kNames[static_cast<size_t>(subtracted)];
}

}  // namespace

Napi::Value expressCounters(Napi::Env env, const Trace& trace) {
  Napi::Array counters = Napi::Array::New(env, trace.counters.size());
  for (uint32_t i = 0; i < trace.counters.size(); ++i) {
    const Counter& counter = trace.counters[i];
    Napi::Object one = Napi::Object::New(env);
    one.Set("group", text(env, trace.strings.at(counter.group)));
    one.Set("name", text(env, trace.strings.at(counter.name)));
    one.Set("unit", nameOf(counter.unit));
    one.Set("isProcess", Napi::Boolean::New(env, counter.isProcess));
    one.Set("part", number(env, counter.part));
    one.Set("points", number(env, static_cast<double>(counter.time.size())));
    counters[i] = one;
  }
  Napi::Array marks = Napi::Array::New(env, trace.marks.size());
  for (uint32_t i = 0; i < trace.marks.size(); ++i) {
    const Mark& mark = trace.marks[i];
    Napi::Object one = Napi::Object::New(env);
    one.Set("time", number(env, static_cast<double>(mark.time)));
    one.Set("group",
            mark.group == kNone ? env.Null() : text(env, trace.strings.at(mark.group)).As<Napi::Value>());
    one.Set("kind", text(env, mark.kind == kNone ? "" : trace.strings.at(mark.kind)));
    one.Set("text", text(env, mark.text == kNone ? "" : trace.strings.at(mark.text)));
    marks[i] = one;
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("counters", counters);
  result.Set("marks", marks);
  return result;
}

Napi::Value expressColumns(Napi::Env env, const SeriesColumns& columns) {
  const size_t count = columns.last.size();
  auto values = Napi::Float64Array::New(env, 3 * count);
  std::copy(columns.min.begin(), columns.min.end(), values.Data());
  std::copy(columns.max.begin(), columns.max.end(), values.Data() + count);
  std::copy(columns.last.begin(), columns.last.end(), values.Data() + 2 * count);
  return values;
}

Napi::Value expressDifference(Napi::Env env, const DifferenceWindow& window) {
  const Difference& difference = window.whole->difference;
  Napi::Object result = Napi::Object::New(env);
  result.Set("columns", expressColumns(env, window.columns));
  result.Set("subtracted", nameOf(difference.subtracted));
  result.Set("known", number(env, static_cast<double>(difference.known)));
  result.Set("negative", number(env, static_cast<double>(difference.negative)));
  result.Set("smallest", number(env, difference.smallest));
  result.Set("largest", number(env, difference.largest));
  return result;
}

}  // namespace strata::binding
