#include <gtest/gtest.h>

#include <sstream>

#include "allocator/rebuild.h"
#include "allocator/rebuild_truth.h"

namespace strata::test {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kBase = 0x7f0000000000;

/// A recording written down by hand, addresses as offsets from kBase.
class Recording {
 public:
  Recording() {
    device_.streams = {0, 9};
    device_.pools = {{0, 0}, {0, 1}};
  }

  Recording& event(Action action, uint64_t offset, uint64_t bytes, uint16_t stream = 0, uint16_t pool = 0) {
    device_.events.action.push_back(action);
    device_.events.address.push_back(action == Action::OutOfMemory ? offset : kBase + offset);
    device_.events.size.push_back(bytes);
    device_.events.stack.push_back(kNone);
    device_.events.stream.push_back(stream);
    device_.events.pool.push_back(pool);
    return *this;
  }
  Recording& alloc(uint64_t offset, uint64_t bytes) { return event(Action::Alloc, offset, bytes); }
  Recording& free(uint64_t offset, uint64_t bytes) {
    return event(Action::FreeRequested, offset, bytes).event(Action::FreeCompleted, offset, bytes);
  }
  Recording& segment(uint64_t offset, uint64_t bytes) { return event(Action::SegmentAlloc, offset, bytes); }
  Recording& segmentFree(uint64_t offset, uint64_t bytes) {
    return event(Action::SegmentFree, offset, bytes);
  }

  /// A segment of the final state; then its blocks, one after the other.
  Recording& finalSegment(uint64_t offset, bool isLarge, uint16_t pool = 0, bool isExpandable = false) {
    FinalState::Segment segment;
    segment.address = kBase + offset;
    segment.isLarge = isLarge;
    segment.isExpandable = isExpandable;
    segment.pool = pool;
    segment.firstBlock = static_cast<uint32_t>(device_.final.blockAddress.size());
    device_.final.segments.push_back(segment);
    return *this;
  }
  Recording& block(BlockState state, uint64_t bytes, uint64_t requested = 0) {
    FinalState& final = device_.final;
    FinalState::Segment& segment = final.segments.back();
    final.blockAddress.push_back(segment.address + segment.bytes);
    final.blockBytes.push_back(bytes);
    final.blockRequested.push_back(requested);
    final.blockState.push_back(state);
    final.blockStack.push_back(kNone);
    segment.bytes += bytes;
    ++segment.blockCount;
    return *this;
  }
  Recording& cutOff() {
    device_.isEventListComplete = false;
    return *this;
  }
  Recording& kind(DeviceKind kind) {
    device_.kind = kind;
    return *this;
  }

  Trace rebuilt(const std::string& settings = "") const {
    Trace trace;
    trace.settings = {{"PYTORCH_CUDA_ALLOC_CONF", settings}};
    trace.devices.push_back(device_);
    rebuild(trace, {});
    EXPECT_EQ(brokenInvariants(trace.devices[0]), "");
    return trace;
  }

  /// The rebuilt device as text: the verdict, then one line a block and one a segment.
  std::string text(const std::string& settings = "") const { return textOf(rebuilt(settings).devices[0]); }

  static std::string textOf(const Device& device) {
    std::ostringstream out;
    out << summaryOf(device.exactness) << "\n";
    const auto moment = [](EventIndex event) {
      return event == kNever ? std::string("-") : std::to_string(event);
    };
    const BlockColumns& blocks = device.blocks;
    for (size_t row = 0; row < blocks.count(); ++row)
      out << "block " << blocks.address[row] - kBase << " + " << blocks.bytes[row] << " for "
          << blocks.requested[row] << ", born " << blocks.birth[row] << " freed "
          << moment(blocks.freeRequested[row]) << " gone " << moment(blocks.death[row]) << "\n";
    const SegmentColumns& segments = device.segments;
    for (size_t row = 0; row < segments.count(); ++row)
      out << "segment " << segments.address[row] - kBase << " + " << segments.bytes[row] << ", born "
          << segments.birth[row] << " gone " << moment(segments.death[row]) << "\n";
    return out.str();
  }

