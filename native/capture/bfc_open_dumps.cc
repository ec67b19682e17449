#include "capture/bfc_open_dumps.h"

#include <algorithm>
#include <utility>

#include "capture/bfc_compare.h"
#include "capture/bfc_heap.h"
#include "capture/text.h"

namespace strata::bfc {

std::string describe(const Dump& dump) {
  return dump.allocator.empty() ? "an allocator without a name" : dump.allocator;
}

template <typename Fits>
Dump* OpenDumps::latest(Fits&& fits) {
  for (auto dump = dumps_.rbegin(); dump != dumps_.rend(); ++dump)
    if (fits(**dump)) return dump->get();
  return nullptr;
}

template <typename Fits>
Dump* OpenDumps::waiting(Fits&& fits) {
  constexpr int64_t kLately = 16;
  Dump* longest = nullptr;
  for (const std::unique_ptr<Dump>& dump : dumps_) {
    if (place_.line - dump->lastLine > kLately || !fits(*dump)) continue;
    if (longest == nullptr || dump->lastLine < longest->lastLine) longest = dump.get();
  }
  return longest != nullptr ? longest : latest(fits);
}

Dump& OpenDumps::begin(std::string_view allocator, const Place& place) {
  if (dumps_.size() == kMost) close(dumps_.front().get());
  dumps_.push_back(std::make_unique<Dump>(std::string(allocator), place));
  dumps_.back()->lastLine = place.line;
  return *dumps_.back();
}

void OpenDumps::close(const Dump* dump) {
  const auto place = std::find_if(dumps_.begin(), dumps_.end(),
                                  [&](const std::unique_ptr<Dump>& one) { return one.get() == dump; });
  if (place == dumps_.end()) return;
  closed_.push_back(std::move(*place));
  dumps_.erase(place);
}

OpenDumps::Closed OpenDumps::closeNamed(std::string_view allocator) {
  assignStats();
  while (Dump* dump = latest([&](const Dump& one) { return one.allocator == allocator; })) close(dump);
  return std::exchange(closed_, {});
}

OpenDumps::Closed OpenDumps::closeAll() {
  assignStats();
  while (!dumps_.empty()) close(dumps_.front().get());
  return std::exchange(closed_, {});
}

OpenDumps::Closed OpenDumps::take(const Message& message, const Place& place) {
  place_ = place;
  if (!std::holds_alternative<Stat>(message)) assignStats();
  if (const auto* failure = std::get_if<Failure>(&message)) takeFailure(*failure);
  if (const auto* title = std::get_if<Title>(&message)) takeTitle(*title);
  if (const auto* bin = std::get_if<Bin>(&message)) takeBin(*bin);
  if (const auto* wanted = std::get_if<WantedBin>(&message)) takeWanted(*wanted);
  if (const auto* region = std::get_if<RegionStart>(&message)) takeRegion(*region);
  if (const auto* chunk = std::get_if<Chunk>(&message)) takeChunk(*chunk);
  if (const auto* size = std::get_if<SizeCount>(&message)) takeSize(*size);
  if (const auto* sum = std::get_if<SumTotal>(&message)) takeSum(*sum);
  if (const auto* totals = std::get_if<PoolTotals>(&message)) takeTotals(*totals);
  if (std::holds_alternative<StatsStart>(message)) isInStats_ = !dumps_.empty();
  if (const auto* stat = std::get_if<Stat>(&message)) takeStat(*stat);
  if (const auto* occupancy = std::get_if<Occupancy>(&message)) takeOccupancy(*occupancy);
  return std::exchange(closed_, {});
}

/// Whether the line of a failure comes once more, before anything of its dump.
bool OpenDumps::isRepeated(const Failure& failure) {
  Dump* dump = latest([&](const Dump& one) { return one.allocator == failure.allocator; });
  if (dump == nullptr || !dump->hasFailed || !dump->bins.empty() || !dump->chunks.empty()) return false;
  const bool isSameMoment = dump->place.time == place_.time && dump->lastLine + 1 == place_.line;
  if (!isSameMoment || dump->requestText != failure.requested.text || dump->op != failure.op) return false;
  warnings_.add("bfc-line-twice", "This failed request stands here twice; it counts once.", place_.line);
  dump->lastLine = place_.line;
  return true;
}

void OpenDumps::takeFailure(const Failure& failure) {
  if (isRepeated(failure)) return;
  while (Dump* older = latest([&](const Dump& one) { return one.allocator == failure.allocator; }))
    close(older);
  Dump& dump = begin(failure.allocator, place_);
  dump.hasFailed = true;
  dump.rounded = failure.rounded;
  if (!dump.rounded && failure.requested.exact()) dump.rounded = Heap::rounded(*failure.requested.exact());
  dump.roundedAbout = failure.requested.bytes();
  dump.requestText = failure.requested.text;
  dump.op = failure.op;
}

void OpenDumps::takeTitle(const Title& title) {
  Dump* announced = latest([&](const Dump& one) { return one.allocator == title.allocator; });
  if (announced != nullptr && announced->bins.empty() && announced->chunks.empty()) {
    announced->lastLine = place_.line;
    return;
  }
  if (announced != nullptr) close(announced);
  begin(title.allocator, place_);
}

/// Whether the last bin of a dump comes once more; of two that differ the later one counts.
bool OpenDumps::isRepeated(const StatedBin& bin) {
  Dump* dump = latest([&](const Dump& one) {
    return one.chunks.empty() && !one.isPastChunks && one.bins.back().size == bin.size;
  });
  if (dump == nullptr) return false;
  warnings_.add("bfc-line-twice", "Bin (" + grouped(bin.size) + ") is listed twice; the later line counts.",
                place_.line);
  dump->bins.back() = bin;
  dump->lastLine = place_.line;
  return true;
}

void OpenDumps::takeBin(const Bin& bin) {
  Dump* dump = waiting([&](const Dump& one) {
    return one.chunks.empty() && !one.isPastChunks && (one.bins.empty() || one.bins.back().size < bin.size);
  });
  const StatedBin stated{bin.size,
                         bin.chunks,
                         bin.inUse,
                         std::string(bin.bytes.text),
                         std::string(bin.bytesInUse.text),
                         std::string(bin.requested.text),
                         place_.line};
  if (dump == nullptr && isRepeated(stated)) return;
  if (dump == nullptr) dump = &begin("", place_);
  dump->bins.push_back(stated);
  dump->lastLine = place_.line;
}

/// A dump is only written when a request failed, whatever became of the line that says so.
void OpenDumps::takeWanted(const WantedBin& wanted) {
  Dump* dump = waiting([](const Dump& one) { return one.chunks.empty() && !one.isPastChunks; });
  if (dump == nullptr) dump = &begin("", place_);
  dump->lastLine = place_.line;
  if (dump->hasFailed) return;
  dump->hasFailed = true;
  dump->rounded = wanted.request.exact();
  dump->roundedAbout = wanted.request.bytes();
  dump->requestText = wanted.request.text;
}

void OpenDumps::takeRegion(const RegionStart& region) {
  Dump* dump = waiting([](const Dump& one) { return one.expectsRegion(); });
  if (dump == nullptr) dump = latest([](const Dump& one) { return !one.isPastChunks; });
  if (dump == nullptr) dump = &begin("", place_);
  dump->addRegion(region, place_.line, warnings_);
}

void OpenDumps::takeChunk(const Chunk& chunk) {
  Dump* dump = latest([&](const Dump& one) { return one.isFollowedBy(chunk); });
  if (dump == nullptr) dump = latest([&](const Dump& one) { return !one.isPastChunks && one.lists(chunk); });
  if (dump == nullptr) dump = waiting([](const Dump& one) { return one.isRegionAnnounced(); });
  if (dump == nullptr) dump = latest([](const Dump& one) { return !one.isPastChunks; });
  if (dump == nullptr) dump = &begin("", place_);
  dump->addChunk(chunk, place_.line, warnings_);
}

void OpenDumps::takeSize(const SizeCount& size) {
  const auto fits = [&](const Dump& one) {
    const auto isOne = [&](const DumpChunk& chunk) {
      return chunk.isInUse && !chunk.isLeftOut && chunk.size == size.size;
    };
    return static_cast<uint64_t>(std::count_if(one.chunks.begin(), one.chunks.end(), isOne)) == size.count;
  };
  Dump* dump = dumps_.size() > 1 ? latest(fits) : nullptr;
  if (dump == nullptr) dump = latest([](const Dump& one) { return !one.isPastStats; });
  if (dump == nullptr) return;
  dump->isPastChunks = true;
  dump->sizes.push_back({size.count, size.size, place_.line});
  dump->lastLine = place_.line;
}

void OpenDumps::takeSum(const SumTotal& sum) {
  const auto fits = [&](const Dump& one) {
    return one.sumText.empty() && sum.bytes.standsFor(one.bytesInUse());
  };
  Dump* dump = dumps_.size() > 1 ? latest(fits) : nullptr;
  if (dump == nullptr) dump = latest([](const Dump& one) { return one.sumText.empty(); });
  if (dump == nullptr) return;
  dump->isPastChunks = true;
  dump->sumText = sum.bytes.text;
  dump->sumLine = dump->lastLine = place_.line;
}

void OpenDumps::takeTotals(const PoolTotals& totals) {
  const auto fits = [&](const Dump& one) { return !one.totals && one.bytesInRuns() == totals.pool; };
  Dump* dump = dumps_.size() > 1 ? latest(fits) : nullptr;
  if (dump == nullptr) dump = latest([](const Dump& one) { return !one.totals; });
  if (dump == nullptr) return;
  dump->isPastChunks = true;
  dump->totals = totals;
  dump->totalsLine = dump->lastLine = place_.line;
}

void OpenDumps::takeStat(const Stat& stat) {
  constexpr size_t kMostStats = 32;
  if (!isInStats_ || stats_.size() == kMostStats) return;
  stats_[std::string(stat.name)] = {stat.value, place_.line};
}

void OpenDumps::endStats(bool isEmptyLine) {
  if (isEmptyLine && !stats_.empty()) assignStats();
}

/// The statistics come in one piece, and InUse tells whose they are.
void OpenDumps::assignStats() {
  isInStats_ = false;
  if (stats_.empty()) return;
  const auto inUse = stats_.find("InUse");
  const auto fits = [&](const Dump& one) {
    return !one.isPastStats && inUse != stats_.end() && one.bytesInUse() == inUse->second.first;
  };
  Dump* dump = dumps_.size() > 1 ? latest(fits) : nullptr;
  if (dump == nullptr) dump = latest([](const Dump& one) { return !one.isPastStats; });
  if (dump != nullptr) {
    dump->isPastChunks = dump->isPastStats = true;
    dump->lastLine = stats_.begin()->second.second;
    dump->stats = std::move(stats_);
  }
  stats_.clear();
}

void OpenDumps::takeOccupancy(const Occupancy& occupancy) {
  const auto fits = [&](const Dump& one) { return one.isPastStats && isOccupancyOf(occupancy.line, one); };
  Dump* dump = dumps_.size() > 1 ? latest(fits) : nullptr;
  if (dump == nullptr) dump = latest([](const Dump& one) { return one.isPastStats; });
  if (dump == nullptr) dump = latest([](const Dump& one) { return one.isPastChunks; });
  if (dump == nullptr) return;
  dump->occupancy = occupancy.line;
  dump->occupancyLine = dump->lastLine = place_.line;
  close(dump);
}

}  // namespace strata::bfc
