#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "analysis/consumers.h"
#include "analysis/difference.h"
#include "analysis/index.h"
#include "analysis/markers.h"
#include "binding/opened_trace.h"
#include "binding/state_columns.h"

namespace strata::binding {

// Results as JavaScript values; their shapes are declared in main/engine/native.ts.

Napi::Value expressSeries(Napi::Env env, const SeriesWindow& series);
Napi::Value expressLive(Napi::Env env, const LiveWindow& live);
Napi::Value expressMap(Napi::Env env, const MapWindow& map);
Napi::Value expressRanges(Napi::Env env, const std::vector<FoldedRange>& ranges);

Napi::Value expressState(Napi::Env env, const StateColumns& state);
Napi::Value expressHit(Napi::Env env, const Hit& hit);
Napi::Value expressMoment(Napi::Env env, const Moment& moment);
Napi::Value expressMarkers(Napi::Env env, const std::vector<Marker>& markers);
Napi::Value expressConsumers(Napi::Env env, const std::vector<Consumer>& consumers);
Napi::Value expressSites(Napi::Env env, const std::vector<Site>& sites);
Napi::Value expressExtremes(Napi::Env env, const Extremes& extremes);

Napi::Value expressCounters(Napi::Env env, const Trace& trace);
Napi::Value expressColumns(Napi::Env env, const SeriesColumns& columns);

/// A difference over a window.
struct DifferenceWindow {
  std::shared_ptr<const IndexedDifference> whole;
  SeriesColumns columns;
};
Napi::Value expressDifference(Napi::Env env, const DifferenceWindow& window);

Napi::Value expressFacts(Napi::Env env, const OpenedTrace& opened);
Napi::Value expressAnnotations(Napi::Env env, const OpenedTrace& opened, size_t device);
Napi::Value expressBlock(Napi::Env env, const OpenedTrace& opened, size_t device, uint32_t row);
Napi::Value expressSegment(Napi::Env env, const OpenedTrace& opened, size_t device, uint32_t row);
Napi::Value expressEvent(Napi::Env env, const OpenedTrace& opened, size_t device, uint32_t row);
Napi::Value expressFrames(Napi::Env env, const Trace& trace, uint32_t stack);

}  // namespace strata::binding