 private:
  Device device_;
};

TEST(RebuildRecordings, ABlockThatWaitsForAStreamIsActiveButNotAllocated) {
  const std::string text = Recording()
                               .segment(0, 2 * kMiB)
                               .alloc(0, 1000)
                               .event(Action::FreeRequested, 0, 1000)
                               .alloc(1024, 512)
                               .event(Action::FreeCompleted, 0, 1000)
                               .finalSegment(0, false)
                               .block(BlockState::Inactive, 1024)
                               .block(BlockState::Allocated, 512, 512)
                               .block(BlockState::Inactive, 2 * kMiB - 1536)
                               .text();
  EXPECT_EQ(text,
            "exact 2/2, segments 1/1, final blocks 3/3\n"
            "block 0 + 1024 for 1000, born 1 freed 2 gone 4\n"
            "block 1024 + 512 for 512, born 3 freed - gone -\n"
            "segment 0 + 2097152, born 0 gone -\n");
}

TEST(RebuildRecordings, ABlockThatStillWaitsAtTheEndWasFreedButIsNotGone) {
  const std::string text = Recording()
                               .event(Action::FreeRequested, 0, 700)
                               .finalSegment(0, false)
                               .block(BlockState::PendingFree, 1024, 700)
                               .block(BlockState::Inactive, 2 * kMiB - 1024)
                               .text();
  EXPECT_EQ(text,
            "exact 0/0, segments 0/0, final blocks 2/2\n"
            "block 0 + 1024 for 700, born -1 freed 0 gone -\n"
            "segment 0 + 2097152, born -1 gone -\n");
}

TEST(RebuildRecordings, TheLeftoverOfABlockTakenWholeIsItsOwn) {
  const std::string text = Recording().free(0, 19 * kMiB + 300).segmentFree(0, 20 * kMiB).text();
  EXPECT_EQ(text,
            "exact 0/0, segments 1/1, final blocks 0/0\n"
            "block 0 + 20971520 for 19923244, born -1 freed 0 gone 1\n"
            "segment 0 + 20971520, born -1 gone 2\n");
}

TEST(RebuildRecordings, ANeighbourShowsWhereABlockFromBeforeTheRecordingEnds) {
  Recording recording;
  recording.alloc(3 * kMiB, 17 * kMiB).free(3 * kMiB, 17 * kMiB).free(0, 2 * kMiB + 1000);
  recording.finalSegment(0, true).block(BlockState::Inactive, 20 * kMiB);
  EXPECT_EQ(recording.text(),
            "exact 1/1, segments 0/0, final blocks 1/1\n"
            "block 0 + 3145728 for 2098152, born -1 freed 3 gone 4\n"
            "block 3145728 + 17825792 for 17825792, born 0 freed 1 gone 2\n"
            "segment 0 + 20971520, born -1 gone -\n");
}

TEST(RebuildRecordings, WhatFreeMemoryHidesIsSaidToBeUncertain) {
  Recording recording;
  recording.free(0, 2 * kMiB + 1000).finalSegment(0, true).block(BlockState::Inactive, 20 * kMiB);
  const Trace trace = recording.rebuilt();
  EXPECT_EQ(summaryOf(trace.devices[0].exactness),
            "estimated 0/0, segments 0/0, final blocks 1/1, hidden-ends");
  EXPECT_EQ(
      trace.devices[0].exactness.because,
      "1 blocks from before the recording may together be up to 1048576 bytes larger than shown: the free "
      "memory behind them hides where they end.");
}

TEST(RebuildRecordings, AFlushThatSkipsASegmentIsNotForeseen) {
  const std::string text = Recording()
                               .segmentFree(0, 20 * kMiB)
                               .alloc(40 * kMiB, 100)
                               .segmentFree(80 * kMiB, 20 * kMiB)
                               .finalSegment(40 * kMiB, false)
                               .block(BlockState::Allocated, 512, 100)
                               .block(BlockState::Inactive, 2 * kMiB - 512)
                               .finalSegment(120 * kMiB, true)
                               .block(BlockState::Inactive, 20 * kMiB)
                               .text();
  EXPECT_EQ(text.substr(0, text.find('\n')), "mismatch 1/1, segments 0/1, final blocks 3/3, segment-differs");
}

TEST(RebuildRecordings, GarbageCollectionIsNotJudgedBecauseItsLimitIsNotRecorded) {
  Recording recording;
  recording.alloc(500 * kMiB, 1).segmentFree(0, 20 * kMiB).segment(100 * kMiB, 30 * kMiB);
  recording.alloc(100 * kMiB, 30 * kMiB);
  recording.finalSegment(30 * kMiB, true).block(BlockState::Inactive, 24 * kMiB);
  recording.finalSegment(100 * kMiB, true).block(BlockState::Allocated, 30 * kMiB, 30 * kMiB);
  recording.finalSegment(500 * kMiB, false).block(BlockState::Allocated, 512, 1);
  recording.block(BlockState::Inactive, 2 * kMiB - 512);
  EXPECT_EQ(summaryOf(recording.rebuilt("garbage_collection_threshold:0.6").devices[0].exactness),
            "exact 2/2, segments 1/1, final blocks 4/4");
  EXPECT_EQ(summaryOf(recording.rebuilt().devices[0].exactness),
            "mismatch 2/2, segments 1/2, final blocks 4/4, segment-differs");
}

TEST(RebuildRecordings, OversizeBlocksGoBeforeAFlush) {
  Recording recording;
  recording.alloc(500 * kMiB, 1).segmentFree(100 * kMiB, 40 * kMiB).segment(300 * kMiB, 60 * kMiB);
  recording.alloc(300 * kMiB, 60 * kMiB);
  recording.finalSegment(0, true).block(BlockState::Inactive, 30 * kMiB);
  recording.finalSegment(300 * kMiB, true).block(BlockState::Allocated, 60 * kMiB, 60 * kMiB);
  recording.finalSegment(500 * kMiB, false).block(BlockState::Allocated, 512, 1);
  recording.block(BlockState::Inactive, 2 * kMiB - 512);
  EXPECT_EQ(summaryOf(recording.rebuilt("max_split_size_mb:32").devices[0].exactness),
            "exact 2/2, segments 2/2, final blocks 4/4");
}

TEST(RebuildRecordings, PoolsThatEventsDoNotNameAreReadFromTheFinalSegments) {
  Recording recording;
  recording.segment(0, 2 * kMiB).alloc(0, 100).segment(10 * kMiB, 2 * kMiB).alloc(10 * kMiB, 100);
  recording.alloc(512, 100).alloc(10 * kMiB + 512, 100);
  recording.finalSegment(0, false)
      .block(BlockState::Allocated, 512, 100)
      .block(BlockState::Allocated, 512, 100);
  recording.block(BlockState::Inactive, 2 * kMiB - 1024);
  recording.finalSegment(10 * kMiB, false, 1).block(BlockState::Allocated, 512, 100);
  recording.block(BlockState::Allocated, 512, 100).block(BlockState::Inactive, 2 * kMiB - 1024);
  const Trace trace = recording.rebuilt();
  EXPECT_EQ(summaryOf(trace.devices[0].exactness), "exact 4/4, segments 2/2, final blocks 6/6");
  EXPECT_EQ(trace.devices[0].blocks.region[0], Region::Immediate);
  EXPECT_EQ(trace.devices[0].blocks.region[1], Region::Pooled);
}

TEST(RebuildRecordings, UnmappingTheMiddleOfAPieceLeavesTwoPiecesOfTheSameRange) {
  Recording recording;
  recording.event(Action::SegmentUnmap, 20 * kMiB, 20 * kMiB);
  recording.finalSegment(0, true, 0, true).block(BlockState::Allocated, 2 * kMiB, 2 * kMiB);
  recording.block(BlockState::Inactive, 18 * kMiB);
  recording.finalSegment(40 * kMiB, true, 0, true).block(BlockState::Inactive, 18 * kMiB);
  recording.block(BlockState::Allocated, 2 * kMiB, 2 * kMiB);
  const Trace trace = recording.rebuilt("expandable_segments:True");
  const SegmentColumns& segments = trace.devices[0].segments;
  EXPECT_EQ(trace.devices[0].exactness.verdict, Exactness::Verdict::Exact)
      << trace.devices[0].exactness.because;
  for (size_t row = 0; row < segments.count(); ++row) {
    EXPECT_EQ(segments.range[row], 0u);
    EXPECT_EQ(segments.region[row], Region::Virtual);
  }
}

TEST(RebuildRecordings, FreesWithoutRequestsAreCompleteAtOnce) {
  Recording recording;
  recording.segment(0, 2 * kMiB);
  for (uint64_t i = 0; i < 20; ++i) recording.alloc(0, 100).event(Action::FreeCompleted, 0, 100);
  recording.finalSegment(0, false).block(BlockState::Inactive, 2 * kMiB);
  const Trace trace = recording.rebuilt();
  EXPECT_EQ(summaryOf(trace.devices[0].exactness),
            "estimated 20/20, segments 1/1, final blocks 1/1, skipped-actions");
  EXPECT_EQ(trace.devices[0].blocks.freeRequested, trace.devices[0].blocks.death);
}

TEST(RebuildRecordings, AFreeOfNothingIsCountedOnceAndSaid) {
  Recording recording;
  recording.segment(0, 2 * kMiB).alloc(0, 100).free(0, 100).free(0, 100);
  recording.finalSegment(0, false).block(BlockState::Inactive, 2 * kMiB);
  const Trace trace = recording.rebuilt();
  EXPECT_EQ(trace.devices[0].exactness.verdict, Exactness::Verdict::Mismatch);
  EXPECT_EQ(trace.devices[0].exactness.code, "impossible-event");
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "impossible-events");
}

