#include "allocator/what_if/sweep_grid.h"

#include <algorithm>
#include <string_view>

namespace strata::what_if {
namespace {

constexpr uint64_t kRounding = uint64_t{2} << 20;

/// The most the recording ever held, in whole pages.
uint64_t recordedPeak(const Device& device) {
  std::vector<int64_t> change(device.events.count() + 2, 0);
  const SegmentColumns& segments = device.segments;
  for (size_t row = 0; row < segments.count(); ++row) {
    change[static_cast<size_t>(segments.birth[row] + 1)] += static_cast<int64_t>(segments.bytes[row]);
    if (segments.death[row] != kNever)
      change[static_cast<size_t>(segments.death[row] + 1)] -= static_cast<int64_t>(segments.bytes[row]);
  }
  int64_t now = 0, peak = 0;
  for (const int64_t step : change) peak = std::max(peak, now += step);
  return (static_cast<uint64_t>(peak) + kRounding - 1) / kRounding * kRounding;
}

class Grid {
 public:
  Grid(const Recording& recording, const Capacity& capacity)
      : recording_(recording),
        isLimited_(capacity.bytes < kUnlimitedCapacity),
        whole_(isLimited_ ? capacity.bytes / kRounding * kRounding : recordedPeak(recording.device)) {}

  std::vector<RunRequest> make() {
    if (recording_.settings) add(*recording_.settings);
    for (const Simulator& simulator : simulators()) addRunsOf(simulator.name);
    return std::move(runs_);
  }

 private:
  void addRunsOf(const std::string& name) {
    if (name == "pytorch") return addPytorch();
    if (name == "bfc") return addBfc();
    if (name == "rmm-pool") return addRmmPool();
    if (name == "rmm-arena") return add({name, {{"arena_size", std::to_string(whole_)}}});
    // Blocks of one size: nothing larger is ever served, so it helps no program by itself.
    if (name == "rmm-fixed") return;
    add({name, {}});
  }

  /// The recording's settings with one change, or PyTorch's defaults with it.
  void addPytorch() {
    const WrittenSettings own = recording_.settings ? recording_.settings->settings : WrittenSettings{};
    const auto with = [&](const WrittenSettings& changes) {
      WrittenSettings settings = changes;
      settings.insert(own.begin(), own.end());
      add({"pytorch", std::move(settings)});
    };
    add({"pytorch", {}});
    with({{"expandable_segments", "true"}});
    for (const char* megabytes : {"64", "128", "256", "512"}) with({{"max_split_size_mb", megabytes}});
    for (const char* divisions : {"4", "16"}) with({{"roundup_power2_divisions", divisions}});
    // Garbage collection only works against a limit.
    if (isLimited_) with({{"garbage_collection_threshold", "0.8"}, {"per_process_memory_fraction", "1"}});
    with({{"expandable_segments", "true"}, {"roundup_power2_divisions", "4"}});
  }

  void addBfc() {
    const std::string limit = std::to_string(whole_);
    add({"bfc", {}});
    add({"bfc", {{"garbage_collection", "true"}}});
    add({"bfc", {{"allow_growth", "false"}, {"memory_limit", limit}}});
  }

  void addRmmPool() {
    add({"rmm-pool", {{"initial_pool_size", "0"}}});
    add({"rmm-pool", {{"initial_pool_size", std::to_string(whole_ / 2 / 256 * 256)}}});
  }

  void add(RunRequest run) {
    const bool isKnown = std::any_of(runs_.begin(), runs_.end(), [&](const RunRequest& one) {
      return one.allocator == run.allocator && one.settings == run.settings;
    });
    if (!isKnown) runs_.push_back(std::move(run));
  }

  const Recording& recording_;
  bool isLimited_;
  uint64_t whole_;  ///< what a preallocating allocator takes
  std::vector<RunRequest> runs_;
};

}  // namespace

std::vector<RunRequest> worthTrying(const Recording& recording, const Capacity& capacity) {
  return Grid(recording, capacity).make();
}

}  // namespace strata::what_if
