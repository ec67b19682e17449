// Files that are cut off, or damaged in the middle: what was whole is shown,
// and where it broke is told.

#include <gtest/gtest.h>

#include <random>

#include "capture/made_captures.h"

namespace strata::test {
namespace {

const char* const kWholeFiles[] = {"whole-pickle", "whole-json", "whole-protocol-0", "whole-cpp"};

Trace readCut(const std::vector<uint8_t>& bytes, size_t length) {
  return read(std::vector<uint8_t>(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length)));
}

/// Position right after the n-th occurrence of a text.
size_t after(const std::vector<uint8_t>& bytes, const std::string& text, int count) {
  auto at = bytes.begin();
  for (int i = 0; i < count; ++i) {
    at = std::search(at, bytes.end(), text.begin(), text.end());
    if (at == bytes.end()) return bytes.size();
    at += static_cast<ptrdiff_t>(text.size());
  }
  return static_cast<size_t>(at - bytes.begin());
}

TEST(Damage, EveryPrefixShowsEventsThatGrowInOrder) {
  for (const char* name : kWholeFiles) {
    const std::vector<uint8_t> bytes = bytesOf(madeCapture(name));
    const Trace whole = read(bytes);
    size_t most = 0;
    for (size_t length = 1; length < bytes.size(); ++length) {
      try {
        const Trace trace = readCut(bytes, length);
        EXPECT_FALSE(trace.isComplete);
        ASSERT_FALSE(trace.warnings.empty());
        EXPECT_EQ(trace.warnings[0].code, "capture-truncated") << name << " " << length;
        EXPECT_TRUE(trace.warnings[0].isDamage);
        EXPECT_EQ(trace.warnings[0].byte, static_cast<int64_t>(length));
        size_t events = 0;
        for (const Device& device : trace.devices) {
          const Device& expected = whole.devices[static_cast<size_t>(device.ordinal)];
          const size_t count = device.events.count();
          events += count;
          ASSERT_LE(count, expected.events.count());
          EXPECT_TRUE(std::equal(device.events.address.begin(), device.events.address.end(),
                                 expected.events.address.begin()));
          if (count < expected.events.count()) {
            EXPECT_FALSE(device.isEventListComplete)
                << name << " cut at " << length << " device " << device.ordinal;
          }
        }
        EXPECT_GE(events, most) << name << " cut at " << length;
        most = events;
      } catch (const CaptureError& error) {
        EXPECT_EQ(most, 0u) << name << " cut at " << length << ": " << error.what();
      }
    }
    EXPECT_EQ(most, 26u) << name;
  }
}

TEST(Damage, TheSentenceSaysWhereAndHowMuchIsShown) {
  const std::vector<uint8_t> json = bytesOf(madeCapture("whole-json"));
  // Two segments with three blocks each have lists of frames before the events
  // do.
  const size_t inStack = after(json, "\"frames\": [", 8 + 12);
  const Trace trace = readCut(json, inStack);
  EXPECT_EQ(
      trace.warnings[0].message, "The file ends inside the stack of event 12, at byte " + [&] {
        std::string digits = std::to_string(inStack);
        return digits.insert(digits.size() - 3, ",");
      }() + "; the 11 events before it are shown.");
  EXPECT_EQ(trace.devices[0].events.count(), 11u);
  EXPECT_FALSE(trace.devices[0].isEventListComplete);
  EXPECT_FALSE(trace.devices[1].isEventListComplete);
}

TEST(Damage, ListsThatWereWholeBeforeTheBreakStayComplete) {
  const std::vector<uint8_t> json = bytesOf(madeCapture("whole-json"));
  const Trace second = readCut(json, after(json, "segment_alloc", 1));
  EXPECT_TRUE(second.devices[0].isEventListComplete);
  EXPECT_FALSE(second.devices[1].isEventListComplete);
  const Trace settings = readCut(json, after(json, "allocator_settings", 1));
  EXPECT_TRUE(settings.devices[0].isEventListComplete);
  EXPECT_TRUE(settings.devices[1].isEventListComplete);
}

TEST(Damage, WordsOfTheFormatInsideAnEntryDoNotMisleadTheSentence) {
  const std::vector<uint8_t> json = bytesOf(madeCapture("whole-json"));
  const std::string text(json.begin(), json.end());
  const size_t list = text.find("device_traces");
  const size_t name = text.find("\"step\"", list);
  const std::string renamed = text.substr(0, name) + "\"segments\", ";
  const Trace trace = read(std::vector<uint8_t>(renamed.begin(), renamed.end()));
  EXPECT_EQ(trace.warnings[0].message.substr(0, 43), "The file ends inside the stack of event 1, ");
  EXPECT_FALSE(trace.devices[0].isEventListComplete);
  EXPECT_FALSE(trace.devices[1].isEventListComplete);
}

TEST(Damage, AFileBrokenInTheMiddleShowsWhatComesBefore) {
  std::vector<uint8_t> pickle = bytesOf(madeCapture("whole-pickle"));
  const size_t length = pickle.size();
  const size_t middle = length / 2;
  std::fill(pickle.begin() + static_cast<ptrdiff_t>(middle),
            pickle.begin() + static_cast<ptrdiff_t>(middle + 40), 0xff);
  const Trace trace = read(pickle);
  EXPECT_EQ(trace.warnings[0].code, "capture-damaged");
  EXPECT_TRUE(trace.warnings[0].isDamage);
  EXPECT_GE(trace.warnings[0].byte, static_cast<int64_t>(middle) - 16);
  EXPECT_GT(trace.devices[0].events.count(), 0u);
  EXPECT_FALSE(trace.isComplete);
}

TEST(Damage, AnyChangedByteIsReadOrRefusedButNeverMore) {
  constexpr uint64_t kSeed = 20261130;
  constexpr int kRounds = 1000;
  std::mt19937_64 random(kSeed);
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  for (const char* name : kWholeFiles) {
    const std::vector<uint8_t> bytes = bytesOf(madeCapture(name));
    for (int round = 0; round < kRounds; ++round) {
      std::vector<uint8_t> changed = bytes;
      for (uint64_t i = 0; i <= random() % 4; ++i) {
        changed[random() % changed.size()] = static_cast<uint8_t>(random());
      }
      try {
        const Trace trace = read(changed);
        for (const Device& device : trace.devices) {
          EXPECT_TRUE(device.events.time.empty() || device.events.time.size() == device.events.count());
        }
      } catch (const CaptureError&) {
        // what a refusal is for
      }
    }
  }
}

}  // namespace
}  // namespace strata::test