TEST(RebuildRecordings, AnOutOfMemoryEventChangesNothing) {
  const std::string text = Recording()
                               .segment(0, 2 * kMiB)
                               .alloc(0, 100)
                               .event(Action::OutOfMemory, 12 * kMiB, 3 * 1024 * kMiB)
                               .free(0, 100)
                               .segmentFree(0, 2 * kMiB)
                               .text();
  EXPECT_EQ(text,
            "exact 1/1, segments 2/2, final blocks 0/0\n"
            "block 0 + 512 for 100, born 1 freed 3 gone 4\n"
            "segment 0 + 2097152, born 0 gone 5\n");
}

TEST(RebuildRecordings, ACutOffRecordingShowsWhatItsEventsProveAndSumsUpTheRest) {
  Recording recording;
  recording.alloc(512, 100).free(0, 300).segmentFree(50 * kMiB, 20 * kMiB).cutOff();
  recording.finalSegment(0, false).block(BlockState::Inactive, 1024);
  recording.block(BlockState::Allocated, 2048, 2000).block(BlockState::Inactive, 2 * kMiB - 3072);
  recording.finalSegment(80 * kMiB, true).block(BlockState::Allocated, 20 * kMiB, 20 * kMiB);
  const Trace trace = recording.rebuilt();
  EXPECT_EQ(Recording::textOf(trace.devices[0]),
            "estimated 1/1, segments 1/1, final blocks 0/0, cut-off\n"
            "block 0 + 512 for 300, born -1 freed 1 gone 2\n"
            "block 512 + 512 for 100, born 0 freed - gone -\n"
            "segment 0 + 2097152, born -1 gone -\n"
            "segment 52428800 + 20971520, born -1 gone 3\n");
  const PossibleExtra& pooled = trace.devices[0].possible[static_cast<int>(Region::Pooled)];
  EXPECT_EQ(pooled.reserved, 20 * kMiB);
  EXPECT_EQ(pooled.allocated, 20 * kMiB);
  const PossibleExtra& immediate = trace.devices[0].possible[static_cast<int>(Region::Immediate)];
  EXPECT_EQ(immediate.reserved, 0u) << "an allocation in it proves the segment";
  EXPECT_EQ(immediate.allocated, 2048u);
}

