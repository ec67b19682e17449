#include "capture/nsight/pool_counters.h"

#include <map>
#include <string>
#include <tuple>

#include "capture/counter_tracks.h"
#include "capture/text.h"

namespace strata::nsight {
namespace {

struct Pool {
  uint32_t size, used;  ///< counters
  uint64_t releaseThreshold = kUnknownBytes;
  std::string name;
};

}  // namespace

void addPoolCounters(const MemoryEvents& read, const Lanes& lanes, int64_t from, Trace& trace) {
  CounterTracks tracks(trace);
  std::map<std::tuple<uint32_t, int32_t, uint64_t>, Pool> pools;
  const auto poolOf = [&](const PoolReading& reading) -> Pool* {
    const std::tuple key(reading.process, reading.device, reading.pool);
    const auto known = pools.find(key);
    if (known != pools.end()) return &known->second;
    if (pools.size() == kMostPools) return nullptr;
    const std::string group = "GPU " + std::to_string(lanes.ordinalOf(reading.process, reading.device));
    Pool pool;
    pool.name = "pool " + hexadecimal(reading.pool);
    pool.size = tracks.add(group, pool.name + " size", CounterUnit::Bytes, false);
    pool.used = tracks.add(group, pool.name + " used", CounterUnit::Bytes, false);
    return &pools.emplace(key, std::move(pool)).first->second;
  };
  for (const PoolReading& reading : read.pools) {
    Pool* pool = poolOf(reading);
    if (pool == nullptr) continue;
    const int64_t time = std::max<int64_t>(0, reading.start - from);
    const auto push = [&](uint32_t counter, uint64_t bytes) {
      if (reading.isGone) bytes = 0;
      if (bytes != kUnknownBytes) tracks.push(counter, time, static_cast<double>(bytes));
    };
    push(pool->size, reading.size);
    push(pool->used, reading.used);
    if (reading.releaseThreshold != kUnknownBytes) pool->releaseThreshold = reading.releaseThreshold;
    trace.countersEnd = std::max(trace.countersEnd, time);
  }
  for (const auto& [key, pool] : pools) {
    if (pool.releaseThreshold == kUnknownBytes) continue;
    trace.settings.emplace_back(pool.name + " release threshold", std::to_string(pool.releaseThreshold));
  }
  tracks.finish();
}

}  // namespace strata::nsight
