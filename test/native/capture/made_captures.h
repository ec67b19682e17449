#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture/capture.h"
#include "trace/trace.h"

namespace strata::test {

/// Path of a file that test/fixtures/make_captures.py makes; all are made once,
/// in a temporary folder.
std::string madeCapture(const std::string& name);

/// Names of all made files that start like this, sorted.
std::vector<std::string> madeCaptures(const std::string& start);

std::vector<uint8_t> bytesOf(const std::string& path);

Trace read(const std::string& path);
Trace read(const std::vector<uint8_t>& bytes);
Trace readText(std::string_view text);

/// What a trace holds as text: events, final state, annotations, one a line,
/// without the times' origin.
std::string describe(const Trace& trace);
std::string describeStack(const Trace& trace, uint32_t stack);

/// The codes of the warnings, in order, separated by spaces.
std::string warningCodes(const Trace& trace);

/// The code of the CaptureError that reading gives, or "" when it opens.
std::string refusal(const std::string& path);
std::string refusalOfText(std::string_view text);

}  // namespace strata::test
