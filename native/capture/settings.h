#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capture/machine.h"

namespace strata {

/// The allocator settings as texts, in the file's order. Dicts and lists inside are written out, with a limit
/// on depth and length, for they may be shared a thousandfold.
std::vector<std::pair<std::string, std::string>> settingsAsText(const Machine& machine, Value settings);

/// One value as text: "true", "-1", "{1: 0, 2: 4}".
std::string valueAsText(const Machine& machine, Value value);

/// Whether a flag that may be one boolean or one for each device is set anywhere.
bool isAnySet(const Machine& machine, Value flags);

}  // namespace strata
