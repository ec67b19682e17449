#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <locale>
#include <sstream>

#include "allocator/rebuild.h"
#include "allocator/rebuild_truth.h"
#include "capture/capture.h"

namespace strata::test {
namespace {

/// Digits in groups of three, as people read them.
std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

/// What a quantity is after each event, the first entry being the moment before
/// the first.
class Series {
 public:
  explicit Series(size_t events) : change_(events + 2, 0) {}
  void add(EventIndex from, EventIndex to, uint64_t bytes) {
    change_[static_cast<size_t>(from + 1)] += static_cast<int64_t>(bytes);
    if (to != kNever) change_[static_cast<size_t>(to + 1)] -= static_cast<int64_t>(bytes);
  }
  std::string summary(const std::string& name) const {
    int64_t now = 0, peak = -1, at = 0;
    for (size_t i = 0; i + 1 < change_.size(); ++i) {
      now += change_[i];
      if (now <= peak) continue;
      peak = now;
      at = static_cast<int64_t>(i) - 1;
    }
    return "\n  " + name + " peak " + grouped(peak) + " at event " + std::to_string(at) + ", final " +
           grouped(now);
  }

 private:
  std::vector<int64_t> change_;
};

std::string portraitOf(const Device& device) {
  const BlockColumns& blocks = device.blocks;
  const size_t events = device.events.count();
  Series allocated(events), active(events), reserved(events), requested(events);
  for (size_t row = 0; row < blocks.count(); ++row) {
    allocated.add(blocks.birth[row], blocks.freeRequested[row], blocks.bytes[row]);
    active.add(blocks.birth[row], blocks.death[row], blocks.bytes[row]);
    requested.add(blocks.birth[row], blocks.death[row], blocks.requested[row]);
  }
  for (size_t row = 0; row < device.segments.count(); ++row)
    reserved.add(device.segments.birth[row], device.segments.death[row], device.segments.bytes[row]);
  std::ostringstream out;
  out << "device " << device.ordinal << ", " << events << " events, " << device.final.segments.size()
      << " segments at the end\n  " << summaryOf(device.exactness);
  if (device.kind == DeviceKind::Cuda)
    out << allocated.summary("allocated") << active.summary("active") << reserved.summary("reserved")
        << requested.summary("requested");
  return out.str();
}

struct Expected {
  const char* file;
  std::vector<const char*> devices;
};

/// Peaks and finals as an independent model found them.
const std::vector<Expected> kExpected = {
    {"adam-35-events.pickle", {R"(device 0, 35 events, 7 segments at the end
  exact 18/18, segments 7/7, final blocks 21/21
  allocated peak 217,764,352 at event 30, final 177,760,256
  active peak 217,764,352 at event 30, final 177,760,256
  reserved peak 232,783,872 at event 28, final 232,783,872
  requested peak 217,763,364 at event 30, final 177,759,364)"}},
    {"forward-2.7b-compile.pickle", {R"(device 0, 8694 events, 961 segments at the end
  exact 3020/3020, segments 920/920, final blocks 2077/2077
  allocated peak 34,368,560,640 at event 3404, final 34,094,880,256
  active peak 34,368,560,640 at event 3404, final 34,094,880,256
  reserved peak 51,849,986,048 at event -1, final 34,898,706,432
  requested peak 33,895,840,260 at event 3404, final 33,622,159,876)"}},
    {"forward-small-compile.pickle", {R"(device 0, 8507 events, 30 segments at the end
  exact 2998/2998, segments 3/3, final blocks 378/378
  allocated peak 1,043,817,472 at event 8506, final 1,043,817,472
  active peak 1,043,817,472 at event 8506, final 1,043,817,472
  reserved peak 1,107,296,256 at event 903, final 1,107,296,256
  requested peak 1,029,235,712 at event 8506, final 1,029,235,712)"}},
    {"from-empty-97-events.pickle", {R"(device 0, 97 events, 9 segments at the end
  exact 36/36, segments 9/9, final blocks 20/20
  allocated peak 3,249,144,832 at event 52, final 31,719,936
  active peak 3,249,144,832 at event 52, final 31,719,936
  reserved peak 3,781,165,056 at event 51, final 3,781,165,056
  requested peak 3,249,143,816 at event 52, final 31,719,428)"}},
    {"npu-empty-cache.pickle", {R"(device 0, 8180 events, 34 segments at the end
  estimated 2899/2899, segments 133/133, final blocks 685/685, other-allocator)"}},
    {"npu-expandable.pickle", {R"(device 0, 8092 events, 2 segments at the end
  estimated 2478/2898, segments 45/45, final blocks 717/717, other-allocator)"}},
    {"npu-two-devices.pickle",
     {R"(device 0, 8132 events, 3 segments at the end
  estimated 2478/2898, segments 85/85, final blocks 718/718, other-allocator)",
      R"(device 1, 9700 events, 52 segments at the end
  estimated 3216/3216, segments 52/52, final blocks 52/52, other-allocator)"}},
    {"state-only-1457-segments.pickle", {R"(device 0, 0 events, 1457 segments at the end
  not-applicable 0/0, segments 0/0, final blocks 1912/1912
  allocated peak 55,083,942,400 at event -1, final 55,083,942,400
  active peak 55,083,942,400 at event -1, final 55,083,942,400
  reserved peak 75,902,222,336 at event -1, final 75,902,222,336
  requested peak 54,660,612,100 at event -1, final 54,660,612,100)"}},
    {"steady-state-bf16.pickle", {R"(device 0, 2811 events, 43 segments at the end
  exact 937/937, segments 0/0, final blocks 178/178
  allocated peak 815,783,936 at event 2630, final 525,286,400
  active peak 815,783,936 at event 2630, final 525,286,400
  reserved peak 861,929,472 at event -1, final 861,929,472
  requested peak 779,837,440 at event 2630, final 523,811,840)"}},
    {"torch21-4gpus.pickle", {R"(device 0, 4496 events, 82 segments at the end
  exact 1497/1497, segments 13/13, final blocks 415/415
  allocated peak 2,409,857,536 at event 4487, final 1,875,182,080
  active peak 2,409,857,536 at event 4487, final 1,875,182,080
  reserved peak 2,776,629,248 at event 4485, final 2,776,629,248
  requested peak 2,409,045,992 at event 4487, final 1,874,370,536)"}},
    {"torch21-state-only.pickle", {R"(device 1, 0 events, 40 segments at the end
  not-applicable 0/0, segments 0/0, final blocks 213/213
  allocated peak 545,266,688 at event -1, final 545,266,688
  active peak 545,266,688 at event -1, final 545,266,688
  reserved peak 5,559,549,952 at event -1, final 5,559,549,952
  requested peak 544,460,336 at event -1, final 544,460,336)"}},
    {"training-step-ctx128.pickle", {R"(device 0, 19770 events, 1010 segments at the end
  exact 6770/6770, segments 1212/1212, final blocks 1525/1525
  allocated peak 55,079,000,576 at event 19763, final 54,873,829,888
  active peak 55,079,000,576 at event 19763, final 54,873,829,888
  reserved peak 61,111,009,280 at event 19762, final 61,111,009,280
  requested peak 54,802,667,524 at event 19763, final 54,597,857,284)"}},
};

TEST(RebuildCaptures, EveryRealCaptureComesOutAsRecorded) {
  const std::filesystem::path folder = std::filesystem::path(STRATA_SHARED_DIR) / "captures" / "pytorch";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there are no real captures in " << folder;
  for (const Expected& expected : kExpected) {
    SCOPED_TRACE(expected.file);
    Trace trace = readCapture((folder / expected.file).string(), {});
    rebuild(trace, {});
    ASSERT_EQ(trace.devices.size(), expected.devices.size());
    for (size_t at = 0; at < trace.devices.size(); ++at) {
      EXPECT_EQ(portraitOf(trace.devices[at]), expected.devices[at]);
      EXPECT_EQ(brokenInvariants(trace.devices[at]), "");
    }
  }
}

}  // namespace
}  // namespace strata::test
