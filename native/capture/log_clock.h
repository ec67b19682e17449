#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

/// The time in a line of a log, as ns since the epoch of a calendar without time zones: logs are written in
/// local time and do not say which. Known are
///   2024-07-12 14:20:01.744246: W tensorflow/...      wherever it stands in the line, behind a progress bar
///   too W0000 00:00:1736070508.755177  110350 bfc_...     seconds since the epoch, as abseil writes them
///   early on
std::optional<int64_t> timeIn(std::string_view line);

/// "2024-07-12 14:20:01.744246", the reverse of the first.
std::string localTime(int64_t time);

}  // namespace strata
