#include "analysis/consumers.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

struct Life {
  uint64_t bytes;
  uint32_t stack;
  EventIndex birth;
  EventIndex freeRequested;
  EventIndex death;
};

/// Lives in order of birth.
Device deviceOf(const std::vector<Life>& lives) {
  Device device;
  for (const Life& life : lives) {
    device.blocks.address.push_back(0);
    device.blocks.bytes.push_back(life.bytes);
    device.blocks.stack.push_back(life.stack);
    device.blocks.birth.push_back(life.birth);
    device.blocks.freeRequested.push_back(life.freeRequested);
    device.blocks.death.push_back(life.death);
  }
  return device;
}

TEST(Consumers, AddsUpTheBlocksOfAStackAndPutsTheLargestFirst) {
  const Device device =
      deviceOf({{100, 1, kBeforeFirst, kNever, kNever}, {70, 2, 0, kNever, kNever}, {60, 2, 3, 9, 10}});
  const auto consumers = consumersAt(device, 5, 10);
  ASSERT_EQ(consumers.size(), 2u);
  EXPECT_EQ(consumers[0].stack, 2u);
  EXPECT_EQ(consumers[0].bytes, 130u);
  EXPECT_EQ(consumers[0].count, 2u);
  EXPECT_EQ(consumers[0].firstBlock, 1u);
  EXPECT_EQ(consumers[1].bytes, 100u);
}

TEST(Consumers, CountsABlockUntilItsFreeIsRequested) {
  const Device device = deviceOf({{100, 1, 2, 5, 8}});
  EXPECT_TRUE(consumersAt(device, 1, 10).empty());
  EXPECT_EQ(consumersAt(device, 2, 10).size(), 1u);
  EXPECT_EQ(consumersAt(device, 4, 10).size(), 1u);
  EXPECT_TRUE(consumersAt(device, 5, 10).empty());
}

TEST(Consumers, HasAnEntryForBlocksWithoutAStack) {
  const auto consumers = consumersAt(deviceOf({{8, kNone, kBeforeFirst, kNever, kNever}}), kBeforeFirst, 10);
  ASSERT_EQ(consumers.size(), 1u);
  EXPECT_EQ(consumers[0].stack, kNone);
}

TEST(Consumers, KeepsTheOldestOfEqualOnesWhenThereAreTooMany) {
  const Device device =
      deviceOf({{10, 7, 0, kNever, kNever}, {10, 3, 1, kNever, kNever}, {20, 5, 2, kNever, kNever}});
  const auto consumers = consumersAt(device, 2, 2);
  ASSERT_EQ(consumers.size(), 2u);
  EXPECT_EQ(consumers[0].stack, 5u);
  EXPECT_EQ(consumers[1].stack, 7u);
}

}  // namespace
}  // namespace strata
