// Texts of captures as they may be shown.

#include "capture/text.h"

#include <gtest/gtest.h>

namespace strata::test {
namespace {

TEST(CaptureText, ShowsMarksOfDirectionAndUnseenSignsByTheirEscapes) {
  EXPECT_EQ(repairUtf8("a\xe2\x80\xae"
                       "b"),
            "a\\u202eb");
  EXPECT_EQ(repairUtf8("\xe2\x81\xa6x\xe2\x81\xa9"), "\\u2066x\\u2069");
  EXPECT_EQ(repairUtf8("soft\xc2\xad, zero\xe2\x80\x8b, \xef\xbb\xbfmark, \xf3\xa0\x81\x81tag"),
            "soft\\u00ad, zero\\u200b, \\ufeffmark, \\u{e0041}tag");
}

TEST(CaptureText, KeepsLettersOfEveryScriptAndTheJoinersTheyNeed) {
  const char* texts[] = {"model.py:3",
                         "caf\xc3\xa9",
                         "\xe6\xa8\xa1\xe5\x9e\x8b",
                         "\xf0\x9f\x98\x80",
                         "\xd9\x85\xe2\x80\x8c\xd9\x85",
                         "line\nbreak\ttab"};
  for (const char* text : texts) {
    EXPECT_TRUE(isPlain(text)) << text;
    EXPECT_EQ(repairUtf8(text), text);
  }
}

TEST(CaptureText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(repairUtf8("a\xff\xe2\x80"), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_FALSE(isPlain("\xed\xa0\x80"));
  EXPECT_FALSE(isPlain("\xe2\x80\xae"));
}

}  // namespace
}  // namespace strata::test
