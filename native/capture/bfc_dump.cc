#include "capture/bfc_dump.h"

#include <algorithm>
#include <utility>

#include "capture/possible_memory.h"
#include "capture/text.h"

namespace strata::bfc {
namespace {

constexpr uint64_t kUnit = 256;  // every chunk is a multiple of it: kMinAllocationSize in bfc_allocator.h

std::string described(uint64_t size, uint64_t address) {
  return "the chunk of " + grouped(size) + " bytes at " + hexadecimal(address);
}

}  // namespace

void Dump::addRegion(const RegionStart& region, int64_t line, LogWarnings& warnings) {
  const bool isRepeated = isRegionOpen_ && regions_.back().size == region.size;
  if (isRepeated) {
    warnings.add("bfc-line-twice", "The line of this region stands here twice; it counts once.", line);
  } else {
    regions_.push_back({region.size, line});
  }
  isRegionOpen_ = true;
  lastLine = line;
}

bool Dump::isFollowedBy(const Chunk& chunk) const {
  return !isPastChunks && !isRegionOpen_ && !chunks.empty() && chunk.address == end_;
}

bool Dump::lists(const Chunk& chunk) const {
  uint32_t row = 0;
  return listed_.find(chunk.address, row) && chunks[row].size == chunk.size &&
         chunks[row].isInUse == chunk.isInUse;
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
  if (lists(chunk)) {
    warnings.add("bfc-line-twice",
                 "The chunk at " + hexadecimal(chunk.address) + " is listed twice; it counts once.", line);
    lastLine = line;
    return;
  }
  const auto row = static_cast<uint32_t>(chunks.size());
  listed_.insert({chunk.address, chunk.address + chunk.size, row}, [&](const LiveBlocks::Block& other) {
    leaveOut(chunks[other.row], "bfc-chunks-overlap",
             "overlaps that of line " + grouped(static_cast<uint64_t>(line)) + ", which counts", warnings);
  });
  beginRegionOf(chunk, line, warnings);
  chunks.push_back({chunk.address, chunk.size, chunk.isInUse, chunk.isPending, chunk.isCentralGap,
                    std::string(chunk.op), static_cast<uint32_t>(regions_.size() - 1), line});
  regions_.back().held += chunk.size;
  end_ = chunk.address + chunk.size;
  lastLine = line;
}

/// Which region a chunk is of; where a line seems to be missing before it is kept for the end, when all
/// chunks are known.
void Dump::beginRegionOf(const Chunk& chunk, int64_t line, LogWarnings& warnings) {
  const bool isAnnounced = std::exchange(isRegionOpen_, false);
  if (isAnnounced) return;
  if (regions_.empty()) return regions_.push_back({});
  const bool isNext = chunk.address == end_;
  if (isFull()) {
    warnings.add("bfc-lines-missing",
                 "The log is damaged after line " + grouped(static_cast<uint64_t>(lastLine)) +
                     ": the line that begins the region at " + hexadecimal(chunk.address) + " is missing.",
                 line, true);
    isWhole = false;
    return regions_.push_back({});
  }
  if (isNext) return;
  if (!regions_.back().size) return regions_.push_back({});
  if (chunk.address > end_) gaps_.push_back({end_, lastLine, line});
}

void Dump::leaveOut(DumpChunk& chunk, const char* code, const std::string& why, LogWarnings& warnings) {
  chunk.isLeftOut = true;
  regions_[chunk.region].held -= chunk.size;
  isWhole = false;
  warnings.add(code, "Left out: " + described(chunk.size, chunk.address) + " " + why + ".", chunk.line, true);
}

/// The rows that count, region by region, by address in each.
std::vector<uint32_t> Dump::keptByRegion() const {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < chunks.size(); ++row)
    if (!chunks[row].isLeftOut) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(chunks[a].region, chunks[a].address) < std::pair(chunks[b].region, chunks[b].address);
  });
  return rows;
}

/// Leaves out chunks that do not fit into the size that their region is stated to have, unless the chunks add
/// up to the stated pool and are right for that reason.
void Dump::fitRegions(LogWarnings& warnings) {
  if (totals && totals->pool == bytesInRuns()) return;
  const std::vector<uint32_t> rows = keptByRegion();
  for (size_t first = 0, end = 0; first < rows.size(); first = end) {
    const uint32_t region = chunks[rows[first]].region;
    while (end < rows.size() && chunks[rows[end]].region == region) ++end;
    if (regions_[region].size) fit(&rows[first], end - first, warnings);
  }
}

