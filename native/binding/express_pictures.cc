#include "binding/express.h"
#include "binding/values.h"

namespace strata::binding {
namespace {

/// One array for all: [region or total][metric][min, max, last][column].
std::vector<double> flat(const SeriesWindow& series) {
  std::vector<double> values;
  for (const auto& region : series.series) {
    for (const SeriesColumns& columns : region) {
      for (const auto* column : {&columns.min, &columns.max, &columns.last}) {
        values.insert(values.end(), column->begin(), column->end());
      }
    }
  }
  return values;
}

}  // namespace

Napi::Value expressSeries(Napi::Env env, const SeriesWindow& series) { return copyOut(env, flat(series)); }

Napi::Value expressLive(Napi::Env env, const LiveWindow& live) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("moment", copyOut(env, live.moment));
  result.Set("firstRun", copyOut(env, live.firstRun));
  result.Set("block", copyOut(env, live.block));
  result.Set("site", copyOut(env, live.site));
  result.Set("bytes", copyOut(env, live.bytes));
  result.Set("blockCount", copyOut(env, live.blockCount));
  return result;
}

Napi::Value expressMap(Napi::Env env, const MapWindow& map) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("mapped", copyOut(env, map.mapped));
  result.Set("occupied", copyOut(env, map.occupied));
  result.Set("site", copyOut(env, map.site));
  return result;
}

Napi::Value expressRanges(Napi::Env env, const std::vector<FoldedRange>& ranges) {
  std::vector<uint64_t> address;
  std::vector<double> bytes, offset;
  for (const FoldedRange& range : ranges) {
    address.push_back(range.address);
    bytes.push_back(static_cast<double>(range.bytes));
    offset.push_back(static_cast<double>(range.offset));
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("address", copyOut(env, address));
  result.Set("bytes", copyOut(env, bytes));
  result.Set("offset", copyOut(env, offset));
  return result;
}

}  // namespace strata::binding
