#include "capture/annotations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

#include "capture/clock.h"

namespace strata {
namespace {

constexpr int64_t kNsPerUs = 1000;

struct TimeSpan {
  int64_t first = 0;
  int64_t last = 0;
};

/// From the first to the last thing that has a time.
TimeSpan spanOf(const Trace& trace) {
  TimeSpan span;
  for (const Device& device : trace.devices) {
    if (!device.events.time.empty()) span.last = std::max(span.last, device.events.time.back());
  }
  for (const Annotation& annotation : trace.annotations) {
    if (annotation.hasBegin) span.first = std::min(span.first, annotation.begin);
    if (annotation.hasBegin) span.last = std::max(span.last, annotation.begin);
    if (annotation.hasEnd) span.first = std::min(span.first, annotation.end);
    if (annotation.hasEnd) span.last = std::max(span.last, annotation.end);
  }
  return span;
}

/// Lanes of one device; its annotations are sorted by begin. O(n log n).
void giveLanes(std::span<Annotation> annotations) {
  using End = std::pair<int64_t, uint16_t>;
  constexpr uint16_t kLastLane = 0xffff;
  std::priority_queue<End, std::vector<End>, std::greater<>> busy;
  std::priority_queue<uint16_t, std::vector<uint16_t>, std::greater<>> free;
  uint16_t lanes = 0;
  for (Annotation& annotation : annotations) {
    for (; !busy.empty() && busy.top().first <= annotation.begin; busy.pop()) free.push(busy.top().second);
    if (!free.empty()) {
      annotation.depth = free.top();
      free.pop();
    } else {
      annotation.depth = lanes;
      if (lanes < kLastLane) ++lanes;
    }
    if (annotation.depth < kLastLane) busy.push({annotation.end, annotation.depth});
  }
}

Annotation openAnnotation(const StagedAnnotation& side, int64_t time) {
  Annotation annotation;
  annotation.name = side.name;
  annotation.device = static_cast<int>(
      std::clamp<int64_t>(side.device, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  annotation.begin = annotation.end = time;
  annotation.hasBegin = side.isStart;
  annotation.hasEnd = !side.isStart;
  return annotation;
}

}  // namespace

uint64_t pairAnnotations(std::span<const StagedAnnotation> sides, Trace& trace) {
  uint64_t leftOut = 0;
  std::map<std::pair<int, uint32_t>, std::vector<size_t>> open;
  for (const StagedAnnotation& side : sides) {
    if (!isUsableTime(side.timeUs) || side.name == kNone) {
      ++leftOut;
      continue;
    }
    const Annotation annotation = openAnnotation(side, side.timeUs * kNsPerUs - trace.originNs);
    std::vector<size_t>& waiting = open[{annotation.device, annotation.name}];
    if (!side.isStart && !waiting.empty()) {
      Annotation& started = trace.annotations[waiting.back()];
      started.end = std::max(started.begin, annotation.begin);
      started.hasEnd = true;
      waiting.pop_back();
      continue;
    }
    if (side.isStart) waiting.push_back(trace.annotations.size());
    trace.annotations.push_back(annotation);
  }

  const TimeSpan span = spanOf(trace);
  for (Annotation& annotation : trace.annotations) {
    if (!annotation.hasBegin) annotation.begin = span.first;
    if (!annotation.hasEnd) annotation.end = span.last;
  }
  std::stable_sort(trace.annotations.begin(), trace.annotations.end(),
                   [](const Annotation& a, const Annotation& b) {
                     if (a.device != b.device) return a.device < b.device;
                     return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
                   });
  for (size_t first = 0; first < trace.annotations.size();) {
    size_t last = first;
    while (last < trace.annotations.size() &&
           trace.annotations[last].device == trace.annotations[first].device) {
      ++last;
    }
    giveLanes({trace.annotations.data() + first, last - first});
    first = last;
  }
  return leftOut;
}

}  // namespace strata
