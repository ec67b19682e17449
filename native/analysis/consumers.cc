#include "analysis/consumers.h"

#include <algorithm>
#include <unordered_map>

namespace strata {
namespace {

bool isAllocated(const BlockColumns& blocks, size_t row, EventIndex event) {
  return blocks.birth[row] <= event && event < blocks.freeRequested[row] && event < blocks.death[row];
}

bool isLarger(const Consumer& one, const Consumer& other) {
  if (one.bytes != other.bytes) return one.bytes > other.bytes;
  return one.firstBlock < other.firstBlock;
}

}  // namespace

std::vector<Consumer> consumersAt(const Device& device, EventIndex event, size_t limit) {
  const BlockColumns& blocks = device.blocks;
  std::unordered_map<uint32_t, Consumer> byStack;
  for (size_t row = 0; row < blocks.count() && blocks.birth[row] <= event; ++row) {  // sorted by birth
    if (!isAllocated(blocks, row, event)) continue;
    const auto fresh = Consumer{blocks.stack[row], 0, 0, static_cast<uint32_t>(row)};
    Consumer& consumer = byStack.try_emplace(blocks.stack[row], fresh).first->second;
    consumer.bytes += blocks.bytes[row];
    ++consumer.count;
  }
  std::vector<Consumer> consumers;
  consumers.reserve(byStack.size());
  for (const auto& [stack, consumer] : byStack) consumers.push_back(consumer);
  std::sort(consumers.begin(), consumers.end(), isLarger);
  if (consumers.size() > limit) consumers.resize(limit);
  return consumers;
}

}  // namespace strata
