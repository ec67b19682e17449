#include "capture/protobuf/wire.h"

#include <gtest/gtest.h>

#include <vector>

#include "capture/protobuf/encoder.h"

namespace strata::protobuf {
namespace {

using test::Encoder;

TEST(ProtobufWire, ReadsEachWayInWhichAFieldTravels) {
  const std::string bytes = Encoder().number(1, 300).text(2, "pool").real(3, 0.25).bytes();
  Message message(bytes);
  Field field;
  ASSERT_TRUE(message.next(field));
  EXPECT_TRUE(field.is(1, Wire::Varint));
  EXPECT_EQ(field.value, 300u);
  ASSERT_TRUE(message.next(field));
  EXPECT_TRUE(field.is(2, Wire::Bytes));
  EXPECT_EQ(field.bytes, "pool");
  ASSERT_TRUE(message.next(field));
  EXPECT_EQ(field.real(), 0.25);
  EXPECT_FALSE(message.next(field));
  EXPECT_FALSE(message.isDamaged());
}

TEST(ProtobufWire, ReadsNegativeNumbersOfTenBytes) {
  const std::string bytes = Encoder().number(4, static_cast<uint64_t>(-1)).bytes();
  Message message(bytes);
  Field field;
  ASSERT_TRUE(message.next(field));
  EXPECT_EQ(field.integer(), -1);
}

TEST(ProtobufWire, GivesWhatIsThereOfAFieldThatIsCutAndSaysSo) {
  const std::string whole = Encoder().text(7, "abcdef").bytes();
  Message message(std::string_view(whole).substr(0, 5), 100);
  Field field;
  ASSERT_TRUE(message.next(field));
  EXPECT_EQ(field.bytes, "abc");
  EXPECT_EQ(field.at, 102u);
  EXPECT_TRUE(field.isCut);
  EXPECT_FALSE(message.next(field));
}

TEST(ProtobufWire, StopsAtDamageAndTellsWhere) {
  for (const std::string& damage : {std::string("\x0b"), std::string("\x00\x01", 2), std::string("\x08\xff"),
                                    std::string("\x09\x01\x02"), std::string(11, '\xff')}) {
    const std::string bytes = Encoder().number(1, 5).bytes() + damage;
    Message message(bytes, 40);
    Field field;
    ASSERT_TRUE(message.next(field));
    EXPECT_FALSE(message.next(field));
    EXPECT_TRUE(message.isDamaged());
    EXPECT_EQ(message.position(), 42u);
  }
}

TEST(ProtobufWire, ReadsRepeatedNumbersPackedOrNot) {
  std::vector<uint64_t> numbers;
  const auto keep = [&](uint64_t number) { numbers.push_back(number); };
  const std::string bytes = Encoder().text(1, "\x01\xac\x02\x7f").number(1, 9).text(1, "\x05\xff").bytes();
  Message message(bytes);
  for (Field field; message.next(field);) eachNumber(field, keep);
  EXPECT_EQ(numbers, (std::vector<uint64_t>{1, 300, 127, 9, 5}));
}

}  // namespace
}  // namespace strata::protobuf
