#include <gtest/gtest.h>

#include <cstdio>

#include "allocator/golden_files.h"

namespace strata::test {
namespace {

/// All golden files of one folder, or a skip that says why there is nothing to compare.
void expectReproduced(const std::string& folder, const std::string& traceFolder) {
  const std::vector<std::string> files = goldenFilesIn(folder);
  if (files.empty()) GTEST_SKIP() << folder << " is not there: its placements cannot be compared";
  size_t reproduced = 0;
  for (const std::string& file : files) {
    const std::string difference = compareWithGolden(file, traceFolder);
    EXPECT_EQ(difference, "") << file;
    if (difference.empty()) ++reproduced;
  }
  std::printf("%s: %zu of %zu files reproduced line by line\n", folder.c_str(), reproduced, files.size());
}

const std::string kOwn = std::string(STRATA_TEST_DIR) + "/golden/vectors";
const std::string kShared = std::string(STRATA_SHARED_DIR) + "/golden";

TEST(Golden, OwnVectorsOfEveryAllocatorAreReproduced) { expectReproduced(kOwn, kOwn + "/traces"); }

TEST(Golden, RealBfcPlacementsEventsAndStatesAreReproduced) {
  expectReproduced(kShared + "/bfc", kShared + "/traces");
}

TEST(Golden, RealRmmPlacementsEventsAndStatesAreReproduced) {
  expectReproduced(kShared + "/rmm", kShared + "/traces");
}

TEST(Golden, RealPytorchPlacementsEventsAndStatesAreReproduced) {
  expectReproduced(kShared + "/pytorch", kShared + "/traces");
}

}  // namespace
}  // namespace strata::test
