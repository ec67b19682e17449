#include "allocator/what_if/recorded_start.h"

#include <algorithm>
#include <map>

namespace strata::what_if {
namespace {

class Builder {
 public:
  Builder(const Device& device, const RecordedRequests& requests)
      : device_(device), segments_(device.segments), requests_(requests) {
    for (size_t row = 0; row < segments_.count(); ++row) {
      if (segments_.isExpandable[row] == 0) continue;
      uint64_t& base = bases_.try_emplace(segments_.range[row], segments_.address[row]).first->second;
      base = std::min(base, segments_.address[row]);
    }
  }

  RecordedStart build() {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < segments_.count(); ++row)
      if (segments_.birth[row] == kBeforeFirst) rows.push_back(row);
    std::sort(rows.begin(), rows.end(),
              [&](uint32_t a, uint32_t b) { return segments_.address[a] < segments_.address[b]; });
    for (const uint32_t row : rows) addSegment(row);
    addBlocks();
    return std::move(start_);
  }

 private:
  /// Pieces of one range that touch are one run.
  void addSegment(uint32_t row) {
    const bool isExpandable = segments_.isExpandable[row] != 0;
    const uint64_t base = isExpandable ? bases_.at(segments_.range[row]) : 0;
    auto& known = start_.layout.segments;
    const bool isContinued = isExpandable && !known.empty() && start_.rangeBase.back() == base &&
                             known.back().address + known.back().bytes == segments_.address[row];
    if (isContinued) {
      known.back().bytes += segments_.bytes[row];
      return;
    }
    const uint16_t pool = segments_.pool[row];
    const bool isPrivate =
        pool < device_.pools.size() && device_.pools[pool] != std::pair<int64_t, int64_t>{};
    known.push_back({.address = segments_.address[row],
                     .bytes = segments_.bytes[row],
                     .stream = requests_.streamRank.at(segments_.stream[row]),
                     .pool = isPrivate ? pool + 1u : 0u,
                     .region = segments_.region[row],
                     .isLarge = segments_.isLarge[row] != 0,
                     .isExpandable = isExpandable});
    start_.rangeBase.push_back(base);
  }

  void addBlocks() {
    size_t segment = 0;
    const auto& operations = requests_.trace.operations;
    for (size_t at = 0; at < requests_.olderOperations; ++at) {
      if (operations[at].kind != RequestTrace::Operation::Kind::Allocate) continue;
      const uint32_t row = requests_.block[operations[at].request];
      const uint64_t address = device_.blocks.address[row];
      auto& segments = start_.layout.segments;
      while (segment < segments.size() && segments[segment].address + segments[segment].bytes <= address)
        ++segment;
      if (segment == segments.size()) return;
      LayoutSegment& around = segments[segment];
      if (around.blockCount == 0) around.firstBlock = static_cast<uint32_t>(start_.layout.blocks.size());
      ++around.blockCount;
      start_.layout.blocks.push_back({.address = address,
                                      .bytes = device_.blocks.bytes[row],
                                      .requested = operations[at].bytes,
                                      .state = BlockState::Allocated});
    }
  }

  const Device& device_;
  const SegmentColumns& segments_;
  const RecordedRequests& requests_;
  std::map<uint32_t, uint64_t> bases_;  ///< of each range
  RecordedStart start_;
};

}  // namespace

RecordedStart recordedStart(const Device& device, const RecordedRequests& requests) {
  return Builder(device, requests).build();
}

void takeOver(const RecordedStart& start, RecordedDevice& device) {
  for (size_t at = 0; at < start.layout.segments.size(); ++at) {
    const LayoutSegment& segment = start.layout.segments[at];
    if (segment.isExpandable) {
      device.takeOverPhysical(segment.bytes);
      device.takeOverRange(start.rangeBase[at], device.capacity() + device.capacity() / 8);
    } else {
      device.takeOver(segment.address, segment.bytes);
    }
  }
}

}  // namespace strata::what_if
