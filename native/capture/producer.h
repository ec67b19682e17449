#pragma once

#include <string>

#include "capture/entries.h"

namespace strata {

/// Who wrote a snapshot, as narrow as its keys prove: "PyTorch 2.5 to 2.7, by its keys". Keys that a release
/// added bound the version from below, their absence from above. Ascend's torch_npu shows in its key order.
/// Source: the pull requests that added each key, named in producer.cc.
std::string describeProducer(const Evidence& evidence, bool isBareList);

}  // namespace strata
