#pragma once

#include <cstdint>
#include <span>

#include "capture/byte_feed.h"
#include "capture/machine.h"

namespace strata {

/// Runs a pickle as the program of the snapshot machine, protocols 0 to 5.
///
/// Only opcodes that make plain values are known: numbers, text, lists, dicts, tuples and references to
/// those. The ones that could import, call or build something are refused by name and place, before anything
/// runs. Source of the opcodes: Lib/pickletools.py of Python 3.14. Ends after STOP. Errors: CaptureError;
/// Malformed and EndOfData when the bytes are no pickle or break off.
void readPickle(ByteFeed& feed, Machine& machine);

}  // namespace strata
