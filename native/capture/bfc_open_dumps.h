#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/bfc_dump.h"

namespace strata::bfc {

/// "GPU_0_bfc", or "an allocator without a name".
std::string describe(const Dump& dump);

/// The dumps whose lines are still coming in. Several threads may write at once, and of all lines only the
/// failure and the title name their allocator; a chunk goes to the dump whose last chunk it touches, a
/// statement to the dump that it fits.
class OpenDumps {
 public:
  explicit OpenDumps(LogWarnings& warnings) : warnings_(warnings) {}

  using Closed = std::vector<std::unique_ptr<Dump>>;
  /// Takes a line of a dump; answers the dumps that it ended.
  Closed take(const Message& message, const Place& place);
  /// A line that is none: an empty one ends a block of statistics.
  void endStats(bool isEmptyLine);
  Closed closeNamed(std::string_view allocator);
  Closed closeAll();
  bool isEmpty() const { return dumps_.empty(); }

 private:
  static constexpr size_t kMost = 16;  ///< open at once; the oldest is closed for a new one
  Dump& begin(std::string_view allocator, const Place& place);
  void close(const Dump* dump);
  void takeFailure(const Failure& failure);
  void takeTitle(const Title& title);
  void takeBin(const Bin& bin);
  void takeWanted(const WantedBin& wanted);
  void takeRegion(const RegionStart& region);
  void takeChunk(const Chunk& chunk);
  void takeSize(const SizeCount& size);
  void takeSum(const SumTotal& sum);
  void takeTotals(const PoolTotals& totals);
  void takeStat(const Stat& stat);
  void takeOccupancy(const Occupancy& occupancy);
  bool isRepeated(const Failure& failure);
  bool isRepeated(const StatedBin& bin);
  void assignStats();
  /// The latest dump that fits.
  template <typename Fits>
  Dump* latest(Fits&& fits);
  /// Of the dumps that fit and got a line lately, the one that has waited longest; otherwise the latest.
  /// Threads that write at once take turns.
  template <typename Fits>
  Dump* waiting(Fits&& fits);

  LogWarnings& warnings_;
  std::vector<std::unique_ptr<Dump>> dumps_;
  Closed closed_;
  std::map<std::string, std::pair<uint64_t, int64_t>> stats_;
  bool isInStats_ = false;
  Place place_;
};

}  // namespace strata::bfc
