#include "capture/xprof/memory_profile.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/capture.h"
#include "capture/chrome_event.h"
#include "capture/counter_tracks.h"
#include "capture/placed_blocks.h"
#include "capture/stated_totals.h"
#include "capture/text.h"
#include "capture/xprof/memory_profile_json.h"

namespace strata::xprof {
namespace {

/// Blocks that a table of the peak may claim to hold; each is a row of its own.
constexpr uint64_t kMostOwners = 1 << 20;

/// What the tool calls memory that no allocation of the peak's step explains.
constexpr std::string_view kNotOfStep = "unused preallocated device memory";

constexpr char kHowToRecord[] =
    "Record it with memory events: tf.profiler.experimental.start(logdir, "
    "tf.profiler.experimental.ProfilerOptions(host_tracer_level=2)) while the program allocates.";

/// Whether no address is handed out while it is taken, nor given back in another size.
bool areAddressesConsistent(const std::vector<MemorySnapshot>& timeline) {
  std::unordered_map<uint64_t, uint64_t> live;  // address -> bytes
  for (const MemorySnapshot& one : timeline) {
    const Activity& activity = one.activity;
    if (activity.kind == Activity::Kind::Allocation) {
      if (!live.emplace(activity.address, activity.bytes).second) return false;
      continue;
    }
    const auto found = live.find(activity.address);
    if (found == live.end()) continue;  // from before the profile
    if (found->second != activity.bytes) return false;
    live.erase(found);
  }
  return true;
}

/// Whether each total follows from the one before: then no event is missing.
bool leavesNothingOut(const std::vector<MemorySnapshot>& timeline) {
  for (size_t at = 0; at < timeline.size(); ++at) {
    const auto& [timeNs, stats, activity, place] = timeline[at];
    const bool isFree = activity.kind == Activity::Kind::Free;
    if (!isFree && activity.kind != Activity::Kind::Allocation) return false;
    if (activity.address == 0 || activity.bytes == 0 || stats.stack != 0) return false;
    if (at == 0 && !isFree && stats.heap < activity.bytes) return false;
    if (at == 0) continue;
    const uint64_t before = timeline[at - 1].stats.heap;
    if (isFree ? stats.heap + activity.bytes != before : before + activity.bytes != stats.heap) return false;
  }
  return !timeline.empty() && areAddressesConsistent(timeline);
}

class MemoryProfileReader {
 public:
  MemoryProfileReader(std::span<const uint8_t> bytes, const Progress& progress)
      : profile_(readMemoryProfileJson(bytes, progress)), counters_(trace_) {}

  Trace run() {
    trace_.format = "tensorboard-memory-profile";
    trace_.producer = "TensorFlow or JAX profiler (memory profile)";
    if (profile_.hosts > 1) trace_.settings.emplace_back("hosts", std::to_string(profile_.hosts));
    std::vector<Timeline> timelines;
    for (const AllocatorProfile& allocator : profile_.allocators) {
      Timeline timeline = timelineOf(allocator);
      if (!timeline.moments.empty()) timelines.push_back(std::move(timeline));
    }
    if (timelines.empty()) refuse();
    startNs_ = std::numeric_limits<int64_t>::max();
    for (const Timeline& one : timelines) startNs_ = std::min(startNs_, one.moments.front().timeNs);
    for (const Timeline& one : timelines) addDevice(one);
    counters_.finish();
    setClockOfRows(trace_, false);
    annotate();
    warn();
    return std::move(trace_);
  }

 private:
  struct Timeline {
    const AllocatorProfile* allocator;
    std::vector<MemorySnapshot> moments;
    bool isWhole = false;
    size_t peak = SIZE_MAX;  ///< in `moments`, of one that is not whole
  };

  /// Newer files have a timeline apart; in older ones the snapshots are it.
  Timeline timelineOf(const AllocatorProfile& allocator) const {
    Timeline timeline{&allocator, allocator.sampled.empty() ? allocator.snapshots : allocator.sampled};
    auto& moments = timeline.moments;
    std::erase_if(moments, [](const MemorySnapshot& one) { return !one.stats.isReadable; });
    std::stable_sort(moments.begin(), moments.end(),
                     [](const auto& one, const auto& other) { return one.timeNs < other.timeNs; });
    // of a file that ends early, the snapshots may be those of the peak alone
    const bool isTimeline = !allocator.sampled.empty() || (profile_.version == 0 && !profile_.isBroken);
    timeline.isWhole = isTimeline && leavesNothingOut(moments);
    if (!timeline.isWhole && allocator.hasSummary) timeline.peak = findPeak(moments, allocator);
    return timeline;
  }

