// Logs of TensorFlow whose lines contradict each other: whatever they say, blocks and regions fit together.

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "../fuzz/check_trace.h"
#include "capture/capture.h"

namespace strata {
namespace {

/// Reads a log; aborts where its blocks and regions contradict each other at any moment.
Trace read(const std::string& text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  Trace trace = readCapture(std::span<const uint8_t>(bytes, text.size()), {});
  for (const Device& device : trace.devices) {
    fuzz::checkPlaced(trace, device);
    fuzz::checkLayout(device);
    fuzz::checkIndex(trace, device);
  }
  return trace;
}

std::string hex(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string extend(uint64_t from, uint64_t to) {
  return "Extending allocation by 1B bytes for GPU_0_bfc.\nAllocated memory at " + hex(from) + " to " +
         hex(to) + "\n";
}
std::string alloc(uint64_t address, uint64_t bytes) {
  return "[mem-debug] AllocateRaw,GPU_0_bfc," + std::to_string(bytes) + "," + hex(address) + ",\n";
}
std::string freed(uint64_t address, uint64_t bytes) {
  return "[mem-debug] DeallocateRaw,GPU_0_bfc," + std::to_string(bytes) + "," + hex(address) + ",\n";
}
std::string chunk(bool isInUse, uint64_t address, uint64_t size) {
  return (isInUse ? "InUse at " : "Free  at ") + hex(address) + " of size " + std::to_string(size) +
         " next 1\n";
}
std::string region(uint64_t size) { return "Next region of size " + std::to_string(size) + "\n"; }

/// A region of 4096 bytes at 0x1000, 1536 of them in use, by its lines.
std::vector<std::string> dump() {
  return {
      "Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.0KiB (rounded to 1024)\n",
      "BFCAllocator dump for GPU_0_bfc\n",
      region(4096),
      chunk(true, 0x1000, 1024),
      chunk(false, 0x1400, 1024),
      chunk(true, 0x1800, 512),
      chunk(false, 0x1a00, 1536),
      "Sum Total of in-use chunks: 1.5KiB\n",
      "Total bytes in pool: 4096 memory_limit_: 4096 available bytes: 0 curr_region_allocation_bytes_: 0\n"};
}
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

const Warning& warningOf(const Trace& trace, const std::string& code) {
  static const Warning none;
  for (const Warning& warning : trace.warnings)
    if (warning.code == code) return warning;
  std::string all;
  for (const Warning& warning : trace.warnings) all += " " + warning.code;
  ADD_FAILURE() << "no warning " << code << " among:" << all;
  return none;
}

uint64_t reservedOf(const Trace& trace) {
  uint64_t bytes = 0;
  for (const uint64_t segment : trace.devices.at(0).segments.bytes) bytes += segment;
  return bytes;
}

TEST(BfcContradictions, CountsALineThatComesTwiceOnce) {
  const std::vector<std::string> lines = dump();
  for (size_t i = 0; i < lines.size(); ++i) {
    SCOPED_TRACE(lines[i]);
    std::vector<std::string> doubled = lines;
    doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    const Trace trace = read(joined(doubled));
    ASSERT_EQ(trace.devices.size(), 1u);
    EXPECT_EQ(trace.devices[0].blocks.bytes, (std::vector<uint64_t>{1024, 512}));
    EXPECT_EQ(reservedOf(trace), 4096u);
    for (const Warning& warning : trace.warnings) EXPECT_FALSE(warning.isDamage) << warning.message;
  }
}

TEST(BfcContradictions, LosesNoMoreThanTheChunkOfALineThatIsGone) {
  for (size_t i = 3; i < 7; ++i) {
    std::vector<std::string> lines = dump();
    SCOPED_TRACE(lines[i]);
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
    const Trace trace = read(joined(lines));
    const size_t expected = i == 3 || i == 5 ? 1 : 2;
    EXPECT_EQ(trace.devices.at(0).blocks.count(), expected);
    EXPECT_EQ(reservedOf(trace) + trace.devices[0].possible[1].reserved, 4096u);
    EXPECT_FALSE(trace.devices[0].isEventListComplete);
  }
}

TEST(BfcContradictions, CountsTheLaterOfTwoChunksThatOverlap) {
  std::vector<std::string> lines = dump();
  lines[4] = chunk(true, 0x1400, 2048);
  const Trace trace = read(joined(lines));
  EXPECT_EQ(trace.devices[0].blocks.address, (std::vector<uint64_t>{0x1000, 0x1800}));
  EXPECT_EQ(warningOf(trace, "bfc-chunks-overlap").line, 5);
}

TEST(BfcContradictions, LeavesOutAChunkThatReachesBeyondItsRegion) {
  std::vector<std::string> lines = dump();
  lines[6] = chunk(true, 0x1a00, 153600);
  const Trace trace = read(joined(lines));
  EXPECT_EQ(trace.devices[0].blocks.count(), 2u);
  EXPECT_EQ(warningOf(trace, "bfc-chunk-outside-region").line, 7);
  EXPECT_EQ(reservedOf(trace), 2560u);
  EXPECT_EQ(trace.devices[0].possible[1].reserved, 1536u);
}

TEST(BfcContradictions, BelievesChunksThatAddUpToThePoolRatherThanTheSizeOfTheirRegion) {
  std::vector<std::string> lines = dump();
  lines[2] = region(409);
  const Trace trace = read(joined(lines));
  EXPECT_EQ(trace.devices[0].blocks.count(), 2u);
  EXPECT_EQ(reservedOf(trace), 4096u);
  EXPECT_EQ(warningOf(trace, "bfc-region-differs").line, 3);
  EXPECT_EQ(trace.devices[0].possible[1].reserved, 0u);
}

TEST(BfcContradictions, TakesLinesThatChangedPlacesForWhatTheyAre) {
  std::vector<std::string> lines = dump();
  std::swap(lines[4], lines[5]);
  const Trace trace = read(joined(lines));
  EXPECT_TRUE(trace.warnings.empty());
  EXPECT_EQ(trace.devices[0].segments.count(), 1u);
}

TEST(BfcContradictions, LeavesOutAnAllocationAcrossTheBorderOfARegion) {
  const Trace trace = read(extend(0x1000, 0x2000) + alloc(0x1f00, 512) + alloc(0x1000, 256));
  EXPECT_EQ(trace.devices[0].blocks.address, std::vector<uint64_t>{0x1000});
  EXPECT_EQ(warningOf(trace, "allocation-across-segments").line, 3);
}

TEST(BfcContradictions, JoinsRegionsThatTouchWhereABlockLiesInBoth) {
  const Trace trace = read(extend(0x1000, 0x1400) + extend(0x1400, 0x2000) + alloc(0x1000, 2048));
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.blocks.count(), 1u);
  EXPECT_EQ(device.segments.range[0], device.segments.range[1]);
  EXPECT_TRUE(trace.warnings.empty());
}

TEST(BfcContradictions, EndsARegionAndItsBlocksWhereAnotherIsTaken) {
  const Trace trace =
      read(extend(0x1000, 0x2000) + alloc(0x1000, 256) + extend(0x1800, 0x2800) + alloc(0x1800, 256));
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.segments.death, (std::vector<EventIndex>{2, kNever}));
  EXPECT_EQ(device.blocks.death, (std::vector<EventIndex>{2, kNever}));
  EXPECT_EQ(warningOf(trace, "segments-overlap").line, 5);
  EXPECT_EQ(warningOf(trace, "segment-in-use").line, 5);
}

TEST(BfcContradictions, ChangesNothingWhereARegionIsTakenTwiceOrABlockIsFreedTwice) {
  const Trace trace = read(extend(0x1000, 0x2000) + alloc(0x1000, 256) + extend(0x1000, 0x2000) +
                           freed(0x1000, 256) + freed(0x1000, 256));
  EXPECT_EQ(trace.devices[0].segments.count(), 1u);
  EXPECT_EQ(trace.devices[0].blocks.death, std::vector<EventIndex>{3});
  EXPECT_EQ(warningOf(trace, "segment-taken-twice").line, 5);
  EXPECT_EQ(warningOf(trace, "freed-twice").line, 7);
}

TEST(BfcContradictions, KeepsWhatTheEventsSayBeyondADumpThatLacksLines) {
  std::vector<std::string> lines = dump();
  lines.erase(lines.begin() + 5);
  const Trace trace = read(extend(0x1000, 0x2000) + alloc(0x1000, 1024) + alloc(0x1800, 512) + joined(lines));
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.blocks.death, (std::vector<EventIndex>{kNever, kNever}));
  EXPECT_EQ(device.segments.count(), 1u);
}

TEST(BfcContradictions, FitTogetherWhateverTheLinesAre) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::printf("seed %u\n", seed);
  const auto pick = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (int row = 0; row < 40; ++row) {
      const uint64_t address = 0x1000 + 256 * pick(24), bytes = 256 * (1 + pick(8));
      switch (pick(8)) {
        case 0:
          text += extend(address, address + bytes * 2);
          break;
        case 1:
          text += alloc(address, bytes);
          break;
        case 2:
          text += alloc(address, bytes);
          break;
        case 3:
          text += freed(address, bytes);
          break;
        case 4:
          text += region(bytes * 2);
          break;
        case 5:
          text += chunk(pick(2) != 0, address, bytes);
          break;
        case 6:
          text += pick(4) == 0 ? "Garbage collection: deallocate free memory regions\n"
                               : chunk(true, address, bytes);
          break;
        default:
          text += pick(3) == 0 ? joined(dump()) : dump()[pick(9)];
      }
    }
    read(text);
  }
}

}  // namespace
}  // namespace strata
