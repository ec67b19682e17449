#pragma once

#include <cstdint>
#include <vector>

#include "binding/opened_trace.h"

namespace strata::binding {

/// A State as one column a field, the form in which it crosses to JavaScript (StateResult in app/contract).
struct StateColumns {
  std::vector<uint64_t> segmentAddress;
  std::vector<double> segmentBytes, segmentActive, segmentLargestFree;
  std::vector<uint32_t> segmentRow, segmentFirstBlock;
  std::vector<uint8_t> segmentRegion;
  std::vector<uint32_t> blockRow;
  std::vector<double> blockOffset, blockBytes;
  std::vector<uint8_t> blockPending;
  std::vector<uint16_t> blockSite;
};

StateColumns stateColumns(const OpenedTrace& opened, size_t device, EventIndex event);

}  // namespace strata::binding
