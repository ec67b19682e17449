#include "capture/producer.h"

#include <algorithm>

namespace strata {
namespace {

/// Releases as one number: 2.10 is 210, 1.13 is 113.
constexpr int kOldest = 113;
constexpr int kOpenEnded = 1000;

std::string releaseText(int release) {
  return std::to_string(release / 100) + "." + std::to_string(release % 100);
}

int releaseBefore(int release) { return release == 200 ? kOldest : release - 1; }

struct Range {
  int first = kOldest;
  int last = kOpenEnded;

  void since(int release) { first = std::max(first, release); }
  void before(int release) { last = std::min(last, releaseBefore(release)); }
  void decide(bool isThere, int release) { isThere ? since(release) : before(release); }
};

bool has(KeySet keys, Word key) { return (keys & keyBit(key)) != 0; }

void decideByState(const Evidence& evidence, Range& range) {
  if (evidence.segments == 0) return;
  range.decide(has(evidence.segments, Word::RequestedSize), 200);
  range.decide(has(evidence.segments, Word::SegmentPoolId) || has(evidence.segments, Word::IsExpandable),
               201);
  if (evidence.blocks != 0) range.decide(has(evidence.blocks, Word::Address), 201);
}

void decideByEvents(const Evidence& evidence, Range& range) {
  if (!evidence.hasEvents) return;
  range.since(200);
  range.decide(has(evidence.events, Word::TimeUs), 202);          // PR 112266
  range.decide(has(evidence.events, Word::CompileContext), 208);  // PR 152707
  range.decide(has(evidence.events, Word::UserMetadata), 210);    // PR 165490
  range.decide(has(evidence.events, Word::PoolId), 212);          // PR 177717
  if (evidence.hasAnnotate) range.since(214);                     // PR 190575
}

void decideByWhole(const Evidence& evidence, bool isBareList, Range& range) {
  if (isBareList) return;  // torch.cuda.memory_snapshot() gives the bare list in every version
  range.since(200);
  range.decide(has(evidence.whole, Word::AllocatorSettings), 203);    // PR 119404
  range.decide(has(evidence.whole, Word::ExternalAnnotations), 205);  // PR 130964
  if (has(evidence.settings, Word::StreamReuse)) range.since(209);
  const bool hasRingKeys = has(evidence.whole | evidence.settings, Word::MaxEntries) ||
                           has(evidence.whole | evidence.settings, Word::Overflowed);
  if (hasRingKeys) range.since(212);  // PR 179276
  // Their absence proves nothing: whether they are written without any host memory was not seen.
  if (has(evidence.whole, Word::HostSegments) || has(evidence.whole, Word::HostTraces)) {
    range.since(214);  // PR 182407
  }
}

}  // namespace

std::string describeProducer(const Evidence& evidence, bool isBareList) {
  if (evidence.hasAscendOrder || evidence.hasWorkspaceSnapshot) {
    return evidence.hasAscendOrder ? "torch_npu for Ascend, by the order of its keys"
                                   : "torch_npu for Ascend, by its workspace events";
  }
  if (evidence.hasUserDefined) return "PyTorch nightly of 2024, by its user_defined events";
  Range range;
  decideByState(evidence, range);
  decideByEvents(evidence, range);
  decideByWhole(evidence, isBareList, range);
  if (range.first > range.last) return "PyTorch of an unclear version: its keys contradict one another";
  if (range.first == range.last) return "PyTorch " + releaseText(range.first) + ", by its keys";
  if (range.last == kOpenEnded) return "PyTorch " + releaseText(range.first) + " or later, by its keys";
  return "PyTorch " + releaseText(range.first) + " to " + releaseText(range.last) + ", by its keys";
}

}  // namespace strata
