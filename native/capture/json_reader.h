#pragma once

#include "capture/byte_feed.h"
#include "capture/machine.h"

namespace strata {

/// Scans JSON and gives the snapshot machine the operations that a pickle of the same values would. A scanner
/// of our own, because a text that breaks off must show what was whole and say where it broke off, integers
/// up to 2^64 must stay exact, and nothing may be built that the machine does not keep.
/// Accepts what Python's json writes: NaN, Infinity and -Infinity too. Nesting is bounded by the machine.
/// Errors: CaptureError; Malformed and EndOfData when the text is no JSON or breaks off.
void readJson(ByteFeed& feed, Machine& machine);

}  // namespace strata