  /// The peak is one of the samples, or is put among them.
  static size_t findPeak(std::vector<MemorySnapshot>& moments, const AllocatorProfile& allocator) {
    size_t at = 0;
    for (; at < moments.size() && moments[at].timeNs <= allocator.peakNs; ++at) {
      const bool isPeak =
          moments[at].timeNs == allocator.peakNs && moments[at].stats.inUse() == allocator.peak.inUse();
      if (isPeak) return at;
    }
    MemorySnapshot peak;
    peak.timeNs = allocator.peakNs;
    peak.stats = allocator.peak;
    moments.insert(moments.begin() + static_cast<ptrdiff_t>(at), peak);
    return at;
  }

  void addDevice(const Timeline& timeline) {
    const AllocatorProfile& allocator = *timeline.allocator;
    const std::string name = unescaped(allocator.name);
    Device& device = trace_.devices.emplace_back();
    device.ordinal = static_cast<int>(trace_.devices.size()) - 1;
    device.allocator = name;
    device.kind = kindOf(name);
    addCounters(name, timeline.moments);
    addSettings(name, allocator);
    timeline.isWhole ? placeBlocks(device, timeline.moments) : stateTotals(device, timeline);
  }

  static DeviceKind kindOf(const std::string& name) {
    const bool isHost = name.find("host") != std::string::npos || name.starts_with("cpu");
    if (isHost) return DeviceKind::Host;
    return name.starts_with("GPU") || name.starts_with("gpu") ? DeviceKind::Cuda : DeviceKind::Unknown;
  }

  void addSettings(const std::string& name, const AllocatorProfile& allocator) {
    const auto add = [&](const char* what, uint64_t bytes) {
      if (bytes > 0) trace_.settings.emplace_back(what + (" of " + name), std::to_string(bytes));
    };
    add("memory_capacity", allocator.capacity);
    add("peak_bytes_usage_lifetime", allocator.lifetimePeak);
  }

  void placeBlocks(Device& device, const std::vector<MemorySnapshot>& timeline) {
    PlacedBlocks blocks;
    for (const MemorySnapshot& one : timeline) {
      const Entry entry = entryOf(one);
      const TextPlace place{0, one.at};
      if (entry.action == Action::Free)
        blocks.free(entry, place);
      else
        blocks.allocate(entry, one.activity.requested, place);
    }
    warnOfOlder(device.allocator, timeline.front());
    blocks.finish(device);
    warnOfPlacement(blocks.oddities(), trace_);
    arePlaced_ = true;
  }

  void warnOfOlder(const std::string& name, const MemorySnapshot& first) {
    const bool isFree = first.activity.kind == Activity::Kind::Free;
    const uint64_t before =
        isFree ? first.stats.heap + first.activity.bytes : first.stats.heap - first.activity.bytes;
    if (before == 0) return;
    trace_.warnings.push_back(
        {"memory-before-recording",
         "When the profile began, " + name + " had " + grouped(before) +
             " bytes in use; of the blocks they were in, only those freed later are shown.",
         -1, false});
  }

  using Entry = EventRows::Entry;

  Entry entryOf(const MemorySnapshot& snapshot) {
    const Activity& activity = snapshot.activity;
    Entry entry;
    entry.action = activity.kind == Activity::Kind::Free         ? Action::Free
                   : activity.kind == Activity::Kind::Allocation ? Action::Alloc
                                                                 : Action::Other;
    entry.time = snapshot.timeNs;
    entry.address = activity.address;
    entry.bytes = activity.bytes;
    entry.stack = stackOf(activity);
    entry.label = labelOf(activity);
    return entry;
  }

  uint32_t stackOf(const Activity& activity) {
    if (activity.operation.empty()) return kNone;
    std::vector<uint32_t> frames;
    const auto add = [&](const std::string& name) {
      frames.push_back(trace_.frames.intern(trace_.strings.intern(name), trace_.strings.intern(""), 0));
    };
    const std::string operation = unescaped(activity.operation);
    if (operation == kNotOfStep) add("outside_this_step");  // the tool's own words say something else
    add(operation);
    return trace_.stacks.intern(frames);
  }

