#include <gtest/gtest.h>

#include <sstream>

#include "allocator/golden_trace.h"
#include "allocator/golden_writer.h"
#include "allocator/replay_error.h"

namespace strata {
namespace {

/// The sentence a trace or a configuration is refused with.
template <typename Read>
std::string refusalOf(Read&& read) {
  try {
    read();
  } catch (const ReplayError& error) {
    return error.what();
  }
  return "accepted";
}
std::string traceRefusal(std::string_view text) {
  return refusalOf([&] { parseGoldenTrace(text); });
}
std::string configRefusal(std::string_view text) {
  return refusalOf([&] { makeSimulation(parseGoldenConfig(text)).start(); });
}

TEST(ReplayTrace, ReadsEveryOperation) {
  const RequestTrace trace = parseGoldenTrace(
      "# trace v1 name=all ops=12\n# a comment\na 1 100\na 7 200 3\r\nf 1\nr 7 2\ne\ns\ns 4\np 5\nq 5\nx 5\n"
      "m 0.5\nt\nw 9\nb 2");
  EXPECT_EQ(trace.name, "all");
  EXPECT_EQ(trace.operations.size(), 14u);
  EXPECT_EQ(trace.ids, (std::vector<uint64_t>{1, 7}));
  EXPECT_EQ(trace.operations[1].stream, 3u);
  EXPECT_EQ(trace.operations[3].stream, 2u);
  EXPECT_TRUE(trace.controls[2].hasStream);
  EXPECT_EQ(trace.controls[6].fraction, 0.5);
  EXPECT_TRUE(trace.warnings.empty());
}

TEST(ReplayTrace, WarnsOfAFreeOfWhatWasNeverAllocatedAndGoesOn) {
  const RequestTrace trace = parseGoldenTrace("a 1 100\nf 2\nf 1\nf 1\nr 9 1\na 3 5\n");
  ASSERT_EQ(trace.warnings.size(), 3u);
  EXPECT_EQ(trace.warnings[0].message, "Operation 1 frees id 2, which is not alive; it is ignored.");
  EXPECT_EQ(trace.warnings[1].byte, 3);
  EXPECT_EQ(trace.operations.size(), 6u) << "what is ignored keeps its place in the order";
  EXPECT_EQ(trace.operations[1].kind, RequestTrace::Operation::Kind::Ignored);
}

TEST(ReplayTrace, WarnsOfAnIdThatIsAllocatedTwiceAndMeansTheNewerBlock) {
  const RequestTrace trace = parseGoldenTrace("a 1 100\na 1 200\nf 1\n");
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_EQ(trace.operations[2].request, 1u);
}

TEST(ReplayTrace, CountsTheWarningsItDoesNotRepeat) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "f 1\n";
  const RequestTrace trace = parseGoldenTrace(text);
  ASSERT_EQ(trace.warnings.size(), 101u);
  EXPECT_EQ(trace.warnings.back().message, "There are 400 more warnings of this kind.");
}

TEST(ReplayTrace, RefusesALineThatIsNoOperationAndSaysWhich) {
  EXPECT_EQ(traceRefusal("a 1 2\nz 3\n"), "Line 2 of the trace, \"z 3\", is not an operation.");
  EXPECT_EQ(traceRefusal("a 1\n"), "Line 1 of the trace, \"a 1\", is too short.");
  EXPECT_EQ(traceRefusal("a 1 -5\n"),
            "Line 1 of the trace, \"a 1 -5\", does not have a whole number from 0 to 2^63 where it should.");
  EXPECT_EQ(traceRefusal("a 1 99999999999999999999\n"),
            "Line 1 of the trace, \"a 1 99999999999999999999\", does not have a whole number from 0 to 2^63 "
            "where it should.");
  EXPECT_EQ(traceRefusal("m 1.5\n"),
            "Line 1 of the trace, \"m 1.5\", does not have a fraction between 0 and 1.");
  EXPECT_EQ(traceRefusal("f 1 2 3 4 5\n"), "Line 1 of the trace, \"f 1 2 3 4 5\", has too many words.");
}

TEST(ReplayTrace, SparseAndHugeIdsAreRead) {
  const RequestTrace trace = parseGoldenTrace("a 9000000000000000000 1\na 5 1\nf 9000000000000000000\nf 5\n");
  EXPECT_TRUE(trace.warnings.empty());
  EXPECT_EQ(trace.operations[2].request, 0u);
  EXPECT_EQ(trace.operations[3].request, 1u);
}

TEST(ReplayConfig, RefusesWhatItDoesNotKnowByName) {
  EXPECT_EQ(configRefusal(R"({"allocator":"bfc","limit":1000,"limits":5})"),
            "The allocator bfc has no setting called \"limits\".");
  EXPECT_EQ(configRefusal(R"({"allocator":"rmm-pool","total":1000,"devcap":5})"),
            "The allocator rmm-pool has no setting called \"devcap\".");
  EXPECT_EQ(configRefusal(R"({"allocator":"tlsf"})"), "There is no allocator called \"tlsf\".");
  EXPECT_EQ(configRefusal(R"({"limit":5})"), "The configuration does not name its \"allocator\".");
  EXPECT_EQ(configRefusal(R"({"allocator":"bfc"})"), "The configuration has no \"limit\", which bfc needs.");
}

TEST(ReplayConfig, RefusesValuesOutOfRangeAndSaysTheRange) {
  EXPECT_EQ(configRefusal(R"({"allocator":"bfc","limit":0})"),
            "The setting \"limit\" must be a whole number from 1 to 9223372036854775807; it is 0.");
  EXPECT_EQ(configRefusal(R"({"allocator":"bfc","limit":5,"allow_growth":2})"),
            "The setting \"allow_growth\" must be a whole number from 0 to 1; it is 2.");
  EXPECT_EQ(configRefusal(R"({"allocator":"bfc","limit":5,"fragmentation_fraction":1.5})"),
            "The setting \"fragmentation_fraction\" must be a number from 0 to 1; it is 1.5.");
  EXPECT_EQ(configRefusal(R"({"allocator":"bfc","limit":5,"policy":"worstfit"})"),
            "The setting \"policy\" must be \"bump\", \"firstfit\" or \"desc\"; it is \"worstfit\".");
  EXPECT_EQ(configRefusal(R"({"allocator":"rmm-pool","total":5,"initial_pool_size":100})"),
            "The setting \"initial_pool_size\" must be a multiple of 256; it is 100.");
  EXPECT_EQ(
      configRefusal(R"({"allocator":"rmm-pool","total":5,"initial_pool_size":512,"maximum_pool_size":256})"),
      "The setting \"initial_pool_size\" (512) is larger than \"maximum_pool_size\" (256).");
  EXPECT_EQ(configRefusal(R"({"allocator":"bfc","limit":5,"limit":6})"),
            "The setting \"limit\" is given twice.");
}

TEST(ReplayConfig, RefusesADeviceTooSmallForTheStart) {
  EXPECT_EQ(configRefusal(R"({"allocator":"rmm-pool","total":5,"initial_pool_size":256})"),
            "The device is too small for what the allocator takes before the first request.");
}

TEST(ReplayConfig, RefusesBrokenJson) {
  for (const char* text :
       {"", "[]", "{", "{\"a\"}", "{\"a\":1,}", "{\"a\":1}x", "{\"a\":[[[[[[1]]]]]]}", "{\"a\":\"b"})
    EXPECT_NE(configRefusal(text).find("is not one JSON object"), std::string::npos) << text;
}

TEST(Replay, WarnsOfRequestsThatCouldNeverBeServed) {
  const RequestTrace trace = parseGoldenTrace("a 1 100\na 2 5000\nf 2\na 3 6000\n");
  const GoldenRun run =
      writeGolden(trace, parseGoldenConfig(R"({"allocator":"bfc","limit":1024})"), nullptr, {});
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.warnings[0].message,
            "Operation 1 asks for 5000 bytes, more than the 1024 this allocator can ever hand out; 2 such "
            "requests are refused.");
  EXPECT_EQ(run.totals.refused, 2u);
  EXPECT_EQ(run.totals.firstRefused, 1);
}

TEST(Replay, IgnoredOperationsChangeNothingButCount) {
  std::ostringstream with, without;
  const GoldenConfig config = parseGoldenConfig(R"({"allocator":"bfc","limit":1048576,"light":true})");
  writeGolden(parseGoldenTrace("a 1 100\nf 9\na 2 100\n"), config, &with, {});
  writeGolden(parseGoldenTrace("a 1 100\ne\na 2 100\n"), config, &without, {});
  EXPECT_EQ(with.str(), without.str());
}

TEST(Replay, IsCancelledByItsProgress) {
  const RequestTrace trace = parseGoldenTrace("a 1 100\n");
  const GoldenConfig config = parseGoldenConfig(R"({"allocator":"bfc","limit":1024})");
  const Progress never = [](const char*, uint64_t, uint64_t, uint64_t) { return false; };
  EXPECT_THROW(writeGolden(trace, config, nullptr, never), Cancelled);
}

}  // namespace
}  // namespace strata