TEST(RebuildRecordings, StateOnlyCapturesShowTheirFinalState) {
  Recording recording;
  recording.finalSegment(0, false)
      .block(BlockState::Allocated, 512, 8)
      .block(BlockState::PendingFree, 1024, 1000);
  recording.block(BlockState::Inactive, 2 * kMiB - 1536);
  EXPECT_EQ(recording.text(),
            "not-applicable 0/0, segments 0/0, final blocks 3/3\n"
            "block 0 + 512 for 8, born -1 freed - gone -\n"
            "block 512 + 1024 for 1000, born -1 freed -1 gone -\n"
            "segment 0 + 2097152, born -1 gone -\n");
}

TEST(RebuildRecordings, PinnedHostBlocksAreWholeSegmentsAndNeverForeseen) {
  Recording recording;
  recording.kind(DeviceKind::Host).segment(0, 8192).alloc(0, 5000).free(0, 5000).alloc(0, 4097);
  recording.finalSegment(0, false).block(BlockState::Allocated, 8192, 4097);
  const std::string text = recording.text();
  EXPECT_NE(text.find("final blocks 1/1, host-allocator"), std::string::npos) << text;
  EXPECT_NE(text.find("block 0 + 8192 for 5000, born 1 freed 2 gone 3"), std::string::npos) << text;
}

TEST(RebuildRecordings, CancellingStopsTheWork) {
  Recording recording;
  recording.segment(0, 2 * kMiB);
  Trace trace = recording.rebuilt();
  EXPECT_THROW(rebuild(trace, [](const char*, uint64_t, uint64_t, uint64_t) { return false; }), Cancelled);
}

TEST(RebuildRecordings, ProgressNamesItsStageAndEndsAtTheTotal) {
  PytorchSlowModel model({});
  for (int i = 0; i < 300; ++i) model.free(model.allocate(1000));
  Trace trace = model.trace();
  trace.devices.push_back(trace.devices[0]);
  uint64_t last = 0, all = 0;
  rebuild(trace, [&](const char* stage, uint64_t done, uint64_t total, uint64_t) {
    EXPECT_STREQ(stage, "rebuild");
    EXPECT_GE(done, last);
    last = done;
    all = total;
    return true;
  });
  EXPECT_EQ(last, all);
}

}  // namespace
}  // namespace strata::test
