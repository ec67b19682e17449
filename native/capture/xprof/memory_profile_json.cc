#include "capture/xprof/memory_profile_json.h"

#include "capture/xprof/proto_json.h"

namespace strata::xprof {
namespace {

constexpr int64_t kPicosecondsInNanosecond = 1000;

class Reader {
 public:
  Reader(std::string_view text, const Progress& progress, MemoryProfile& profile)
      : json_(text, progress), profile_(profile) {}

  size_t position() const { return json_.position(); }

  void run() {
    json_.members([&](std::string_view key) {
      if (isField(key, "memory_profile_per_allocator"))
        json_.members([&](std::string_view name) { readAllocator(name); });
      else if (isField(key, "num_hosts"))
        profile_.hosts = json_.integer().value_or(0);
      else if (isField(key, "version"))
        profile_.version = json_.integer().value_or(0);
      else if (isField(key, "hlo_modules"))
        json_.items([&] { readProgram(); });
      else
        json_.skip();
    });
  }

 private:
  /// Rows are added as they are complete, so that what a file that breaks off has is kept.
  void readAllocator(std::string_view name) {
    AllocatorProfile& allocator = profile_.allocators.emplace_back();
    allocator.name = name;
    json_.members([&](std::string_view key) {
      if (isField(key, "memory_profile_snapshots"))
        json_.items([&] { readSnapshot(allocator.snapshots); });
      else if (isField(key, "sampled_timeline_snapshots"))
        json_.items([&] { readSnapshot(allocator.sampled); });
      else if (isField(key, "active_allocations"))
        json_.items([&] { readActive(allocator); });
      else if (isField(key, "special_allocations"))
        json_.items([&] {
          const Activity special = readActivity();
          allocator.special.push_back(special);
        });
      else if (isField(key, "profile_summary"))
        readSummary(allocator);
      else
        json_.skip();
    });
  }

  /// One without readable totals keeps its row, because others are counted from it.
  void readSnapshot(std::vector<MemorySnapshot>& snapshots) {
    MemorySnapshot snapshot;
    snapshot.at = json_.position();
    json_.members([&](std::string_view key) {
      if (isField(key, "time_offset_ps"))
        snapshot.timeNs = readTime();
      else if (isField(key, "aggregation_stats"))
        snapshot.stats = readStats();
      else if (isField(key, "activity_metadata"))
        snapshot.activity = readActivity();
      else
        json_.skip();
    });
    if (!snapshot.stats.isReadable && profile_.unreadable++ == 0) profile_.firstUnreadable = snapshot.at;
    snapshots.push_back(snapshot);
  }

  int64_t readTime() { return json_.integer().value_or(0) / kPicosecondsInNanosecond; }

  MemoryStats readStats() {
    MemoryStats stats;
    const auto bytes = [&] {
      const auto read = json_.whole();
      if (read && *read < kMostBytes) return *read;
      stats.isReadable = false;
      return uint64_t{0};
    };
    json_.members([&](std::string_view key) {
      if (isField(key, "stack_reserved_bytes"))
        stats.stack = bytes();
      else if (isField(key, "heap_allocated_bytes"))
        stats.heap = bytes();
      else if (isField(key, "free_memory_bytes"))
        stats.free = bytes();
      else if (isField(key, "peak_bytes_in_use"))
        stats.peak = bytes();
      else if (isField(key, "fragmentation"))
        stats.fragmentation = json_.real().value_or(0);
      else
        json_.skip();
    });
    return stats;
  }

  Activity readActivity() {
    Activity activity;
    json_.members([&](std::string_view key) {
      if (isField(key, "memory_activity"))
        activity.kind = kindOf(json_.text());
      else if (isField(key, "requested_bytes"))
        activity.requested = readBytes();
      else if (isField(key, "allocation_bytes"))
        activity.bytes = readBytes();
      else if (isField(key, "address"))
        activity.address = json_.whole().value_or(0);
      else if (isField(key, "tf_op_name"))
        activity.operation = json_.text();
      else if (isField(key, "step_id"))
        activity.step = json_.integer().value_or(-1);
      else if (isField(key, "region_type"))
        activity.regionType = json_.text();
      else if (isField(key, "data_type"))
        activity.dataType = json_.text();
      else if (isField(key, "tensor_shape"))
        activity.shape = json_.text();
      else
        json_.skip();
    });
    return activity;
  }

  uint64_t readBytes() {
    const uint64_t bytes = json_.whole().value_or(0);
    return bytes < kMostBytes ? bytes : 0;
  }

  /// Enumerations are written by name, or by number.
  static Activity::Kind kindOf(std::string_view text) {
    if (text == "ALLOCATION" || text == "1") return Activity::Kind::Allocation;
    if (text == "DEALLOCATION" || text == "2") return Activity::Kind::Free;
    if (text == "RESERVATION" || text == "3") return Activity::Kind::Reservation;
    if (text == "EXPANSION" || text == "4") return Activity::Kind::Expansion;
    return Activity::Kind::Unknown;
  }

  void readActive(AllocatorProfile& allocator) {
    ActiveAllocation active;
    json_.members([&](std::string_view key) {
      if (isField(key, "snapshot_index"))
        active.snapshot = json_.integer().value_or(-1);
      else if (isField(key, "special_index"))
        active.special = json_.integer().value_or(-1);
      else if (isField(key, "num_occurrences"))
        active.count = json_.whole().value_or(0);
      else
        json_.skip();
    });
    allocator.active.push_back(active);
  }

  void readSummary(AllocatorProfile& allocator) {
    json_.members([&](std::string_view key) {
      if (isField(key, "peak_bytes_usage_lifetime"))
        allocator.lifetimePeak = readBytes();
      else if (isField(key, "peak_stats"))
        allocator.peak = readStats();
      else if (isField(key, "peak_stats_time_ps"))
        allocator.peakNs = readTime();
      else if (isField(key, "memory_capacity"))
        allocator.capacity = readBytes();
      else
        json_.skip();
    });
    allocator.hasSummary = allocator.peak.isReadable && allocator.peak.inUse() > 0;
  }

  void readProgram() {
    ProgramRun program;
    json_.members([&](std::string_view key) {
      if (isField(key, "name"))
        program.name = json_.text();
      else if (isField(key, "start_time_ps"))
        program.beginNs = readTime();
      else if (isField(key, "end_time_ps"))
        program.endNs = readTime();
      else
        json_.skip();
    });
    profile_.programs.push_back(program);
  }

  ProtoJson json_;
  MemoryProfile& profile_;
};

}  // namespace

MemoryProfile readMemoryProfileJson(std::span<const uint8_t> bytes, const Progress& progress) {
  MemoryProfile profile;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Reader reader(text, progress, profile);
  try {
    reader.run();
    return profile;
  } catch (const EndOfData&) {
    profile.brokenAt = bytes.size();
  } catch (const JsonScanner::NotJson& error) {
    profile.brokenBecause = error.what();
    profile.brokenAt = reader.position();
  }
  profile.isBroken = true;
  return profile;
}

}  // namespace strata::xprof