  /// "float [3, 3, 512, 512], temp, step 12"
  uint32_t labelOf(const Activity& activity) {
    std::string label;
    const auto add = [&](const char* separator, const std::string& part) {
      if (part.empty()) return;
      if (!label.empty()) label += separator;
      label += part;
    };
    if (activity.dataType != "INVALID") add("", unescaped(activity.dataType));
    if (activity.shape != "unknown") add(" ", unescaped(activity.shape));
    add(", ", unescaped(activity.regionType));
    if (activity.step >= 0) add(", ", "step " + std::to_string(activity.step));
    return label.empty() ? kNone : trace_.strings.intern(label);
  }

  void stateTotals(Device& device, const Timeline& timeline) {
    StatedTotals totals;
    for (size_t at = 0; at < timeline.moments.size(); ++at) {
      Entry entry = entryOf(timeline.moments[at]);
      entry.address = 0;
      totals.state(entry, timeline.moments[at].stats.inUse());
      if (at == timeline.peak) ownPeak(device.allocator, *timeline.allocator, totals);
    }
    totals.finish(device);
    isSampled_ = true;
  }

  void ownPeak(const std::string& name, const AllocatorProfile& allocator, StatedTotals& totals) {
    if (allocator.active.empty()) return;
    std::vector<StatedTotals::Owner> owners;
    uint64_t sum = 0;
    for (const ActiveAllocation& row : allocator.active) {
      const Activity* activity = activityOf(allocator, row);
      if (activity == nullptr || row.count > kMostOwners - owners_) return warnOfPeak(name, std::nullopt, 0);
      owners_ += row.count;
      owners.push_back({activity->bytes, row.count, stackOf(*activity)});
      sum += activity->bytes * row.count;
      if (row.special >= 0 && activity->regionType != "stack") notInStep_ += activity->bytes * row.count;
    }
    if (!totals.own(owners)) warnOfPeak(name, sum, totals.total());
  }

  static const Activity* activityOf(const AllocatorProfile& allocator, const ActiveAllocation& row) {
    if (row.special >= 0) {
      const auto at = static_cast<size_t>(row.special);
      return at < allocator.special.size() ? &allocator.special[at] : nullptr;
    }
    const auto at = static_cast<size_t>(row.snapshot);
    return row.snapshot >= 0 && at < allocator.snapshots.size() ? &allocator.snapshots[at].activity : nullptr;
  }

  void warnOfPeak(const std::string& name, std::optional<uint64_t> sum, uint64_t inUse) {
    const std::string what =
        sum ? "add up to " + grouped(*sum) + " bytes, not to the " + grouped(inUse) + " in use"
            : "refer to rows that the file does not have";
    trace_.warnings.push_back({"memory-profile-peak",
                               "The allocations that the profile lists at the peak of " + name + " " + what +
                                   ": who held memory at the peak is not shown.",
                               -1, !sum});
  }

  void addCounters(const std::string& name, const std::vector<MemorySnapshot>& timeline) {
    const auto add = [&](const char* what, CounterUnit unit, auto valueOf) {
      const auto isZero = [&](const MemorySnapshot& one) { return valueOf(one.stats) == 0; };
      if (std::all_of(timeline.begin(), timeline.end(), isZero)) return;
      const uint32_t counter = counters_.add(name, what, unit, false);
      for (const MemorySnapshot& one : timeline)
        counters_.push(counter, one.timeNs - startNs_, valueOf(one.stats));
    };
    const auto bytes = [](uint64_t value) { return static_cast<double>(value); };
    add("heap_allocated_bytes", CounterUnit::Bytes, [&](const auto& stats) { return bytes(stats.heap); });
    add("stack_reserved_bytes", CounterUnit::Bytes, [&](const auto& stats) { return bytes(stats.stack); });
    add("free_memory_bytes", CounterUnit::Bytes, [&](const auto& stats) { return bytes(stats.free); });
    add("fragmentation", CounterUnit::Percent, [](const auto& stats) { return 100 * stats.fragmentation; });
    add("peak_bytes_in_use", CounterUnit::Bytes, [&](const auto& stats) { return bytes(stats.peak); });
    if (!timeline.empty())
      trace_.countersEnd = std::max(trace_.countersEnd, timeline.back().timeNs - startNs_);
  }

