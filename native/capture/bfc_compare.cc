#include "capture/bfc_compare.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "capture/possible_memory.h"
#include "capture/text.h"
#include "capture/text_scanner.h"

namespace strata::bfc {
namespace {

constexpr size_t kCharacters = 100;
constexpr int kBins = 21;
constexpr uint64_t kSmallest = 256;

struct BinSums {
  uint64_t chunks = 0, inUse = 0, bytes = 0, bytesInUse = 0;
};

int binOf(uint64_t size) {
  return std::min(kBins - 1, static_cast<int>(std::bit_width(std::max(size, kSmallest) / kSmallest)) - 1);
}

template <typename Visit>
void forEachChunk(const Dump& dump, Visit&& visit) {
  for (const DumpRun& run : dump.runs) {
    for (size_t i = run.firstChunk; i < run.firstChunk + run.chunkCount; ++i) visit(run, dump.chunks[i]);
  }
}

std::optional<HumanBytes> human(const std::string& text) {
  const Message message = parseMessage("Sum Total of in-use chunks: " + text);
  const auto* sum = std::get_if<SumTotal>(&message);
  if (sum == nullptr) return std::nullopt;
  return sum->bytes;
}

bool standsFor(const std::string& text, uint64_t bytes) {
  const auto size = human(text);
  return !size || size->standsFor(bytes);
}

void differs(LogWarnings& warnings, const char* code, const std::string& what, const std::string& stated,
             const std::string& found, int64_t line) {
  warnings.add(code, what + " is stated as " + stated + ", but the chunks give " + found + ".", line);
}

/// In 2017 the bins listed the free chunks only: none is ever in use.
bool listsOnlyFree(const Dump& dump) {
  return std::all_of(dump.bins.begin(), dump.bins.end(), [](const StatedBin& bin) { return bin.inUse == 0; });
}

/// What the chunks add up to by bin.
std::array<BinSums, kBins> sumsOf(const Dump& dump, bool isOnlyFree) {
  std::array<BinSums, kBins> sums{};
  forEachChunk(dump, [&](const DumpRun&, const DumpChunk& chunk) {
    if (chunk.isCentralGap || (isOnlyFree && chunk.isInUse)) return;
    BinSums& bin = sums[static_cast<size_t>(binOf(chunk.size))];
    ++bin.chunks;
    bin.bytes += chunk.size;
    if (!chunk.isInUse) return;
    ++bin.inUse;
    bin.bytesInUse += chunk.size;
  });
  return sums;
}

std::map<uint64_t, uint64_t> inUseBySize(const Dump& dump) {
  std::map<uint64_t, uint64_t> counts;
  forEachChunk(dump, [&](const DumpRun&, const DumpChunk& chunk) {
    if (chunk.isInUse) ++counts[chunk.size];
  });
  return counts;
}

void compareBins(const Dump& dump, LogWarnings& warnings) {
  const std::array<BinSums, kBins> sums = sumsOf(dump, listsOnlyFree(dump));
  for (const StatedBin& stated : dump.bins) {
    const BinSums& sum = sums[static_cast<size_t>(binOf(stated.size))];
    const std::string bin = "Bin (" + grouped(stated.size) + ")";
    if (stated.chunks != sum.chunks || stated.inUse != sum.inUse) {
      differs(warnings, "bfc-bin-differs", bin,
              counted(stated.chunks, "chunk", "chunks") + ", " + grouped(stated.inUse) + " in use",
              counted(sum.chunks, "chunk", "chunks") + ", " + grouped(sum.inUse) + " in use", stated.line);
    } else if (!standsFor(stated.bytes, sum.bytes)) {
      differs(warnings, "bfc-bin-differs", bin, stated.bytes, grouped(sum.bytes) + " bytes", stated.line);
    } else if (!standsFor(stated.bytesInUse, sum.bytesInUse)) {
      differs(warnings, "bfc-bin-differs", bin, stated.bytesInUse + " in use",
              grouped(sum.bytesInUse) + " bytes", stated.line);
    }
  }
}

void compareSizes(const Dump& dump, LogWarnings& warnings) {
  const std::map<uint64_t, uint64_t> counts = inUseBySize(dump);
  for (const StatedSize& stated : dump.sizes) {
    const auto found = counts.find(stated.size);
    const uint64_t count = found == counts.end() ? 0 : found->second;
    if (count == stated.count) continue;
    differs(warnings, "bfc-size-differs", "The number of chunks of " + grouped(stated.size) + " bytes in use",
            grouped(stated.count), grouped(count), stated.line);
  }
}

void compareTotals(const Dump& dump, LogWarnings& warnings) {
  const uint64_t inUse = dump.bytesInUse(), pool = dump.bytesInRuns();
  if (!dump.sumText.empty() && !standsFor(dump.sumText, inUse))
    differs(warnings, "bfc-sum-differs", "The sum of chunks in use", dump.sumText, grouped(inUse) + " bytes",
            dump.sumLine);
  if (const auto stated = dump.stats.find("InUse"); stated != dump.stats.end()) {
    if (stated->second.first != inUse)
      differs(warnings, "bfc-sum-differs", "InUse", grouped(stated->second.first), grouped(inUse),
              stated->second.second);
  }
  if (dump.totals && dump.totals->pool != pool)
    differs(warnings, "bfc-sum-differs", "The size of the pool", grouped(dump.totals->pool), grouped(pool),
            dump.totalsLine);
}

/// Whether a printed line and ours agree where both can tell: an "x" is a chunk in use, too.
bool agrees(std::string_view printed, std::string_view ours) {
  return std::equal(printed.begin(), printed.end(), ours.begin(), ours.end(),
                    [](char one, char other) { return (one == '_') == (other == '_'); });
}

void compareOccupancy(const Dump& dump, LogWarnings& warnings) {
  if (dump.occupancy.empty()) return;
  const std::string ours = occupancyOf(dump);
  if (!ours.empty() && !agrees(dump.occupancy, ours))
    warnings.add("bfc-occupancy-differs",
                 "The allocator's own picture of its memory differs from the one that its chunks give.",
                 dump.occupancyLine);
}

/// "03" for a name that sorts by number.
std::string twoDigits(size_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

using Table = std::vector<std::pair<std::string, std::string>>;

void appendBins(const Dump& dump, Table& table) {
  const std::array<BinSums, kBins> sums = sumsOf(dump, false);
  for (size_t bin = 0; bin < kBins; ++bin) {
    const auto stated = std::find_if(dump.bins.begin(), dump.bins.end(), [&](const StatedBin& one) {
      return static_cast<size_t>(binOf(one.size)) == bin;
    });
    const bool isStated = stated != dump.bins.end() && stated->chunks != 0;
    const BinSums& sum = sums[bin];
    std::string text;
    if (dump.isWhole && sum.chunks != 0) {
      text = counted(sum.chunks, "chunk", "chunks") + ", " + grouped(sum.inUse) + " in use; " +
             grouped(sum.bytes) + " bytes, " + grouped(sum.bytesInUse) + " in use";
    } else if (!dump.isWhole && isStated) {
      text = counted(stated->chunks, "chunk", "chunks") + ", " + grouped(stated->inUse) + " in use; " +
             stated->bytes + ", " + stated->bytesInUse + " in use";
    }
    if (text.empty()) continue;
    if (isStated && stated->inUse != 0) text += ", of which " + stated->requested + " were requested";
    table.emplace_back("bin_" + twoDigits(bin) + "_from_" + std::to_string(kSmallest << bin), text);
  }
}

/// The sizes that hold most, largest first.
void appendSizes(const Dump& dump, Table& table) {
  constexpr size_t kMostSizes = 20;
  std::vector<std::pair<uint64_t, uint64_t>> totals;  // total, size
  const std::map<uint64_t, uint64_t> counts = inUseBySize(dump);
  for (const auto& [size, count] : counts) totals.emplace_back(size * count, size);
  std::sort(totals.rbegin(), totals.rend());
  totals.resize(std::min(totals.size(), kMostSizes));
  for (size_t rank = 0; rank < totals.size(); ++rank) {
    const auto [total, size] = totals[rank];
    table.emplace_back("in_use_" + twoDigits(rank + 1), counted(counts.at(size), "chunk", "chunks") + " of " +
                                                            grouped(size) + " bytes, " + grouped(total) +
                                                            " bytes");
  }
}

}  // namespace

Table tablesOf(const Dump& dump) {
  Table table;
  appendBins(dump, table);
  appendSizes(dump, table);
  const std::string occupancy = dump.occupancy.empty() && dump.isWhole ? occupancyOf(dump) : dump.occupancy;
  if (!occupancy.empty()) table.emplace_back("occupancy", occupancy);
  return table;
}

std::string occupancyOf(const Dump& dump) {
  const uint64_t total = dump.bytesInRuns();
  if (total == 0 || total > kAddressSpace) return {};  // a hundred times as much still fits
  std::string line(kCharacters, '_');
  uint64_t before = 0;
  const DumpRun* last = nullptr;
  forEachChunk(dump, [&](const DumpRun& run, const DumpChunk& chunk) {
    if (last != nullptr && last != &run) before += last->bytes;
    last = &run;
    if (!chunk.isInUse) return;
    const uint64_t offset = chunk.address - run.address + before;
    const size_t from = offset * kCharacters / total;
    const size_t to = (offset + chunk.size - 1) * kCharacters / total;
    for (size_t i = from; i <= to; ++i) line[i] = '*';
  });
  return line;
}

bool isOccupancyOf(std::string_view printed, const Dump& dump) { return agrees(printed, occupancyOf(dump)); }

void compareStatements(const Dump& dump, LogWarnings& warnings) {
  if (!dump.isWhole || dump.chunks.empty()) return;  // what is missing has been said
  compareBins(dump, warnings);
  compareSizes(dump, warnings);
  compareTotals(dump, warnings);
  compareOccupancy(dump, warnings);
}

}  // namespace strata::bfc
