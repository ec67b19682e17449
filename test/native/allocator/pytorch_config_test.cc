#include <gtest/gtest.h>

#include "allocator/pytorch_config.h"
#include "allocator/pytorch_rules.h"

namespace strata::test {
namespace {

using pytorch::roundRequest;
using pytorch::segmentSizeFor;

std::string refusalOf(const std::string& text) {
  try {
    parsePytorchConfig(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PytorchConfig, DefaultsAreThoseOfAnEmptyString) {
  const PytorchConfig config = parsePytorchConfig("");
  EXPECT_EQ(config.maxSplitSize, PytorchConfig::kUnlimited);
  EXPECT_EQ(config.largeSegmentSize, 20 * kMebibyte);
  EXPECT_EQ(config.maxNonSplitRounding, 20 * kMebibyte);
  EXPECT_FALSE(config.isExpandable);
}

TEST(PytorchConfig, ReadsEverySettingThatChangesPlacement) {
  const PytorchConfig config = parsePytorchConfig(
      "max_split_size_mb:128, "
      "garbage_collection_threshold:0.8,expandable_segments:True,"
      "roundup_power2_divisions:[256:1,512:2,1024:4,>:8],large_segment_size_mb:"
      "64,backend:native");
  EXPECT_EQ(config.maxSplitSize, 128 * kMebibyte);
  EXPECT_EQ(config.garbageCollectionThreshold, 0.8);
  EXPECT_TRUE(config.isExpandable);
  EXPECT_EQ(config.largeSegmentSize, 64 * kMebibyte);
  EXPECT_EQ(config.maxNonSplitRounding, 64 * kMebibyte);
  const std::array<uint64_t, 16> divisions = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 8, 8, 8, 8, 8, 8};
  EXPECT_EQ(config.roundupDivisions, divisions);
}

TEST(PytorchConfig, RefusesWhatItCannotUseByName) {
  EXPECT_EQ(refusalOf("max_spilt_size_mb:32"),
            "The allocator has no setting called \"max_spilt_size_mb\" (value "
            "\"32\").");
  EXPECT_EQ(refusalOf("max_split_size_mb:12"),
            "The setting max_split_size_mb cannot be \"12\": it must be a "
            "whole number from 20 to 134217728.");
  EXPECT_EQ(refusalOf("garbage_collection_threshold:1.5"),
            "The setting garbage_collection_threshold cannot be \"1.5\": it "
            "must be above 0 and below 1.");
  EXPECT_EQ(refusalOf("expandable_segments:maybe"),
            "The setting expandable_segments cannot be \"maybe\": it must be "
            "True or False.");
  EXPECT_EQ(refusalOf("roundup_power2_divisions:[3:2]"),
            "The setting roundup_power2_divisions cannot be \"3\": sizes in "
            "the list must be powers of two (MiB).");
  EXPECT_EQ(refusalOf("roundup_power2_divisions:6"),
            "The setting roundup_power2_divisions cannot be \"6\": divisions "
            "must be 0 or a power of two.");
  EXPECT_EQ(refusalOf("backend:cudaMallocAsync"),
            "The setting backend cannot be \"cudaMallocAsync\": only the "
            "native backend is the caching allocator.");
  EXPECT_EQ(refusalOf("max_split_size_mb"),
            "The setting max_split_size_mb cannot be \"\": a setting reads "
            "name:value.");
}

TEST(PytorchConfig, TheMembersOfASnapshotWinOverItsString) {
  std::vector<std::string> problems;
  const PytorchConfig config = pytorchConfigOfSnapshot(
      {{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True,large_segment_size_mb:32"},
       {"max_split_size", "-1"},
       {"expandable_segments", "false"},
       {"roundup_power2_divisions", "{1: 4, 2: 8, 4: 0}"},
       {"pinned_num_register_threads", "1"}},
      problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(config.isExpandable);
  EXPECT_EQ(config.maxSplitSize, PytorchConfig::kUnlimited);
  EXPECT_EQ(config.largeSegmentSize, 32 * kMebibyte);
  EXPECT_EQ(config.roundupDivisions[0], 4u);
  EXPECT_EQ(config.roundupDivisions[1], 8u);
}

TEST(PytorchConfig, WhatASnapshotStatesWronglyIsReportedAndLeftAtItsDefault) {
  std::vector<std::string> problems;
  const PytorchConfig config = pytorchConfigOfSnapshot(
      {{"PYTORCH_CUDA_ALLOC_CONF", "no_such_thing:1"}, {"max_split_size", "x"}}, problems);
  EXPECT_EQ(problems.size(), 2u);
  EXPECT_EQ(config.maxSplitSize, PytorchConfig::kUnlimited);
}

TEST(PytorchRules, RoundsRequestsAsTheRealAllocatorDoes) {
  const PytorchConfig plain;
  EXPECT_EQ(roundRequest(1, plain), 512u);
  EXPECT_EQ(roundRequest(513, plain), 1024u);
  const PytorchConfig eighths = parsePytorchConfig("roundup_power2_divisions:8");
  EXPECT_EQ(roundRequest(1200, eighths), 1536u) << "divisions count above 512 x divisions only";
  EXPECT_EQ(roundRequest(5000, eighths), 5120u);
  EXPECT_EQ(roundRequest(8192, eighths), 8192u) << "powers of two stay";
  EXPECT_EQ(roundRequest(9 * kMebibyte + 1, eighths), 10 * kMebibyte);
}

TEST(PytorchRules, SegmentsHaveThreeSizeClasses) {
  const PytorchConfig config;
  EXPECT_EQ(segmentSizeFor(kMebibyte, config), 2 * kMebibyte);
  EXPECT_EQ(segmentSizeFor(kMebibyte + 512, config), 20 * kMebibyte);
  EXPECT_EQ(segmentSizeFor(10 * kMebibyte - 512, config), 20 * kMebibyte);
  EXPECT_EQ(segmentSizeFor(10 * kMebibyte, config), 10 * kMebibyte);
  EXPECT_EQ(segmentSizeFor(10 * kMebibyte + 512, config), 12 * kMebibyte);
}

}  // namespace
}  // namespace strata::test
