#include "binding/state_columns.h"

namespace strata::binding {
namespace {

void addSegment(StateColumns& columns, const State::Segment& segment) {
  columns.segmentAddress.push_back(segment.address);
  columns.segmentBytes.push_back(static_cast<double>(segment.bytes));
  columns.segmentActive.push_back(static_cast<double>(segment.active));
  columns.segmentLargestFree.push_back(static_cast<double>(segment.largestFree));
  columns.segmentRow.push_back(segment.row);
  columns.segmentFirstBlock.push_back(segment.firstBlock);
  columns.segmentRegion.push_back(static_cast<uint8_t>(segment.region));
}

}  // namespace

StateColumns stateColumns(const OpenedTrace& opened, size_t device, EventIndex event) {
  const BlockColumns& blocks = opened.trace.devices[device].blocks;
  const Index& index = *opened.indices[device];
  const State state = index.stateAt(event);
  StateColumns columns;
  for (const State::Segment& segment : state.segments) {
    addSegment(columns, segment);
    for (uint32_t i = segment.firstBlock; i < segment.firstBlock + segment.blockCount; ++i) {
      const uint32_t row = state.blocks[i];
      columns.blockRow.push_back(row);
      columns.blockOffset.push_back(static_cast<double>(blocks.address[row] - segment.address));
      columns.blockBytes.push_back(static_cast<double>(blocks.bytes[row]));
      columns.blockPending.push_back(blocks.freeRequested[row] <= event);
      columns.blockSite.push_back(index.siteOf(row));
    }
  }
  columns.segmentFirstBlock.push_back(static_cast<uint32_t>(state.blocks.size()));
  return columns;
}

}  // namespace strata::binding
