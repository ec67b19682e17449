#pragma once

#include <string>

#include "allocator/pytorch_slow_model.h"

namespace strata::test {

/// Everything that is wrong with a rebuilt recording that begins at event
/// `first` of a model's run: blocks that differ in place, size or life, or a
/// moment with other reserved bytes. Empty when all is right.
std::string differencesFromTruth(const Device& device, const PytorchSlowModel& model, EventIndex first);

/// What is impossible in a device, whatever was recorded: overlapping blocks,
/// blocks outside of segments, columns of unequal length, rows out of order.
/// Empty when nothing is.
std::string brokenInvariants(const Device& device);

/// "exact 36/36, segments 9/9, final blocks 20/20", as one line that a
/// difference can be read from.
std::string summaryOf(const Exactness& exactness);

}  // namespace strata::test
