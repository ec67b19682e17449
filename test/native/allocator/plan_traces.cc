#include "allocator/plan_traces.h"

#include <cmath>
#include <random>

namespace strata::test {

using Operation = RequestTrace::Operation;

uint32_t TraceWriter::allocate(uint64_t bytes, uint32_t stream) {
  const auto request = static_cast<uint32_t>(trace.ids.size());
  trace.operations.push_back(
      {.bytes = bytes, .request = request, .stream = stream, .kind = Operation::Kind::Allocate});
  trace.ids.push_back(request);
  return request;
}

void TraceWriter::free(uint32_t request) {
  trace.operations.push_back({.request = request, .kind = Operation::Kind::Free});
}

void TraceWriter::synchronize() {
  trace.operations.push_back(
      {.request = static_cast<uint32_t>(trace.controls.size()), .kind = Operation::Kind::Control});
  trace.controls.push_back({.kind = Control::Kind::Synchronize});
}

void TraceWriter::recordStream(uint32_t request, uint32_t stream) {
  trace.operations.push_back({.request = request, .stream = stream, .kind = Operation::Kind::RecordStream});
}

namespace {

uint64_t randomSize(const TraceShape& shape, std::mt19937_64& random) {
  if (shape.hasExtremes && random() % 40 == 0) return 0;
  if (shape.hasExtremes && random() % 40 == 0) return kLargestRequest - random() % 1000;
  if (shape.hasExtremes && random() % 60 == 0) return kLargestRequest + random() % 1000;
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  return static_cast<uint64_t>(std::pow(static_cast<double>(shape.largest), unit));
}

}  // namespace

RequestTrace randomTrace(const TraceShape& shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  TraceWriter writer;
  std::vector<uint32_t> live;
  std::vector<uint64_t> before, now;
  while (writer.trace.operations.size() < shape.operations) {
    if (shape.stepLength > 0 && writer.trace.operations.size() % shape.stepLength == shape.stepLength - 1) {
      writer.synchronize();
      before.swap(now);
      now.clear();
    } else if (!live.empty() && random() % (2 * shape.live) < live.size()) {
      std::swap(live[random() % live.size()], live.back());
      writer.free(live.back());
      live.pop_back();
    } else {
      const bool isRepeated = shape.isRepeating && now.size() < before.size() && random() % 8 != 0;
      now.push_back(isRepeated ? before[now.size()] : randomSize(shape, random));
      live.push_back(writer.allocate(now.back(), static_cast<uint32_t>(random() % 3)));
    }
  }
  return std::move(writer.trace);
}

}  // namespace strata::test
