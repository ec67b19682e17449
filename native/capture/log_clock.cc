#include "capture/log_clock.h"

#include <cstdio>

#include "capture/text_scanner.h"

namespace strata {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr std::string_view kShape = "dddd-dd-dd dd:dd:dd.d";

bool hasShape(std::string_view text) {
  if (text.size() < kShape.size()) return false;
  for (size_t i = 0; i < kShape.size(); ++i) {
    const bool isDigit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !isDigit : text[i] != kShape[i]) return false;
  }
  return true;
}

int numberAt(std::string_view text, size_t at, size_t length) {
  int value = 0;
  for (size_t i = at; i < at + length; ++i) value = 10 * value + (text[i] - '0');
  return value;
}

/// Days from 1970-01-01 by the proleptic Gregorian calendar, with years that begin in March.
int64_t daysFromEpoch(int year, int month, int day) {
  const int64_t shifted = month <= 2 ? year - 1 : year;
  const int64_t monthFromMarch = (month + 9) % 12;
  const int64_t dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1;
  return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719'468;
}

/// The digits behind the point of a second, in ns.
int64_t fraction(std::string_view text) {
  int64_t value = 0, unit = kNsPerSecond / 10;
  for (const char letter : text) {
    if (letter < '0' || letter > '9' || unit == 0) break;
    value += (letter - '0') * unit;
    unit /= 10;
  }
  return value;
}

std::optional<int64_t> calendarTime(std::string_view text) {
  const int month = numberAt(text, 5, 2), day = numberAt(text, 8, 2), hour = numberAt(text, 11, 2);
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23) return std::nullopt;
  const int year = numberAt(text, 0, 4);
  if (year < 1970 || year > 2200) return std::nullopt;
  const int64_t seconds = daysFromEpoch(year, month, day) * 86'400 + hour * 3'600 +
                          numberAt(text, 14, 2) * 60 + numberAt(text, 17, 2);
  return seconds * kNsPerSecond + fraction(text.substr(20));
}

std::optional<int64_t> earlyTime(std::string_view line) {
  TextScanner scanner(line);
  if (!scanner.past("0000 00:00:")) return std::nullopt;
  const auto seconds = scanner.decimal();
  constexpr uint64_t kLatest = 7'000'000'000;
  if (!seconds || *seconds > kLatest || !scanner.take(".")) return std::nullopt;
  return static_cast<int64_t>(*seconds) * kNsPerSecond + fraction(scanner.rest());
}

}  // namespace

std::string localTime(int64_t time) {
  const int64_t seconds = time / kNsPerSecond;
  int64_t days = seconds / 86'400;
  const int64_t inDay = seconds % 86'400;
  int year = 1970;
  while (daysFromEpoch(year + 1, 1, 1) <= days) ++year;
  int month = 1;
  while (month < 12 && daysFromEpoch(year, month + 1, 1) <= days) ++month;
  days -= daysFromEpoch(year, month, 1);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d %02d:%02d:%02d.%06d", year, month,
                static_cast<int>(days) + 1, static_cast<int>(inDay / 3'600),
                static_cast<int>(inDay / 60 % 60), static_cast<int>(inDay % 60),
                static_cast<int>(time % kNsPerSecond / 1'000));
  return text;
}

std::optional<int64_t> timeIn(std::string_view line) {
  constexpr size_t kSearched = 4096;
  const std::string_view start = line.substr(0, kSearched);
  for (size_t dash = start.find('-'); dash != std::string_view::npos; dash = start.find('-', dash + 1)) {
    if (dash < 4 || !hasShape(start.substr(dash - 4))) continue;
    if (const auto time = calendarTime(start.substr(dash - 4))) return time;
  }
  return earlyTime(start);
}

}  // namespace strata
