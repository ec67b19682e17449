#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

/// A whole number of decimal digits and nothing else, below 2^64.
inline std::optional<uint64_t> parseDecimal(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A whole number of hexadecimal digits of either case, with or without 0x in front, below 2^64.
inline std::optional<uint64_t> parseHexadecimal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Hexadecimal with 0x in front, else decimal.
inline std::optional<uint64_t> parseNumber(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X") ? parseHexadecimal(text) : parseDecimal(text);
}

/// "12.5" or "1.25e1" as nanoseconds, for a number in units of `nsPerUnit`; digits behind a nanosecond are
/// dropped, and with an exponent there are 53 bits. Nothing outside of +-2^62 ns.
std::optional<int64_t> parseTime(std::string_view text, int64_t nsPerUnit, char decimalPoint = '.');

}  // namespace strata
