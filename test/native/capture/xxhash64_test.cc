// XXH64 against values that other implementations give.

#include "capture/xxhash64.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace strata::test {
namespace {

std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

uint64_t hashOf(std::string_view text) {
  XxHash64 hash;
  hash.update(bytesOf(text));
  return hash.digest();
}

TEST(XxHash64, GivesTheKnownValuesOfShortTexts) {
  EXPECT_EQ(hashOf(""), 0xEF46DB3751D8E999u);
  EXPECT_EQ(hashOf("a"), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(hashOf("abc"), 0x44BC2CF5AD770999u);
}

TEST(XxHash64, DoesNotDependOnHowTheBytesArrive) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * i >> 3);
  for (size_t length : {31u, 32u, 33u, 63u, 64u, 100u, 1000u}) {
    const std::string_view whole = std::string_view(text).substr(0, length);
    for (size_t step : {1u, 7u, 32u, 45u}) {
      XxHash64 hash;
      for (size_t at = 0; at < length; at += step) hash.update(bytesOf(whole.substr(at, step)));
      EXPECT_EQ(hash.digest(), hashOf(whole)) << length << " in steps of " << step;
    }
  }
}

}  // namespace
}  // namespace strata::test
