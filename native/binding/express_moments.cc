#include "binding/express.h"
#include "binding/values.h"

namespace strata::binding {
namespace {

Napi::Value rowOrNull(Napi::Env env, uint32_t row) {
  return row == kNone ? env.Null() : number(env, row).As<Napi::Value>();
}

Napi::Array expressHoles(Napi::Env env, const std::vector<HoleClass>& holes) {
  Napi::Array list = Napi::Array::New(env, holes.size());
  for (uint32_t i = 0; i < holes.size(); ++i) {
    Napi::Object hole = Napi::Object::New(env);
    hole.Set("exponent", number(env, holes[i].exponent));
    hole.Set("count", number(env, static_cast<double>(holes[i].count)));
    hole.Set("bytes", number(env, static_cast<double>(holes[i].bytes)));
    list[i] = hole;
  }
  return list;
}

Napi::Object expressRegion(Napi::Env env, const RegionMoment& region) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("allocated", whole(env, region.allocated));
  result.Set("active", whole(env, region.active));
  result.Set("reserved", whole(env, region.reserved));
  result.Set("requested", whole(env, region.requested));
  result.Set("largestFree", whole(env, region.largestFree));
  result.Set("holeCount", number(env, static_cast<double>(region.holeCount)));
  result.Set("cachedWhole", whole(env, region.cachedWhole));
  result.Set("cachedWholeSegments", number(env, static_cast<double>(region.cachedWholeSegments)));
  result.Set("segments", number(env, static_cast<double>(region.segments)));
  result.Set("blocks", number(env, static_cast<double>(region.blocks)));
  result.Set("holes", expressHoles(env, region.holes));
  return result;
}

Napi::Object expressShare(Napi::Env env, const SiteShare& share) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("site", number(env, share.site));
  result.Set("stack", rowOrNull(env, share.stack));
  result.Set("bytes", number(env, static_cast<double>(share.bytes)));
  result.Set("blocks", number(env, static_cast<double>(share.blocks)));
  result.Set("name", text(env, share.name));
  return result;
}

Napi::Object expressPeak(Napi::Env env, const PeakPoint& peak) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("bytes", whole(env, peak.bytes));
  result.Set("event", number(env, peak.event));
  return result;
}

const char* nameOf(Hit::Kind kind) {
  switch (kind) {
    case Hit::Kind::Block:
      return "block";
    case Hit::Kind::Hole:
      return "hole";
    default:
      return "unmapped";
  }
}

const char* nameOf(Marker::Kind kind) {
  switch (kind) {
    case Marker::Kind::Failure:
      return "failure";
    case Marker::Kind::Snapshot:
      return "snapshot";
    default:
      return "flush";
  }
}

}  // namespace

Napi::Value expressState(Napi::Env env, const StateColumns& state) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("segmentAddress", copyOut(env, state.segmentAddress));
  result.Set("segmentBytes", copyOut(env, state.segmentBytes));
  result.Set("segmentActive", copyOut(env, state.segmentActive));
  result.Set("segmentLargestFree", copyOut(env, state.segmentLargestFree));
  result.Set("segmentRow", copyOut(env, state.segmentRow));
  result.Set("segmentRegion", copyOut(env, state.segmentRegion));
  result.Set("segmentFirstBlock", copyOut(env, state.segmentFirstBlock));
  result.Set("blockRow", copyOut(env, state.blockRow));
  result.Set("blockOffset", copyOut(env, state.blockOffset));
  result.Set("blockBytes", copyOut(env, state.blockBytes));
  result.Set("blockPending", copyOut(env, state.blockPending));
  result.Set("blockSite", copyOut(env, state.blockSite));
  return result;
}

Napi::Value expressHit(Napi::Env env, const Hit& hit) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("kind", nameOf(hit.kind));
  result.Set("block", rowOrNull(env, hit.block));
  result.Set("segment", rowOrNull(env, hit.segment));
  result.Set("address", whole(env, hit.address));
  result.Set("bytes", number(env, static_cast<double>(hit.bytes)));
  return result;
}

Napi::Value expressMoment(Napi::Env env, const Moment& moment) {
  Napi::Array regions = Napi::Array::New(env, kRegionCount);
  for (uint32_t i = 0; i < kRegionCount; ++i) regions[i] = expressRegion(env, moment.regions[i]);
  Napi::Array sites = Napi::Array::New(env, moment.sites.size());
  for (uint32_t i = 0; i < moment.sites.size(); ++i) sites[i] = expressShare(env, moment.sites[i]);
  Napi::Object result = Napi::Object::New(env);
  result.Set("regions", regions);
  result.Set("sites", sites);
  return result;
}

Napi::Value expressMarkers(Napi::Env env, const std::vector<Marker>& markers) {
  Napi::Array list = Napi::Array::New(env, markers.size());
  for (uint32_t i = 0; i < markers.size(); ++i) {
    Napi::Object marker = Napi::Object::New(env);
    marker.Set("kind", nameOf(markers[i].kind));
    marker.Set("event", number(env, markers[i].event));
    marker.Set("bytes", number(env, static_cast<double>(markers[i].bytes)));
    marker.Set("count", number(env, markers[i].count));
    list[i] = marker;
  }
  return list;
}

Napi::Value expressConsumers(Napi::Env env, const std::vector<Consumer>& consumers) {
  Napi::Array list = Napi::Array::New(env, consumers.size());
  for (uint32_t i = 0; i < consumers.size(); ++i) {
    Napi::Object consumer = Napi::Object::New(env);
    consumer.Set("stack", rowOrNull(env, consumers[i].stack));
    consumer.Set("bytes", whole(env, consumers[i].bytes));
    consumer.Set("count", number(env, static_cast<double>(consumers[i].count)));
    consumer.Set("firstBlock", number(env, consumers[i].firstBlock));
    list[i] = consumer;
  }
  return list;
}

Napi::Value expressSites(Napi::Env env, const std::vector<Site>& sites) {
  Napi::Array list = Napi::Array::New(env, sites.size());
  for (uint32_t i = 0; i < sites.size(); ++i) {
    Napi::Object site = Napi::Object::New(env);
    site.Set("name", text(env, sites[i].name));
    site.Set("function", text(env, sites[i].function));
    site.Set("kind", text(env, sites[i].kind));
    site.Set("bytesAtPeak", number(env, static_cast<double>(sites[i].bytesAtPeak)));
    list[i] = site;
  }
  return list;
}

Napi::Value expressExtremes(Napi::Env env, const Extremes& extremes) {
  constexpr uint32_t kCounters = 4;
  Napi::Array rows = Napi::Array::New(env, kRegionCount + 1);
  for (uint32_t region = 0; region <= kAllRegions; ++region) {
    Napi::Array peaks = Napi::Array::New(env, kCounters);
    Napi::Array finals = Napi::Array::New(env, kCounters);
    for (uint32_t counter = 0; counter < kCounters; ++counter) {
      peaks[counter] = expressPeak(env, extremes.peak[region][counter]);
      finals[counter] = whole(env, extremes.final[region][counter]);
    }
    Napi::Object row = Napi::Object::New(env);
    row.Set("peak", peaks);
    row.Set("final", finals);
    rows[region] = row;
  }
  return rows;
}

}  // namespace strata::binding
