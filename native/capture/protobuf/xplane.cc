#include "capture/protobuf/xplane.h"

namespace strata::protobuf {
namespace {

/// Entry of a map: 1 the key, 2 the metadata (1 id, 2 name).
void addName(const Field& entry, std::unordered_map<uint64_t, std::string_view>& names) {
  uint64_t id = 0;
  std::string_view name;
  Message pair(entry);
  for (Field field; pair.next(field);) {
    if (field.is(1, Wire::Varint)) id = field.value;
    if (!field.is(2, Wire::Bytes)) continue;
    Message metadata(field);
    for (Field inner; metadata.next(inner);) {
      if (inner.is(2, Wire::Bytes)) name = inner.bytes;
    }
  }
  names.emplace(id, name);
}

Line readLine(const Field& whole) {
  Line line;
  line.whole = whole;
  std::string_view displayName;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(2, Wire::Bytes)) line.name = field.bytes;
    if (field.is(11, Wire::Bytes)) displayName = field.bytes;
    if (field.is(3, Wire::Varint)) line.timestampNs = field.integer();
  }
  if (line.name.empty()) line.name = displayName;
  return line;
}

}  // namespace

Plane readPlane(const Field& whole) {
  Plane plane;
  plane.whole = whole;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(2, Wire::Bytes)) plane.name = field.bytes;
    if (field.is(4, Wire::Bytes)) addName(field, plane.eventNames);
    if (field.is(5, Wire::Bytes)) addName(field, plane.statNames);
  }
  plane.isDamaged = message.isDamaged();
  plane.damagedAt = message.position();
  return plane;
}

void eachLine(const Plane& plane, const std::function<void(const Line&)>& use) {
  Message message(plane.whole);
  for (Field field; message.next(field);) {
    if (field.is(3, Wire::Bytes)) use(readLine(field));
  }
}

void eachEvent(const Line& line, const std::function<bool(uint64_t)>& wants,
               const std::function<void(const Event&)>& use) {
  Message message(line.whole);
  for (Field field; message.next(field);) {
    if (!field.is(4, Wire::Bytes)) continue;
    Event event;
    event.whole = field;
    Message inner(field);
    bool isWanted = wants(0);  // what an event without a name id is called
    for (Field part; inner.next(part);) {
      if (part.is(1, Wire::Varint)) isWanted = wants(event.name = part.value);
      if (part.number > 1 && !isWanted) break;
      if (part.is(2, Wire::Varint)) event.offsetPs = part.integer();
      if (part.is(3, Wire::Varint)) event.durationPs = part.integer();
    }
    if (isWanted) use(event);
  }
}

void eachStat(const Plane& plane, const Event& event, const std::function<void(const Stat&)>& use) {
  const auto nameOf = [&](uint64_t id) {
    const auto found = plane.statNames.find(id);
    return found == plane.statNames.end() ? std::string_view{} : found->second;
  };
  Message message(event.whole);
  for (Field field; message.next(field);) {
    if (!field.is(4, Wire::Bytes)) continue;
    Stat stat;
    Message inner(field);
    for (Field part; inner.next(part);) {
      if (part.is(1, Wire::Varint)) stat.name = nameOf(part.value);
      if (part.number < 2 || part.number > 7) continue;
      stat.value = part;
      if (part.wire == Wire::Bytes) stat.text = part.bytes;
      if (part.is(7, Wire::Varint)) stat.text = nameOf(part.value);
    }
    use(stat);
  }
}

}  // namespace strata::protobuf
