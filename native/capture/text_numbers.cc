#include "capture/text_numbers.h"

#include <cmath>
#include <stdexcept>

#include "capture/pickle_text.h"

namespace strata {
namespace {

constexpr int64_t kLatest = int64_t{1} << 62;

std::optional<int64_t> parseWithExponent(std::string_view text, int64_t nsPerUnit) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  try {
    const double time = parseReal(text) * static_cast<double>(nsPerUnit);
    if (!(std::abs(time) <= static_cast<double>(kLatest))) return std::nullopt;
    return static_cast<int64_t>(time);
  } catch (const Malformed&) {
    return std::nullopt;
  }
}

std::optional<int64_t> parseDigits(std::string_view text, int64_t nsPerUnit, char decimalPoint) {
  const bool isNegative = text.starts_with('-');
  if (isNegative) text.remove_prefix(1);
  const size_t dot = text.find(decimalPoint);
  const auto whole = parseDecimal(text.substr(0, dot));
  if (!whole || *whole > static_cast<uint64_t>(kLatest / nsPerUnit)) return std::nullopt;
  int64_t time = static_cast<int64_t>(*whole) * nsPerUnit;
  if (dot != std::string_view::npos) {
    int64_t unit = nsPerUnit;
    for (const char digit : text.substr(dot + 1)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      unit /= 10;
      time += (digit - '0') * unit;
    }
  }
  if (time > kLatest) return std::nullopt;
  return isNegative ? -time : time;
}

}  // namespace

std::optional<int64_t> parseTime(std::string_view text, int64_t nsPerUnit, char decimalPoint) {
  if (const auto time = parseDigits(text, nsPerUnit, decimalPoint)) return time;
  const bool hasExponent = text.find_first_of("eE") != std::string_view::npos;
  return hasExponent ? parseWithExponent(text, nsPerUnit) : std::nullopt;
}

}  // namespace strata
