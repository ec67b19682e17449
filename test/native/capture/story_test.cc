// One story in every version, protocol and language that a snapshot can come
// in.

#include <gtest/gtest.h>

#include "capture/made_captures.h"

namespace strata::test {
namespace {

constexpr char kEvents[] =
    R"(  segment_alloc 7f0000000000 2097152 at 0 in forward@/home/ada/model.py:40 main@/home/ada/train.py:12
  alloc 7f0000000000 1000 at 1 in forward@/home/ada/model.py:40 main@/home/ada/train.py:12
  alloc 7f0000000400 512 at 1 in step@/home/ada/optim.py:7 main@/home/ada/train.py:12
  free_requested 7f0000000000 1000 at 5 in main@/home/ada/train.py:12
  free_completed 7f0000000000 1000 at 5 in main@/home/ada/train.py:12
  snapshot 0 512 at 9
)";

constexpr char kBlocks[] =
    R"(    inactive 7f0000000000 1024 requested 0
    allocated 7f0000000400 512 requested 512 in step@/home/ada/optim.py:7 main@/home/ada/train.py:12
    inactive 7f0000000600 2095616 requested 0
)";

constexpr char kSegment[] =
    "  segment 7f0000000000 2097152 allocated 512 "
    "active 512 requested 512 small";
constexpr char kSegmentStack[] = " in forward@/home/ada/model.py:40 main@/home/ada/train.py:12";
constexpr char kAnnotation[] = "annotation ProfilerStep#1 of 0 from 0 to 6 depth 0\n";

std::string withoutTimes(std::string text) {
  for (size_t at; (at = text.find(" at ")) != std::string::npos;) text.erase(at, 5);
  return text;
}

std::string expectedStory(const std::string& version) {
  const bool hasEvents = version >= "2.00";
  std::string text = hasEvents ? "cuda 0\n" : "cuda 0 without history\n";
  if (hasEvents) text += version >= "2.02" ? kEvents : withoutTimes(kEvents);
  text += std::string(kSegment) + (version >= "2.01" ? kSegmentStack : "") + "\n" + kBlocks;
  if (version >= "2.05") text += kAnnotation;
  return text;
}

TEST(Story, IsTheSameInEveryVersionWriterAndLanguage) {
  for (const char* version :
       {"1.13", "2.00", "2.01", "2.02", "2.03", "2.05", "2.08", "2.10", "2.12", "2.14"}) {
    for (const char* form : {".pickle", ".json", "-cpp.pickle"}) {
      const std::string name = std::string("story-") + version + form;
      const Trace trace = read(madeCapture(name));
      EXPECT_EQ(describe(trace), expectedStory(version)) << name;
      EXPECT_EQ(warningCodes(trace), std::string(version) == "1.13" ? "no-history" : "") << name;
      EXPECT_TRUE(trace.isComplete) << name;
      EXPECT_EQ(trace.fileBytes, bytesOf(madeCapture(name)).size()) << name;
    }
  }
}

TEST(Story, IsTheSameInEveryProtocolAndInAPage) {
  for (const char* name :
       {"story-protocol-0.pickle", "story-protocol-1.pickle", "story-protocol-2.pickle",
        "story-protocol-3.pickle", "story-protocol-4.pickle", "story-protocol-5.pickle",
        "story-unbuffered.pickle", "story-pretty.json", "story-mark.json", "story-page.html"}) {
    const Trace trace = read(madeCapture(name));
    EXPECT_EQ(describe(trace), expectedStory("2.14")) << name;
    EXPECT_EQ(warningCodes(trace), "") << name;
  }
}

TEST(Story, ProducerIsAsNarrowAsTheKeysProve) {
  const auto producer = [](const std::string& name) { return read(madeCapture(name)).producer; };
  EXPECT_EQ(producer("story-1.13.pickle"), "PyTorch 1.13, by its keys");
  EXPECT_EQ(producer("story-2.00.pickle"), "PyTorch 2.0, by its keys");
  EXPECT_EQ(producer("story-2.01.pickle"), "PyTorch 2.1, by its keys");
  EXPECT_EQ(producer("story-2.02.pickle"), "PyTorch 2.2, by its keys");
  EXPECT_EQ(producer("story-2.03.pickle"), "PyTorch 2.3 to 2.4, by its keys");
  EXPECT_EQ(producer("story-2.05.pickle"), "PyTorch 2.5 to 2.7, by its keys");
  EXPECT_EQ(producer("story-2.08.pickle"), "PyTorch 2.8 to 2.9, by its keys");
  EXPECT_EQ(producer("story-2.10.pickle"), "PyTorch 2.10 to 2.11, by its keys");
  EXPECT_EQ(producer("story-2.12.pickle"), "PyTorch 2.12 or later, by its keys");
  EXPECT_EQ(producer("story-2.14.pickle"), "PyTorch 2.14 or later, by its keys");
}

TEST(Story, SharesFramesStacksAndStrings) {
  const Trace trace = read(madeCapture("story-2.14.json"));  // where nothing is shared in the file
  EXPECT_EQ(trace.frames.count(), 3u);
  EXPECT_EQ(trace.stacks.count(), 3u);
}

TEST(Story, SettingsAreTextInTheOrderOfTheFile) {
  const Trace trace = read(madeCapture("story-2.14.pickle"));
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:False"},
      {"max_split_size", "-1"},
      {"garbage_collection_threshold", "0.8"},
      {"expandable_segments", "false"},
      {"roundup_power2_divisions", "{1: 0, 2: 4}"},
      {"graph_capture_record_stream_reuse", "false"}};
  EXPECT_EQ(trace.settings, expected);
}

TEST(Story, TimeStartsAtTheFirstEvent) {
  const Trace trace = read(madeCapture("story-2.14.pickle"));
  EXPECT_TRUE(trace.hasClock);
  EXPECT_EQ(trace.originNs, 1'700'000'000'000'000'000);
  EXPECT_FALSE(read(madeCapture("story-2.01.pickle")).hasClock);
}

TEST(Story, APageWithTwoSnapshotsShowsTheFirstAndSaysSo) {
  const Trace trace = read(madeCapture("story-two-pages.html"));
  EXPECT_EQ(describe(trace), expectedStory("2.14"));
  EXPECT_EQ(warningCodes(trace), "html-more-snapshots");
}

}  // namespace
}  // namespace strata::test
