#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "allocator/rebuild.h"
#include "analysis/index.h"
#include "capture/capture.h"

namespace strata {
namespace {

/// The number behind a key, looking from a position on; -2 when the key does
/// not follow.
int64_t numberAfter(const std::string& text, const std::string& key, size_t& at) {
  const size_t found = text.find("\"" + key + "\": ", at);
  if (found == std::string::npos) return -2;
  at = found + key.size() + 4;
  return std::strtoll(text.c_str() + at, nullptr, 10);
}

constexpr const char* kCounters[] = {"allocated", "active", "reserved", "requested"};

/// facts.json holds one capture a line, with its devices in order.
void compareWithFacts(const std::string& line, const Trace& trace) {
  size_t at = 0;
  for (const Device& device : trace.devices) {
    const Index index(trace, device);
    at = line.find("\"final\": ", at);
    ASSERT_NE(at, std::string::npos);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(static_cast<int64_t>(index.extremes().final[kAllRegions][i]),
                numberAfter(line, kCounters[i], at))
          << kCounters[i];
    }
    const size_t nextDevice = std::min(line.find("\"ordinal\"", at), line.size());
    const size_t peak = line.find("\"peak\": ", at);
    if (peak >= nextDevice) continue;  // facts know no peaks of Ascend's files
    at = peak;
    for (int i = 0; i < 4; ++i) {
      at = line.find(std::string("\"") + kCounters[i] + "\"", at);
      EXPECT_EQ(static_cast<int64_t>(index.extremes().peak[kAllRegions][i].bytes),
                numberAfter(line, "bytes", at))
          << kCounters[i];
      EXPECT_EQ(index.extremes().peak[kAllRegions][i].event, numberAfter(line, "event", at)) << kCounters[i];
    }
  }
}

TEST(IndexOfRealCaptures, HasThePeaksAndFinalsThatAreKnownOfThem) {
  const std::filesystem::path folder = std::filesystem::path(STRATA_SHARED_DIR) / "captures/pytorch";
  std::ifstream facts(folder / "facts.json");
  if (!facts) GTEST_SKIP() << "no captures at " << folder;
  std::string line;
  while (std::getline(facts, line)) {
    const std::string key = "{\"file\": \"";
    if (!line.starts_with(key)) continue;
    const std::string file = line.substr(key.size(), line.find('"', key.size()) - key.size());
    SCOPED_TRACE(file);
    Trace trace = readCapture((folder / file).string(), {});
    rebuild(trace, {});
    compareWithFacts(line, trace);
  }
}

}  // namespace
}  // namespace strata
