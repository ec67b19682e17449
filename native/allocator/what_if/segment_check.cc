#include "allocator/what_if/segment_check.h"

#include <algorithm>

namespace strata::what_if {
namespace {

using Kind = AllocatorEvent::Kind;

bool isSegmentAction(Action action) {
  return action == Action::SegmentAlloc || action == Action::SegmentFree || action == Action::SegmentMap ||
         action == Action::SegmentUnmap;
}

std::optional<Action> actionOf(Kind kind) {
  switch (kind) {
    case Kind::SegmentAlloc:
      return Action::SegmentAlloc;
    case Kind::SegmentFree:
      return Action::SegmentFree;
    case Kind::SegmentMap:
      return Action::SegmentMap;
    case Kind::SegmentUnmap:
      return Action::SegmentUnmap;
    default:
      return std::nullopt;
  }
}

}  // namespace

SegmentCheck::SegmentCheck(const Device& device, Allocator& allocator)
    : device_(device), allocator_(allocator), forward_(allocator.eventSink()) {
  nextRecorded();
  allocator.setEventSink(this);
}

void SegmentCheck::nextRecorded() {
  const auto& actions = device_.events.action;
  while (at_ < actions.size() && !isSegmentAction(actions[at_])) ++at_;
}

void SegmentCheck::onEvent(const AllocatorEvent& event) {
  if (const auto action = actionOf(event.kind); action && at_ < device_.events.count()) {
    const EventColumns& events = device_.events;
    if (events.action[at_] == *action && events.address[at_] == event.address &&
        events.size[at_] == event.bytes)
      ++matched_;
    ++at_;
    nextRecorded();
  }
  if (forward_) forward_->onEvent(event);
}

void SegmentCheck::finish(Reproduction& result) {
  const auto& actions = device_.events.action;
  result.segmentEvents =
      static_cast<uint64_t>(std::count_if(actions.begin(), actions.end(), isSegmentAction));
  result.segmentEventsMatched = matched_;
  const FinalState& final = device_.final;
  result.finalBlocks = final.blockAddress.size();
  const Layout layout = allocator_.layout();
  size_t at = 0;
  for (size_t row = 0; row < final.blockAddress.size(); ++row) {
    while (at < layout.blocks.size() && layout.blocks[at].address < final.blockAddress[row]) ++at;
    if (at == layout.blocks.size()) break;
    const bool isFree = final.blockState[row] == BlockState::Inactive;
    const LayoutBlock& block = layout.blocks[at];
    // A block that waits for a stream is one that the program freed: the run still holds it.
    if (block.address == final.blockAddress[row] && block.bytes == final.blockBytes[row] &&
        (block.state == BlockState::Inactive) == isFree)
      ++result.finalBlocksMatched;
  }
}

}  // namespace strata::what_if
