#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// A trace as one file held it, with the name under which the user knows that file.
struct NamedTrace {
  std::string name;
  Trace trace;
};

/// Makes one trace of several files: one per rank, or a recording of GPUs beside what an allocator recorded.
///
///   file 0 (dates)     |--------|            file 2 (times, no date)   |----|
///   file 1 (dates)        |---------|        file 3 (no times)         counted in events
///   the set            0=====axis=====                                 0
///
/// - Devices, counters, marks, annotations and warnings follow one another file by file and name their file
///   (`part`); strings, frames and stacks are interned anew, so that equal ones are one row.
/// - Time 0 is the earliest time 0 of the files with dates, and each of those is moved to where it belongs.
///   Files with times but without a date are put at time 0 and keep their own clock; of files without times
///   the devices go on counting events. A date before 2001 is none: such clocks count from when a machine
///   started.
/// - Events keep the numbers they have on their device, so no order of events is made up between devices.
/// - The values of counters are known until their own file ends.
/// - A setting that all files state alike stays as it is; what differs is told in Trace::parts alone.
///
/// Device by device nothing else changes: blocks that are placed stay placed, and rebuilding can follow.
/// The result has parts even when there is one file. O(size of the files after the first).
Trace mergeTraces(std::vector<NamedTrace> files);

}  // namespace strata
