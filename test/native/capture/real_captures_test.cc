// Recordings from real programs, where the shared folder beside the checkout
// has them. What they hold was counted by an independent reader.

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "capture/made_captures.h"

namespace strata::test {
namespace {

struct Expected {
  const char* file;
  size_t device;  ///< position among the devices of the file
  int ordinal;
  size_t events;
  size_t allocations;
  size_t segments;
  uint64_t allocated, reserved, requested;
};

constexpr Expected kExpected[] = {
    {"adam-35-events", 0, 0, 35, 18, 7, 177760256, 232783872, 177759364},
    {"forward-2.7b-compile", 0, 0, 8694, 3020, 961, 34094880256, 34898706432, 33622159876},
    {"forward-small-compile", 0, 0, 8507, 2998, 30, 1043817472, 1107296256, 1029235712},
    {"from-empty-97-events", 0, 0, 97, 36, 9, 31719936, 3781165056, 31719428},
    {"npu-empty-cache", 0, 0, 8180, 2899, 34, 416417792, 509607936, 408384288},
    {"npu-expandable", 0, 0, 8092, 2899, 2, 408698880, 643825664, 408384288},
    {"npu-two-devices", 0, 0, 8132, 2899, 3, 408698880, 490733568, 408384288},
    {"npu-two-devices", 1, 1, 9700, 3216, 52, 0, 551550976, 0},
    {"state-only-1457-segments", 0, 0, 0, 0, 1457, 55083942400, 75902222336, 54660612100},
    {"steady-state-bf16", 0, 0, 2811, 937, 43, 525286400, 861929472, 523811840},
    {"torch21-4gpus", 0, 0, 4496, 1497, 82, 1875182080, 2776629248, 1874370536},
    {"torch21-state-only", 0, 1, 0, 0, 40, 545266688, 5559549952, 544460336},
    {"training-step-ctx128", 0, 0, 19770, 6770, 1010, 54873829888, 61111009280, 54597857284},
};

TEST(RealCaptures, HoldWhatAnIndependentReaderCounted) {
  const std::string folder = STRATA_SHARED_DIR "/captures/pytorch/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  for (const Expected& expected : kExpected) {
    SCOPED_TRACE(expected.file);
    const Trace trace = read(folder + expected.file + ".pickle");
    ASSERT_GT(trace.devices.size(), expected.device);
    const Device& device = trace.devices[expected.device];
    EXPECT_EQ(device.ordinal, expected.ordinal);
    EXPECT_EQ(device.events.count(), expected.events);
    EXPECT_EQ(static_cast<size_t>(
                  std::count(device.events.action.begin(), device.events.action.end(), Action::Alloc)),
              expected.allocations);
    EXPECT_EQ(device.final.segments.size(), expected.segments);
    uint64_t reserved = 0;
    for (const FinalState::Segment& segment : device.final.segments) reserved += segment.bytes;
    EXPECT_EQ(reserved, expected.reserved);
    uint64_t allocated = 0;
    for (size_t i = 0; i < device.final.blockBytes.size(); ++i) {
      if (device.final.blockState[i] == BlockState::Allocated) allocated += device.final.blockBytes[i];
    }
    EXPECT_EQ(allocated, expected.allocated);
    EXPECT_EQ(
        std::accumulate(device.final.blockRequested.begin(), device.final.blockRequested.end(), uint64_t{0}),
        expected.requested);
    EXPECT_TRUE(trace.isComplete);
    for (const Warning& warning : trace.warnings) EXPECT_FALSE(warning.isDamage) << warning.message;
  }
}

TEST(RealCaptures, NameTheirWriter) {
  const std::string folder = STRATA_SHARED_DIR "/captures/pytorch/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  EXPECT_EQ(read(folder + "adam-35-events.pickle").producer, "PyTorch 2.5 to 2.7, by its keys");
  EXPECT_EQ(read(folder + "torch21-4gpus.pickle").producer, "PyTorch 2.1, by its keys");
  EXPECT_EQ(read(folder + "npu-expandable.pickle").producer,
            "torch_npu for Ascend, by the order of its keys");
}

}  // namespace
}  // namespace strata::test
