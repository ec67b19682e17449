#include "analysis/markers.h"

#include <gtest/gtest.h>

#include <vector>

namespace strata {
namespace {

struct Recorded {
  Action action;
  uint64_t size;
};

Device deviceOf(const std::vector<Recorded>& recorded) {
  Device device;
  for (const auto& [action, size] : recorded) {
    device.events.action.push_back(action);
    device.events.size.push_back(size);
  }
  return device;
}

TEST(Markers, FindsFailuresAndSnapshotsWhereTheyAre) {
  const auto markers = markersOf(deviceOf(
      {{Action::Alloc, 1}, {Action::OutOfMemory, 1024}, {Action::Alloc, 1}, {Action::Snapshot, 77}}));
  ASSERT_EQ(markers.size(), 2u);
  EXPECT_EQ(markers[0].kind, Marker::Kind::Failure);
  EXPECT_EQ(markers[0].event, 1);
  EXPECT_EQ(markers[0].bytes, 1024u);
  EXPECT_EQ(markers[1].kind, Marker::Kind::Snapshot);
  EXPECT_EQ(markers[1].event, 3);
  EXPECT_EQ(markers[1].bytes, 77u);
}

TEST(Markers, CountsSegmentsGivenBackInARowAsOneFlush) {
  const auto markers = markersOf(deviceOf({{Action::SegmentFree, 10},
                                           {Action::SegmentUnmap, 20},
                                           {Action::SegmentFree, 30},
                                           {Action::Alloc, 1},
                                           {Action::SegmentFree, 5}}));
  ASSERT_EQ(markers.size(), 2u);
  EXPECT_EQ(markers[0].kind, Marker::Kind::Flush);
  EXPECT_EQ(markers[0].event, 0);
  EXPECT_EQ(markers[0].bytes, 60u);
  EXPECT_EQ(markers[0].count, 3u);
  EXPECT_EQ(markers[1].event, 4);
  EXPECT_EQ(markers[1].count, 1u);
}

TEST(Markers, EndsAFlushAtTheFailureThatFollows) {
  const auto markers = markersOf(deviceOf({{Action::SegmentFree, 10}, {Action::OutOfMemory, 99}}));
  ASSERT_EQ(markers.size(), 2u);
  EXPECT_EQ(markers[0].kind, Marker::Kind::Flush);
  EXPECT_EQ(markers[1].kind, Marker::Kind::Failure);
  EXPECT_EQ(markers[1].event, 1);
}

TEST(Markers, FindsNothingWhereNothingHappened) {
  EXPECT_TRUE(markersOf(Device{}).empty());
  EXPECT_TRUE(markersOf(deviceOf({{Action::Alloc, 1}, {Action::SegmentMap, 2}})).empty());
}

}  // namespace
}  // namespace strata
