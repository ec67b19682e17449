#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "allocator/rebuild.h"
#include "allocator/what_if/run.h"
#include "capture/capture.h"

namespace strata::what_if {
namespace {

Trace openCapture(const std::filesystem::path& path) {
  Trace trace = readCapture(path.string(), {});
  rebuild(trace, {});
  return trace;
}

/// "18/18 placements, 7/7 segment events, 21/21 final blocks", or why there is nothing to say.
std::string portraitOf(const Trace& trace, const Device& device) {
  const Recording recording = recordingOf(trace, device);
  if (!recording.settings) return "no settings of its own";
  const RunSummary summary =
      run(recording, *recording.settings, {.capacity = recordedCapacity(device)}, nullptr, {});
  if (!summary.reproduces) return "not compared";
  const Reproduction& same = *summary.reproduces;
  const auto of = [](uint64_t matched, uint64_t all) {
    return std::to_string(matched) + "/" + std::to_string(all);
  };
  return of(same.placementsMatched, same.placements) + " placements, " +
         of(same.segmentEventsMatched, same.segmentEvents) + " segment events, " +
         of(same.finalBlocksMatched, same.finalBlocks) + " final blocks, " +
         std::to_string(summary.failureCount) + " failures";
}

TEST(WhatIfReproduction, Captures) {
  const std::filesystem::path folder = STRATA_SHARED_DIR "/captures/pytorch";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no captures beside the repository";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".pickle") continue;
    const Trace trace = openCapture(entry.path());
    for (const Device& device : trace.devices)
      if (device.events.count() > 0)
        std::cout << entry.path().filename() << " " << device.ordinal << " " << portraitOf(trace, device)
                  << "\n";
  }
}

}  // namespace
}  // namespace strata::what_if
