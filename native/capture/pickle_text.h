#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/machine.h"

namespace strata {

// The arguments of protocol 0, which are written as text.

/// "12", "12L", and the booleans "00" and "01". Errors: Malformed.
void pushDecimal(std::string_view text, Machine& machine);
/// A number of the memo. Errors: Malformed.
uint64_t parseIndex(std::string_view text);
/// Any decimal form, independent of the locale; "nan" and "inf" too. Errors: Malformed.
double parseReal(std::string_view text);
/// The repr of a Python 2 string: quotes and backslash escapes. Errors: Malformed.
std::string unquote(std::string_view text);
/// Python's raw-unicode-escape: Latin-1 with \uXXXX and \UXXXXXXXX. Errors: Malformed.
std::string unescapeRaw(std::string_view text);
/// Pushes a decimal integer with an optional sign: exact up to 64 bit, opaque above. False when it is none.
bool pushInteger(std::string_view text, Machine& machine);

}  // namespace strata