  /// The programs that ran, on every device; those that overlap lie below one another.
  void annotate() {
    std::stable_sort(profile_.programs.begin(), profile_.programs.end(),
                     [](const auto& one, const auto& other) { return one.beginNs < other.beginNs; });
    constexpr size_t kMostLanes = 16;
    std::vector<int64_t> lanes;
    for (const ProgramRun& program : profile_.programs) {
      const int64_t begin = std::max<int64_t>(program.beginNs - startNs_, 0);
      const int64_t end = std::min(program.endNs - startNs_, trace_.countersEnd);
      if (end <= begin) continue;
      size_t lane = 0;
      while (lane < lanes.size() && lanes[lane] > begin) ++lane;
      if (lane == kMostLanes) continue;
      if (lane == lanes.size()) lanes.push_back(0);
      lanes[lane] = end;
      const uint32_t name = trace_.strings.intern(unescaped(program.name));
      for (const Device& device : trace_.devices)
        trace_.annotations.push_back({name, device.ordinal, begin, end, static_cast<uint16_t>(lane)});
    }
  }

  [[noreturn]] void refuse() const {
    if (profile_.isBroken) {
      const bool isEnd = profile_.brokenBecause.empty();
      throw CaptureError(isEnd ? "capture-truncated" : "capture-damaged",
                         "This memory profile breaks off at byte " + grouped(profile_.brokenAt) +
                             (isEnd ? "" : " (it " + profile_.brokenBecause + ")") +
                             ", before anything that was measured.",
                         "Copy it again from where it was written.", static_cast<int64_t>(profile_.brokenAt));
    }
    throw CaptureError("memory-profile-empty", "This memory profile holds no allocations.", kHowToRecord, 0);
  }

  void warn() {
    if (profile_.isBroken) warnOfBreak();
    if (profile_.unreadable > 0) {
      trace_.warnings.push_back({"row-unreadable",
                                 "Left out, because they state no total: " +
                                     counted(profile_.unreadable, "snapshot", "snapshots") + ".",
                                 static_cast<int64_t>(profile_.firstUnreadable), true});
    }
    if (isSampled_) {
      trace_.warnings.push_back(
          {"memory-profile-sampled",
           "The memory profile tool keeps samples of a timeline: who held memory is known at the peak, not "
           "where it "
           "lay or how long it lived. Open the profile it was made from: the .xplane.pb file of the run in "
           "LOGDIR/plugins/profile.",
           -1, false});
    }
    if (notInStep_ > 0) {
      trace_.warnings.push_back(
          {"memory-profile-unmapped",
           grouped(notInStep_) +
               " bytes at the peak belong to no allocation of the step it was in: they were "
               "allocated before that step, or before the profile began.",
           -1, false});
    }
    if (arePlaced_) {
      trace_.warnings.push_back({"no-segments",
                                 "A profile holds the blocks that were handed out, not the memory they were "
                                 "cut from: what was reserved, "
                                 "and what was free between them, is not known.",
                                 -1, false});
    }
  }

  void warnOfBreak() {
    trace_.isComplete = false;
    const bool isEnd = profile_.brokenBecause.empty();
    trace_.warnings.push_back({isEnd ? "capture-truncated" : "capture-damaged",
                               "The profile breaks off at byte " + grouped(profile_.brokenAt) +
                                   (isEnd ? "" : " (it " + profile_.brokenBecause + ")") +
                                   "; what comes before is shown.",
                               static_cast<int64_t>(profile_.brokenAt), true});
  }

  MemoryProfile profile_;
  Trace trace_;
  CounterTracks counters_;
  int64_t startNs_ = 0;
  uint64_t owners_ = 0;     ///< blocks of all peaks
  uint64_t notInStep_ = 0;  ///< bytes of the peaks that belong to no allocation of their step
  bool isSampled_ = false, arePlaced_ = false;
};

}  // namespace

Trace readMemoryProfile(std::span<const uint8_t> bytes, const Progress& progress) {
  return MemoryProfileReader(bytes, progress).run();
}

}  // namespace strata::xprof