/// Of the chunks of one region, by address: as many as there are within its size are right. Others that stand
/// alone are damaged; where others touch each other, the stated size is what is damaged.
///
///   |----------- stated size -----------|
///   [   ][ ][      ][    ][             ]              [  ]  <- alone: left out
void Dump::fit(const uint32_t* rows, size_t count, LogWarnings& warnings) {
  const uint64_t size = *regions_[chunks[rows[0]].region].size;
  size_t bestFirst = 0, bestCount = 0;
  uint64_t bestBytes = 0, bytes = 0;
  for (size_t first = 0, end = 0; first < count; ++first) {
    for (; end < count && chunks[rows[end]].end() - chunks[rows[first]].address <= size; ++end)
      bytes += chunks[rows[end]].size;
    if (end == first) {  // larger than the region by itself
      ++end;
      continue;
    }
    if (std::pair(end - first, bytes) > std::pair(bestCount, bestBytes))
      bestFirst = first, bestCount = end - first, bestBytes = bytes;
    bytes -= chunks[rows[first]].size;
  }
  if (bestCount == 0 || bestCount == count) return;
  const auto isInside = [&](size_t i) { return i >= bestFirst && i < bestFirst + bestCount; };
  for (size_t i = 1; i < count; ++i) {
    if (isInside(i - 1) || isInside(i)) continue;
    if (chunks[rows[i - 1]].end() == chunks[rows[i]].address) return;
  }
  for (size_t i = 0; i < count; ++i) {
    if (isInside(i)) continue;
    leaveOut(chunks[rows[i]], "bfc-chunk-outside-region",
             "does not fit into its region of " + grouped(size) + " bytes with the others", warnings);
  }
}

/// The size of a chunk whose line breaks off is no multiple of the unit, and nothing follows where it ends.
void Dump::leaveOutCutSizes(LogWarnings& warnings) {
  const std::vector<uint32_t> rows = keptByRegion();
  for (size_t i = 0; i < rows.size(); ++i) {
    DumpChunk& chunk = chunks[rows[i]];
    if (chunk.size % kUnit == 0) continue;
    const StatedRegion& region = regions_[chunk.region];
    const bool isFollowed = i + 1 < rows.size() && chunks[rows[i + 1]].address == chunk.end();
    const bool isRight = isFollowed || (region.size && region.held == *region.size);
    if (!isRight) leaveOut(chunk, "bfc-chunk-impossible", "has a size that no chunk has", warnings);
  }
}

/// Chunks of one region that touch make a run; lines that changed places make no difference.
void Dump::layRuns() {
  std::erase_if(chunks, [](const DumpChunk& chunk) { return chunk.isLeftOut; });
  std::stable_sort(chunks.begin(), chunks.end(),
                   [](const DumpChunk& a, const DumpChunk& b) { return a.address < b.address; });
  for (size_t i = 0; i < chunks.size(); ++i) {
    const bool goesOn =
        i != 0 && chunks[i - 1].end() == chunks[i].address && chunks[i - 1].region == chunks[i].region;
    if (!goesOn) runs.push_back({chunks[i].address, 0, i, 0});
    runs.back().bytes += chunks[i].size;
    ++runs.back().chunkCount;
  }
}

void Dump::warnOfMissing(LogWarnings& warnings) {
  for (const Gap& gap : gaps_) {
    const auto after =
        std::upper_bound(chunks.begin(), chunks.end(), gap.address,
                         [](uint64_t address, const DumpChunk& chunk) { return address < chunk.address; });
    if (after != chunks.begin() && std::prev(after)->end() > gap.address) continue;
    isWhole = false;
    warnings.add("bfc-lines-missing",
                 "The log is damaged after line " + grouped(static_cast<uint64_t>(gap.after)) +
                     ": the chunk at " + hexadecimal(gap.address) + " is missing, and perhaps more.",
                 gap.line, true);
  }
  for (const StatedRegion& region : regions_) {
    if (!region.size || region.held == *region.size) continue;
    isWhole = false;
    const char* what = region.held < *region.size ? ": lines are missing after it." : ", which is more.";
    warnings.add("bfc-region-differs",
                 "The chunks of the region of " + grouped(*region.size) + " bytes add up to " +
                     grouped(region.held) + what,
                 region.line, true);
  }
}

void Dump::close(LogWarnings& warnings) {
  fitRegions(warnings);
  leaveOutCutSizes(warnings);
  layRuns();
  warnOfMissing(warnings);
  // However its lines are damaged, chunks that add up to the pool are all there is.
  if (totals && totals->pool == bytesInRuns()) isWhole = true;
}

uint64_t Dump::bytesInRuns() const {
  uint64_t bytes = 0;
  for (const DumpChunk& chunk : chunks)
    if (!chunk.isLeftOut) bytes += chunk.size;
  return bytes;
}

uint64_t Dump::bytesInUse() const {
  uint64_t bytes = 0;
  for (const DumpChunk& chunk : chunks)
    if (chunk.isInUse && !chunk.isLeftOut) bytes += chunk.size;
  return bytes;
}

}  // namespace strata::bfc
