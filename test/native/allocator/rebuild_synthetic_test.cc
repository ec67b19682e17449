#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "allocator/rebuild.h"
#include "allocator/rebuild_truth.h"
#include "capture/capture.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

struct Variant {
  const char* options;
  const char* expected;  ///< of each device, by its verdict and code
};

/// The generator's expandable model picks a free block by its size alone, where the real allocator counts the
/// space it can grow into as well: those recordings disagree with the rules, and must be said to.
constexpr Variant kVariants[] = {
    {"3000", "exact"},
    {"3000 --streams 3 --oom", "exact"},
    {"3000 --pools --version 2.14", "exact"},
    {"3000 --pools --version 2.6 --ring", "exact or hidden-ends"},
    {"3000 --ring --devices 2 --version 2.1", "exact or hidden-ends"},
    {"3000 --version 2.0 --proto 2", "exact"},
    {"3000 --version 2.10 --proto 5 --streams 2", "exact"},
    {"3000 --json --ring", "exact or hidden-ends"},
    {"3000 --expandable", "placement-differs"},
    {"3000 --expandable --ring --streams 3", "placement-differs"},
    {"3000 --version 1.13", "not-applicable"},
};

std::string verdictOf(const Exactness& exactness) {
  if (exactness.verdict == Exactness::Verdict::NotApplicable) return "not-applicable";
  return exactness.verdict == Exactness::Verdict::Exact ? "exact" : exactness.code;
}

TEST(RebuildSynthetic, EveryShapeOfSnapshotIsRebuilt) {
  const fs::path generator = fs::path(STRATA_SHARED_DIR) / "tools" / "gen_snapshot.py";
  if (!fs::exists(generator)) GTEST_SKIP() << "there is no generator at " << generator;
  if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "python3 is not installed";
  const fs::path file = fs::temp_directory_path() / ("strata-synthetic-" + std::to_string(getpid()));
  for (const Variant& variant : kVariants) {
    SCOPED_TRACE(variant.options);
    const std::string numbers = std::string(variant.options).substr(0, 4) + " ";
    const std::string command = "python3 '" + generator.string() + "' " + numbers + "'" + file.string() +
                                "' " + std::string(variant.options).substr(4) +
                                " --depth 8 --stacks 50 2> /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    Trace trace = readCapture(file.string(), {});
    rebuild(trace, {});
    for (const Device& device : trace.devices) {
      const std::string verdict = verdictOf(device.exactness);
      EXPECT_NE(std::string(variant.expected).find(verdict), std::string::npos) << verdict;
      EXPECT_EQ(device.exactness.finalBlocksMatched, device.exactness.finalBlocks);
      EXPECT_EQ(device.exactness.segmentEventsMatched, device.exactness.segmentEvents);
      EXPECT_EQ(brokenInvariants(device), "");
    }
  }
  fs::remove(file);
}

}  // namespace
}  // namespace strata::test
