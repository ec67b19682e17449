#include "capture/protobuf/pprof.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/consumers.h"
#include "capture/capture.h"
#include "capture/protobuf/encoder.h"

namespace strata::protobuf {
namespace {

using test::Encoder;

/// Texts of the profile, by row.
const std::vector<std::string> kTexts = {"",       "allocations", "count", "space",  "bytes",
                                         "device", "cuda:0",      "kind",  "buffer", "executable",
                                         "init",   "train.py",    "cuda:1"};

Encoder label(uint64_t key, uint64_t text) { return Encoder().number(1, key).number(2, text); }

Encoder sample(std::string_view locations, uint64_t count, uint64_t bytes, uint64_t device, uint64_t kind) {
  return Encoder()
      .text(1, locations)
      .number(2, count)
      .number(2, bytes)
      .message(3, label(7, kind))
      .message(3, label(5, device));
}

std::string profile(std::initializer_list<Encoder> samples) {
  Encoder file;
  file.message(1, Encoder().number(1, 1).number(2, 2)).message(1, Encoder().number(1, 3).number(2, 4));
  for (const Encoder& one : samples) file.message(2, one);
  file.message(4, Encoder().number(1, 1).message(4, Encoder().number(1, 1).number(2, 42)));
  file.message(5, Encoder().number(1, 1).number(2, 10).number(4, 11));
  for (const std::string& text : kTexts) file.text(6, text);
  return file.bytes();
}

Trace read(const std::string& bytes) {
  return readCapture(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), {});
}

TEST(Pprof, ShowsWhatEachCallSiteHoldsOnEachDevice) {
  const Trace trace = read(profile({sample("\x01", 12, 4096, 6, 8), sample("\x01", 1, 512, 12, 8)}));
  EXPECT_EQ(trace.format, "jax-memory-profile");
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[0].allocator, "cuda:0");
  EXPECT_EQ(trace.devices[0].layout, DeviceLayout::Totals);
  EXPECT_EQ(trace.devices[1].blocks.bytes, (std::vector<uint64_t>{512}));
  const uint32_t frame = trace.stacks.at(trace.devices[0].blocks.stack[0])[0];
  EXPECT_EQ(trace.strings.at(trace.frames.name(frame)), "init");
  EXPECT_EQ(trace.strings.at(trace.frames.file(frame)), "train.py");
  EXPECT_EQ(trace.frames.line(frame), 42);
}

TEST(Pprof, CountsTheBuffersOfACallSite) {
  const Trace trace = read(profile({sample("\x01", 12, 4099, 6, 8)}));
  const auto consumers = consumersAt(trace.devices[0], kBeforeFirst, 5);
  ASSERT_EQ(consumers.size(), 1u);
  EXPECT_EQ(consumers[0].bytes, 4099u);
  EXPECT_EQ(consumers[0].count, 12u);
}

TEST(Pprof, DoesNotCountMoreBuffersThanThereAreBytes) {
  const Trace trace =
      read(profile({sample("\x01", 600, 512, 6, 8), sample("\x01", 5'000'000, 1ull << 40, 6, 8)}));
  EXPECT_EQ(trace.devices[0].blocks.count(), 2u);
  EXPECT_EQ(trace.warnings[0].code, "pprof-counts");
}

TEST(Pprof, NamesExecutablesByTheirKind) {
  const Trace trace = read(profile({sample("", 1, 512, 6, 9)}));
  const uint32_t frame = trace.stacks.at(trace.devices[0].blocks.stack[0])[0];
  EXPECT_EQ(trace.strings.at(trace.frames.name(frame)), "executable");
}

TEST(Pprof, LeavesOutSamplesThatNoDeviceCouldHold) {
  const Trace trace = read(profile({sample("\x01", 1, 512, 6, 8), sample("\x01", 1, UINT64_MAX, 6, 8)}));
  EXPECT_EQ(trace.devices[0].blocks.count(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "pprof-samples");
}

TEST(Pprof, RefusesAProfileOfTime) {
  const std::string bytes = Encoder()
                                .message(1, Encoder().number(1, 1).number(2, 2))
                                .message(2, Encoder().number(2, 5))
                                .text(6, "")
                                .text(6, "cpu")
                                .text(6, "nanoseconds")
                                .bytes();
  try {
    read(bytes);
    FAIL();
  } catch (const CaptureError& error) {
    EXPECT_EQ(error.code, "pprof-not-memory");
  }
}

TEST(Pprof, EndsInADefinedWayWhereverItIsCut) {
  const std::string whole = profile({sample("\x01", 12, 4096, 6, 8), sample("\x01", 1, 512, 12, 8)});
  for (size_t length = 2; length < whole.size(); ++length) {
    try {
      EXPECT_FALSE(read(whole.substr(0, length)).devices.empty());
    } catch (const CaptureError& error) {
      EXPECT_FALSE(error.remedy.empty());
    }
  }
}

}  // namespace
}  // namespace strata::protobuf
