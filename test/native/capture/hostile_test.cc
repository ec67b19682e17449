// Files that are made to harm, or are something else altogether.

#include <gtest/gtest.h>

#include <filesystem>

#include "capture/made_captures.h"

namespace strata::test {
namespace {

TEST(Hostile, OpcodesThatRunOrBuildAreRefusedByNameAndPlace) {
  const std::pair<const char*, const char*> expected[] = {
      {"global", "GLOBAL"},       {"stack-global", "STACK_GLOBAL"},
      {"reduce", "REDUCE"},       {"build", "BUILD"},
      {"inst", "INST"},           {"obj", "OBJ"},
      {"newobj", "NEWOBJ"},       {"newobj-ex", "NEWOBJ_EX"},
      {"ext1", "EXT1"},           {"ext2", "EXT2"},
      {"ext4", "EXT4"},           {"persid", "PERSID"},
      {"binpersid", "BINPERSID"}, {"next-buffer", "NEXT_BUFFER"},
      {"empty-set", "EMPTY_SET"}, {"readonly-buffer", "READONLY_BUFFER"}};
  for (const auto& [name, opcode] : expected) {
    try {
      read(madeCapture(std::string("refused-") + name + ".pickle"));
      ADD_FAILURE() << name << " was not refused";
    } catch (const CaptureError& error) {
      EXPECT_EQ(error.code, "pickle-forbidden-opcode") << name;
      EXPECT_NE(std::string(error.what()).find("opcode " + std::string(opcode) + " at byte"),
                std::string::npos)
          << error.what();
      EXPECT_GE(error.byte, 17) << name;
    }
  }
}

TEST(Hostile, ListsAndDictsThatContainThemselvesAreRefused) {
  EXPECT_EQ(refusal(madeCapture("hostile-self-list.pickle")), "capture-self-reference");
  EXPECT_EQ(refusal(madeCapture("hostile-self-dict.pickle")), "capture-self-reference");
  EXPECT_EQ(refusal(madeCapture("hostile-self-append.pickle")), "capture-self-reference");
}

TEST(Hostile, SharingThatWouldExplodeIsNeverExpanded) {
  EXPECT_EQ(refusal(madeCapture("hostile-laughs.pickle")), "capture-not-a-snapshot");
  const Trace trace = read(madeCapture("hostile-laughs-inside.pickle"));
  EXPECT_EQ(trace.devices[0].events.count(), 6u);
  for (const auto& [key, value] : trace.settings) EXPECT_LT(value.size(), 10'000u) << key;
}

TEST(Hostile, DeepNestingIsRefusedOrHarmless) {
  EXPECT_EQ(refusal(madeCapture("hostile-deep-marked.pickle")), "capture-too-deep");
  EXPECT_EQ(refusal(madeCapture("hostile-deep.json")), "capture-too-deep");
  EXPECT_EQ(refusal(madeCapture("hostile-deep-lists.pickle")), "capture-truncated");
  EXPECT_EQ(refusal(madeCapture("hostile-deep-tuples.pickle")), "capture-not-a-snapshot");
}

TEST(Hostile, LengthsAndCountsBeyondTheFileAreRefused) {
  EXPECT_EQ(refusal(madeCapture("hostile-length.pickle")), "capture-truncated");
  EXPECT_EQ(refusal(madeCapture("hostile-length-binunicode.pickle")), "capture-truncated");
  EXPECT_EQ(refusal(madeCapture("hostile-length-long4.pickle")), "capture-truncated");
  EXPECT_EQ(refusal(madeCapture("hostile-memo-index.pickle")), "capture-damaged");
  EXPECT_EQ(refusal(madeCapture("hostile-memo-text-index.pickle")), "capture-damaged");
}

TEST(Hostile, ProgramsThatMakeNoSenseAreRefused) {
  for (const char* name :
       {"memo-unset", "stack-empty", "mark-only", "odd-pairs", "append-to-int", "protocol"}) {
    EXPECT_EQ(refusal(madeCapture(std::string("hostile-") + name + ".pickle")), "capture-damaged") << name;
  }
}

TEST(Hostile, ListsThatAreUsedOftenAreLookedAtOnce) {
  // A dict of 100,000 pairs and a list of 100,000 frames, each put in a list
  // 100,000 times by DUP or by reference: a reader that looks at them each time
  // would not come to an end.
  constexpr int kTimes = 100'000;
  std::vector<uint8_t> bytes = {0x80, 4, ']', '(', '}', 0x94, '('};
  const auto repeat = [&](const std::vector<uint8_t>& part, int times) {
    for (int i = 0; i < times; ++i) bytes.insert(bytes.end(), part.begin(), part.end());
  };
  repeat({'K', 1, 'K', 2}, kTimes);
  repeat({'u'}, 1);
  repeat({'h', 0}, kTimes);
  repeat({']', '('}, 1);
  repeat({'K', 1}, kTimes);
  repeat({'e'}, 1);
  repeat({'2'}, kTimes);
  repeat({'e', '.'}, 1);
  try {
    read(bytes);
    ADD_FAILURE() << "this is no snapshot";
  } catch (const CaptureError& error) {
    EXPECT_EQ(error.code, "capture-not-a-snapshot");
  }
}

TEST(Hostile, MemoryIsBoundedByTheSizeOfTheFile) {
  // Each two bytes would copy an event of some 40 bytes.
  std::vector<uint8_t> bytes = bytesOf(madeCapture("hostile-repeated-events.pickle"));
  const Trace trace = read(bytes);
  EXPECT_EQ(trace.devices[0].events.count(), 6000u);
  EXPECT_EQ(refusal(madeCapture("hostile-too-many-events.pickle")), "capture-too-much-memory");

  std::vector<uint8_t> lists = {0x80, 4};
  lists.resize(8 << 20, ']');
  try {
    read(lists);
    ADD_FAILURE() << "eight million lists were not refused";
  } catch (const CaptureError& error) {
    EXPECT_EQ(error.code, "capture-too-much-memory");
    EXPECT_GT(error.byte, 0);
  }
}

TEST(Hostile, PartsThatAreUsedTwiceAreShownOnce) {
  const Trace devices = read(madeCapture("hostile-shared-devices.pickle"));
  EXPECT_EQ(devices.devices.size(), 1u);
  EXPECT_EQ(devices.devices[0].final.segments.size(), 1u);
  EXPECT_EQ(warningCodes(devices), "not-segments events-shared");
  const Trace blocks = read(madeCapture("hostile-shared-blocks.pickle"));
  EXPECT_EQ(blocks.devices[0].final.blockAddress.size(), 3u);
  EXPECT_NE(warningCodes(blocks).find("final-blocks-repeated"), std::string::npos);
}

TEST(Hostile, NonsenseInAnEntryCostsThatEntryOnly) {
  const Trace types = read(madeCapture("hostile-wrong-types.pickle"));
  EXPECT_EQ(types.devices[0].events.count(), 5u);
  EXPECT_EQ(warningCodes(types),
            "not-events event-incomplete frame-incomplete "
            "not-segments final-not-blocks");
  for (const Warning& warning : types.warnings) EXPECT_TRUE(warning.isDamage) << warning.code;
  const Trace times = read(madeCapture("hostile-times.pickle"));
  EXPECT_EQ(times.originNs, 1'700'000'000'000'000'000);
  EXPECT_EQ(warningCodes(times), "event-incomplete time-out-of-range");
  const Trace beyond = read(madeCapture("hostile-beyond.pickle"));
  EXPECT_TRUE(beyond.devices[0].final.segments.empty());
  EXPECT_EQ(warningCodes(beyond), "final-segment-beyond");
}

TEST(Hostile, TextInUtf16IsToldApart) {
  for (const std::string_view start : {std::string_view("\xff\xfe"
                                                        "a\0b\0",
                                                        6),
                                       std::string_view("\xfe\xff\0a\0b", 6)}) {
    try {
      readCapture(std::span(reinterpret_cast<const uint8_t*>(start.data()), start.size()), {});
      ADD_FAILURE() << "it was opened";
    } catch (const CaptureError& error) {
      EXPECT_EQ(error.code, "capture-is-utf16");
    }
  }
}

TEST(Hostile, OtherFilesAreToldWhatTheyAre) {
  const std::pair<const char*, const char*> expected[] = {
      {"other-empty.pickle", "capture-empty"},
      {"other-space.txt", "capture-empty"},
      {"other-picture.png", "capture-not-a-snapshot"},
      {"other-notes.txt", "capture-unknown-format"},
      {"other-bytes.bin", "capture-unknown-format"},
      {"other-dict.pickle", "capture-not-a-snapshot"},
      {"other-list.pickle", "capture-not-a-snapshot"},
      {"other-number.pickle", "capture-not-a-snapshot"},
      {"other-checkpoint.pt", "capture-is-checkpoint"},
      {"other-old-checkpoint.pt", "capture-not-a-snapshot"},
      {"other-archive.zip", "capture-is-archive"},
      {"other-page.html", "html-no-snapshot"},
      {"other-profile.json", "capture-nothing-recorded"},
      {"other-broken.json", "capture-damaged"},
      {"other-nothing.pickle", "capture-nothing-recorded"},
      {"missing.pickle", "capture-not-found"}};
  for (const auto& [name, code] : expected) {
    try {
      read(madeCapture(name));
      ADD_FAILURE() << name << " was opened";
    } catch (const CaptureError& error) {
      EXPECT_EQ(error.code, code) << name << ": " << error.what();
      EXPECT_FALSE(error.remedy.empty()) << name;
      EXPECT_EQ(std::string(error.what()).back(), '.') << error.what();
    }
  }
  EXPECT_EQ(refusal(std::filesystem::temp_directory_path().string()), "capture-is-directory");
}

TEST(Hostile, EveryMadeFileIsReadOrRefusedButNeverMore) {
  for (const std::string& name : madeCaptures("")) {
    try {
      read(madeCapture(name));
    } catch (const CaptureError&) {
      // what a refusal is for
    }
  }
}

}  // namespace
}  // namespace strata::test
