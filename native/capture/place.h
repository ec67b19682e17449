#pragma once

#include <cstdint>
#include <string>

#include "capture/keywords.h"
#include "capture/machine.h"

namespace strata {

/// Where in the snapshot the reader is, for the sentence about a file that breaks off.
struct Place {
  Word part = Word::Count;  ///< key of the snapshot's dict whose value was being read
  size_t list = 0;          ///< index of the device's list of events, when in one
  bool isInList = false;
  bool isInEntry = false;  ///< inside an event, segment or annotation
  bool isInStack = false;  ///< inside its list of frames
  uint64_t entries = 0;    ///< whole entries before it in its list

  /// "inside the stack of event 12,280 of device 0"
  std::string sentencePart() const;
  /// "the 12,279 events before it are shown"
  std::string keptPart() const;
};

Place describePlace(const Machine& machine);

}  // namespace strata
