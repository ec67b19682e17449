#include "capture/bfc_dump.h"

#include <algorithm>

#include "capture/possible_memory.h"
#include "capture/text.h"

namespace strata::bfc {

void Dump::addRegion(const RegionStart& region, int64_t line, LogWarnings& warnings) {
  closeRegion(line, warnings);
  stated_ = region.size;
  heldInRegion_ = 0;
  isRegionOpen_ = true;
  regionLine_ = line;
  lastLine = line;
}

bool Dump::isFollowedBy(const Chunk& chunk) const {
  return !isPastChunks && !isRegionOpen_ && !chunks.empty() && chunk.address == end_;
}

void Dump::addChunk(const Chunk& chunk, int64_t line, LogWarnings& warnings) {
  if (chunk.size == 0 || !isPossibleExtent(chunk.address, chunk.size)) {
    warnings.add("bfc-chunk-impossible",
                 "Left out, because no chunk has this size and address: \"" + grouped(chunk.size) +
                     " bytes at " + hexadecimal(chunk.address) + "\".",
                 line, true);
    isWhole = false;
    return;
  }
  const bool isNext = !isRegionOpen_ && !runs.empty() && chunk.address == end_;
  const bool isNewRegion = isRegionOpen_ || (!stated_ && !isNext);
  if (!isNext && !isNewRegion) {
    warnings.add("bfc-lines-missing",
                 "The log is damaged after line " + grouped(static_cast<uint64_t>(lastLine)) +
                     ": the chunk at " + hexadecimal(end_) + " is missing, and perhaps more.",
                 line, true);
    isWhole = false;
  }
  if (!isNext) runs.push_back({chunk.address, 0, chunks.size(), 0});
  DumpRun& run = runs.back();
  run.bytes += chunk.size;
  ++run.chunkCount;
  chunks.push_back(
      {chunk.address, chunk.size, chunk.isInUse, chunk.isPending, chunk.isCentralGap, std::string(chunk.op)});
  isRegionOpen_ = false;
  heldInRegion_ += std::min(chunk.size, kAddressSpace - heldInRegion_);
  end_ = chunk.address + chunk.size;
  lastLine = line;
}

void Dump::closeRegion(int64_t line, LogWarnings& warnings) {
  if (!stated_ || heldInRegion_ == *stated_) return;
  isWhole = false;
  warnings.add("bfc-region-differs",
               "The chunks of the region of " + grouped(*stated_) + " bytes add up to " +
                   grouped(heldInRegion_) + ": lines are missing after it.",
               regionLine_ != 0 ? regionLine_ : line, true);
}

void Dump::close(LogWarnings& warnings) {
  closeRegion(lastLine, warnings);
  stated_.reset();
  std::vector<size_t> order(runs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return runs[a].address < runs[b].address; });
  std::vector<DumpRun> kept;
  uint64_t end = 0, overlapping = 0;
  for (const size_t i : order) {
    if (!kept.empty() && runs[i].address < end) {
      ++overlapping;
      continue;
    }
    kept.push_back(runs[i]);
    end = runs[i].address + runs[i].bytes;
  }
  runs = std::move(kept);
  if (overlapping == 0) return;
  isWhole = false;
  warnings.add("bfc-chunks-overlap",
               "Left out, because they lie where other chunks are: " +
                   counted(overlapping, "run of chunks", "runs of chunks") + ".",
               place.line, true);
}

uint64_t Dump::bytesInRuns() const {
  uint64_t bytes = 0;
  for (const DumpRun& run : runs) bytes += run.bytes;
  return bytes;
}

uint64_t Dump::bytesInUse() const {
  uint64_t bytes = 0;
  for (const DumpRun& run : runs) {
    for (size_t i = run.firstChunk; i < run.firstChunk + run.chunkCount; ++i)
      if (chunks[i].isInUse) bytes += chunks[i].size;
  }
  return bytes;
}

}  // namespace strata::bfc
