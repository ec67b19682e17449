#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "capture/protobuf/wire.h"

namespace strata::protobuf {

/// One plane of an XSpace: a host or a device, with what its ids are called. The profiler of TensorFlow, JAX
/// and PyTorch/XLA writes one file a host.
///
///   XSpace  1 planes                     XPlane  2 name · 3 lines · 4 event names · 5 stat names
///   XLine   2 name · 3 timestamp_ns · 4 events · 11 display name
///   XEvent  1 name id · 2 offset_ps · 3 duration_ps · 4 stats
///   XStat   1 name id · 2 double · 3 uint64 · 4 int64 · 5 text · 6 bytes · 7 id of a name that is the text
/// Source: tsl/profiler/protobuf/xplane.proto.
struct Plane {
  std::string_view name;
  std::unordered_map<uint64_t, std::string_view> eventNames, statNames;
  Field whole;
  bool isDamaged = false;
  uint64_t damagedAt = 0;
};

struct Line {
  std::string_view name;
  int64_t timestampNs = 0;
  Field whole;
};

struct Event {
  uint64_t name = 0;
  int64_t offsetPs = 0;
  int64_t durationPs = 0;
  Field whole;
};

/// A value with the name it goes by; texts come as texts, whichever way they are written.
struct Stat {
  std::string_view name;
  Field value;
  std::string_view text;
};

/// Reads a plane's name and tables; its lines are left for later, as their names come behind them.
Plane readPlane(const Field& field);

/// Calls `use` for each line, event or stat; what is damaged ends the list.
void eachLine(const Plane& plane, const std::function<void(const Line&)>& use);
/// `wants`: whether events of this name are of interest; the others cost a few bytes' reading each.
void eachEvent(const Line& line, const std::function<bool(uint64_t)>& wants,
               const std::function<void(const Event&)>& use);
void eachStat(const Plane& plane, const Event& event, const std::function<void(const Stat&)>& use);

}  // namespace strata::protobuf
