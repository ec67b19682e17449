#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/bfc_message.h"
#include "capture/live_blocks.h"
#include "capture/log_warnings.h"

namespace strata::bfc {

/// Where a message stands and when it was written.
struct Place {
  int64_t line = 0;
  std::optional<int64_t> time;  ///< ns, see log_clock.h
  uint64_t byte = 0;            ///< of the line
};

struct DumpChunk {
  uint64_t address = 0, size = 0;
  bool isInUse = false, isPending = false, isCentralGap = false;
  std::string op;
  uint32_t region = 0;  ///< which of the dump's regions, in the order of its lines
  int64_t line = 0;
  bool isLeftOut = false;  ///< another line contradicts it
  uint64_t end() const { return address + size; }
};

/// Chunks that touch, from `address` on. A region that was printed whole is one run; where lines are missing
/// it is several, and what lies between them is not known.
struct DumpRun {
  uint64_t address = 0, bytes = 0;
  size_t firstChunk = 0, chunkCount = 0;
};

/// A statement that is compared with what the chunks add up to.
struct StatedBin {
  uint64_t size = 0, chunks = 0, inUse = 0;
  std::string bytes, bytesInUse, requested;
  int64_t line = 0;
};
struct StatedSize {
  uint64_t count = 0, size = 0;
  int64_t line = 0;
};

/// One state of one allocator, as its lines come in.
///
///   failure, title, bins, wanted bin, regions with their chunks, sizes, sum, totals, statistics, occupancy
///
/// Any of it may be missing: the log was cut, shortened by hand, or written by a version that has it not.
/// Lines may contradict each other, because some are damaged or come twice: of two chunks that overlap the
/// later one counts, and a chunk that does not fit into its region with the others is left out.
class Dump {
 public:
  Dump(std::string allocator, const Place& place) : allocator(std::move(allocator)), place(place) {}

  void addRegion(const RegionStart& region, int64_t line, LogWarnings& warnings);
  void addChunk(const Chunk& chunk, int64_t line, LogWarnings& warnings);
  /// Whether the chunk goes on where the last one ended.
  bool isFollowedBy(const Chunk& chunk) const;
  /// Whether it was listed before, just so.
  bool lists(const Chunk& chunk) const;
  /// Whether the first chunk of a region is still to come.
  bool isRegionAnnounced() const { return !isPastChunks && isRegionOpen_; }
  bool expectsRegion() const { return !isPastChunks && !isInsideRegion(); }
  /// To be called once, after the last line: sorts the chunks by address into runs, and warns of what is
  /// missing.
  void close(LogWarnings& warnings);

  uint64_t bytesInRuns() const;
  uint64_t bytesInUse() const;

  std::string allocator;
  Place place;
  bool hasFailed = false;
  std::optional<uint64_t> rounded;  ///< the request, when its exact size is stated
  double roundedAbout = 0;          ///< otherwise what the unit allows to say
  std::string requestText, op;
  std::vector<DumpRun> runs;  ///< by address; complete after close()
  std::vector<DumpChunk> chunks;
  std::vector<StatedBin> bins;
  std::vector<StatedSize> sizes;
  std::map<std::string, std::pair<uint64_t, int64_t>> stats;  ///< with their line
  std::optional<PoolTotals> totals;
  int64_t totalsLine = 0;
  std::string sumText;
  int64_t sumLine = 0;
  std::string occupancy;
  int64_t occupancyLine = 0;
  bool isPastChunks = false;  ///< the summary has begun
  bool isPastStats = false;
  bool isWhole = true;  ///< every region is known from its first to its last byte
  int64_t lastLine = 0;

 private:
  struct StatedRegion {
    std::optional<uint64_t> size;  ///< nothing where no line states it
    int64_t line = 0;
    uint64_t held = 0;  ///< in its chunks
  };
  /// A chunk that should begin at an address, and between which lines.
  struct Gap {
    uint64_t address = 0;
    int64_t after = 0, line = 0;
  };
  bool isFull() const { return regions_.back().size && regions_.back().held >= *regions_.back().size; }
  bool isInsideRegion() const { return !regions_.empty() && regions_.back().size && !isFull(); }
  void beginRegionOf(const Chunk& chunk, int64_t line, LogWarnings& warnings);
  void leaveOut(DumpChunk& chunk, const char* code, const std::string& why, LogWarnings& warnings);
  std::vector<uint32_t> keptByRegion() const;
  void fitRegions(LogWarnings& warnings);
  void fit(const uint32_t* rows, size_t count, LogWarnings& warnings);
  void leaveOutCutSizes(LogWarnings& warnings);
  void layRuns();
  void warnOfMissing(LogWarnings& warnings);

  std::vector<StatedRegion> regions_;
  std::vector<Gap> gaps_;
  LiveBlocks listed_;          ///< the chunks that are not left out
  bool isRegionOpen_ = false;  ///< its first chunk is still to come
  uint64_t end_ = 0;           ///< where the next chunk should begin
};

}  // namespace strata::bfc
