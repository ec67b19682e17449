#include "allocator/rebuild.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "allocator/pytorch_config.h"
#include "allocator/pytorch_follow.h"
#include "allocator/pytorch_settle.h"

namespace strata {
namespace {

using pytorch::Follow;
using pytorch::FreeKinds;
using pytorch::Ledger;
using pytorch::Score;
using pytorch::StartLayout;
using pytorch::Tick;
using Verdict = Exactness::Verdict;

/// Ascend's copy of the allocator rounds (request + 32) up to 512.
constexpr uint64_t kAscendPadding = 32;

/// Adds up the progress of all devices; every event is passed twice, backwards and forwards.
class SharedProgress {
 public:
  SharedProgress(const Progress& progress, uint64_t events) : progress_(progress), total_(2 * events) {}

  /// Reports `done` more; throws Cancelled once the callback has answered false.
  void advance(uint64_t done) {
    const std::scoped_lock lock(mutex_);
    done_ = std::min(done_ + done, total_);
    if (!isCancelled_ && progress_ && !progress_("rebuild", done_, total_, total_ / 2)) isCancelled_ = true;
    if (isCancelled_) throw Cancelled();
  }

 private:
  const Progress& progress_;
  std::mutex mutex_;
  uint64_t done_ = 0;
  uint64_t total_;
  bool isCancelled_ = false;
};

Tick tickFor(SharedProgress& progress) {
  return [&progress, seen = uint64_t{0}](uint64_t done) mutable {
    progress.advance(done - seen);
    seen = done;
  };
}

std::vector<uint8_t> privatePoolsOf(const Device& device) {
  std::vector<uint8_t> isPrivate;
  for (const auto& pool : device.pools) isPrivate.push_back(pool != std::pair<int64_t, int64_t>{0, 0});
  return isPrivate;
}

/// A recording whose segments grow had expandable segments on, whether or not it says so.
bool isGrowing(const Device& device) {
  const auto& actions = device.events.action;
  if (std::find(actions.begin(), actions.end(), Action::SegmentMap) != actions.end()) return true;
  const auto& segments = device.final.segments;
  return !segments.empty() && std::all_of(segments.begin(), segments.end(),
                                          [](const auto& segment) { return segment.isExpandable; });
}

PytorchConfig configFor(const Device& device, PytorchConfig config) {
  config.isExpandable = config.isExpandable || isGrowing(device);
  if (device.kind == DeviceKind::Npu) config.requestPadding = kAscendPadding;
  if (device.kind == DeviceKind::Host) config.isNeverSplit = true;
  return config;
}

/// Whether kinds of events were left out (skip_actions); allocations only show to be missing by
/// contradictions.
bool isMissingActions(const EventColumns& events, const Score& score) {
  const FreeKinds kinds = pytorch::freeKindsOf(events);
  if (!kinds.hasRequested || !kinds.hasCompleted) return true;
  return score.impossible != 0 && score.placements == 0;
}

std::string sentenceFor(const std::string& code, EventIndex event) {
  const std::string at = "event " + std::to_string(event);
  if (code == "cut-off")
    return "The file ends before the last event, so the first moments are only what the events prove.";
  if (code == "other-allocator")
    return "Ascend's allocator places large blocks by rules of its own, so sizes of blocks freed before the "
           "end "
           "are estimates.";
  if (code == "host-allocator")
    return "Pinned host memory has an allocator of its own, so its blocks are followed but not foreseen.";
  if (code == "skipped-actions")
    return "The recording left out some kinds of events, so what they would have shown is estimated.";
  if (code == "placement-differs")
    return "At " + at +
           " a block lies where the allocator's rules would not have put it; sizes are estimates from "
           "there on.";
  if (code == "segment-differs")
    return "At " + at +
           " a segment was taken or returned that the allocator's rules do not foresee; sizes are "
           "estimates from there on.";
  if (code == "size-differs")
    return "The block of " + at +
           " has another size at the end than the allocator's rules give it; sizes are "
           "estimates from there on.";
  if (code == "too-costly")
    return "At " + at +
           " the allocator's searches had become so long that they were given up; sizes are estimates from "
           "there on.";
  if (code == "impossible-event")
    return "From " + at +
           " on, events contradict what was recorded before them; sizes are estimates from there on.";
  return "The state after the last event differs from the one the file states; sizes before it are "
         "estimates.";
}

std::string sentenceOnHidden(uint64_t blocks, uint64_t bytes) {
  return std::to_string(blocks) + " blocks from before the recording may together be up to " +
         std::to_string(bytes) +
         " bytes larger than shown: the free memory behind them hides where they end.";
}

void judge(Device& device, const Score& score, const pytorch::FinalCheck& check,
           const pytorch::RecordedHeap& recorded) {
  Exactness& exactness = device.exactness;
  exactness = {};
  exactness.finalBlocks = check.blocks;
  exactness.finalBlocksMatched = check.matched;
  if (device.events.count() == 0) return;
  exactness.placements = score.placements;
  exactness.placementsMatched = score.placementsMatched;
  exactness.segmentEvents = score.segmentEvents;
  exactness.segmentEventsMatched = score.segmentEventsMatched;
  exactness.firstMismatch = score.firstMismatch;
  exactness.verdict = Verdict::Estimated;
  if (!device.isEventListComplete) {
    exactness.code = "cut-off";
  } else if (device.kind == DeviceKind::Npu) {
    exactness.code = "other-allocator";
  } else if (device.kind == DeviceKind::Host) {
    exactness.code = "host-allocator";
  } else if (isMissingActions(device.events, score)) {
    exactness.code = "skipped-actions";
  } else if (score.firstMismatch != kNever) {
    exactness.verdict = Verdict::Mismatch;
    exactness.code = score.code;
  } else if (recorded.hiddenBlocks() != 0) {
    exactness.code = "hidden-ends";
    exactness.hiddenBlocks = recorded.hiddenBlocks();
    exactness.hiddenBytes = recorded.hiddenBytes();
    exactness.because = sentenceOnHidden(exactness.hiddenBlocks, exactness.hiddenBytes);
    return;
  } else {
    exactness.verdict = Verdict::Exact;
  }
  if (!exactness.code.empty()) exactness.because = sentenceFor(exactness.code, exactness.firstMismatch);
}

/// Fills one device; answers the score, for the warnings.
Score rebuildDevice(Device& device, const PytorchConfig& config, SharedProgress& progress) {
  device.blocks = {};
  device.segments = {};
  for (PossibleExtra& extra : device.possible) extra = {};
  device.events.row.assign(device.events.count(), kNone);
  Score score;
  Ledger ledger(device);
  ledger.setPrivatePools(privatePoolsOf(device));
  std::vector<bool> isProven;
  StartLayout start = device.isEventListComplete
                          ? pytorch::undoEvents(device, config, tickFor(progress))
                          : pytorch::provenStart(device, config, isProven, tickFor(progress));
  pytorch::layOut(start, config);
  score.impossible = start.contradictions;
  score.firstImpossible = start.firstContradiction;
  if (start.contradictions != 0) score.mismatch("impossible-event", start.firstContradiction);
  Follow follow(device, config, ledger, score);
  follow.run(start, tickFor(progress));
  pytorch::FinalCheck check;
  if (device.isEventListComplete) {
    check = pytorch::settleFinalState(device, follow.recorded(), ledger, score);
  } else {
    pytorch::collectPossible(device, isProven, ledger);
  }
  judge(device, score, check, follow.recorded());
  return score;
}

void warn(Trace& trace, const Device& device, const Score& score) {
  if (score.impossible == 0 || !device.isEventListComplete) return;
  trace.warnings.push_back(
      {"impossible-events",
       "On device " + std::to_string(device.ordinal) + ", " + std::to_string(score.impossible) +
           (score.impossible == 1 ? " event contradicts" : " events contradict") +
           " the ones around it, the first at event " + std::to_string(score.firstImpossible) +
           "; the recorded addresses are followed.",
       -1, false, -1, device.part});
}

/// The settings that each device's file states, one for each device; what is wrong in them is said once a
/// file.
std::vector<PytorchConfig> statedConfigs(Trace& trace) {
  std::vector<PytorchConfig> configs;
  std::set<uint32_t> told;
  for (const Device& device : trace.devices) {
    std::vector<std::string> problems;
    configs.push_back(configFor(device, pytorchConfigOfSnapshot(settingsOf(trace, device), problems)));
    if (!told.insert(device.part).second) continue;
    for (const std::string& problem : problems)
      trace.warnings.push_back({"allocator-settings", problem, -1, false, -1, device.part});
  }
  return configs;
}

}  // namespace

PytorchConfig recordedConfig(const Trace& trace, const Device& device) {
  std::vector<std::string> problems;
  return configFor(device, pytorchConfigOfSnapshot(settingsOf(trace, device), problems));
}

void rebuild(Trace& trace, const Progress& progress) {
  const auto isPlaced = [](const Device& device) { return device.isPlaced; };
  if (std::all_of(trace.devices.begin(), trace.devices.end(), isPlaced)) return;
  const std::vector<PytorchConfig> configs = statedConfigs(trace);
  uint64_t events = 0;
  for (const Device& device : trace.devices) events += device.isPlaced ? 0 : device.events.count();
  SharedProgress shared(progress, events);
  std::vector<Score> scores(trace.devices.size());
  std::vector<std::exception_ptr> failures(trace.devices.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t at = next++; at < trace.devices.size(); at = next++) {
      try {
        if (trace.devices[at].isPlaced) continue;
        scores[at] = rebuildDevice(trace.devices[at], configs[at], shared);
      } catch (...) {
        failures[at] = std::current_exception();
      }
    }
  };
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(cores, trace.devices.size()); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  for (size_t at = 0; at < trace.devices.size(); ++at) warn(trace, trace.devices[at], scores[at]);
}

}  // namespace strata
