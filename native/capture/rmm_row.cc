#include "capture/rmm_row.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "capture/text_numbers.h"

namespace strata {
namespace {

using Action = RmmRow::Action;

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr size_t kLegacyFields = 12;
using Fields = std::array<std::string_view, kLegacyFields>;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Splits at commas; the last field takes all that is left. Answers how many there are.
size_t split(std::string_view line, Fields& fields) {
  size_t count = 0;
  while (count + 1 < fields.size()) {
    const size_t comma = line.find(',');
    fields[count++] = trimmed(line.substr(0, comma));
    if (comma == std::string_view::npos) return count;
    line.remove_prefix(comma + 1);
  }
  fields[count++] = trimmed(line);
  return count;
}

/// `deallocate` stands in pages about RMM, not in its code; it costs nothing to read.
std::optional<Action> actionOf(std::string_view text) {
  if (text == "allocate") return Action::Allocate;
  if (text == "free" || text == "deallocate") return Action::Free;
  if (text == "allocate failure") return Action::Failure;
  return std::nullopt;
}

std::optional<uint64_t> twoDigits(std::string_view text) {
  return text.size() == 2 ? parseDecimal(text) : std::nullopt;
}

/// HH:MM:SS:uuuuuu or HH:MM:SS.uuuuuu; else seconds.
bool readTime(std::string_view text, RmmRow& row) {
  const bool isTimeOfDay = text.size() > 8 && text[2] == ':' && text[5] == ':';
  if (!isTimeOfDay) {
    const auto seconds = parseTime(text, kNsPerSecond);
    if (!seconds) return false;
    row.clock = RmmClock::Seconds;
    row.time = *seconds;
    return true;
  }
  const auto hours = twoDigits(text.substr(0, 2)), minutes = twoDigits(text.substr(3, 2)),
             seconds = twoDigits(text.substr(6, 2));
  const auto micros = text.size() <= 15 ? parseDecimal(text.substr(9)) : std::nullopt;
  if (!hours || !minutes || !seconds || !micros || (text[8] != ':' && text[8] != '.')) return false;
  if (*hours > 23 || *minutes > 59 || *seconds > 60) return false;
  int64_t fraction = static_cast<int64_t>(*micros) * 1000;
  for (size_t digits = text.size() - 9; digits < 6; ++digits) fraction *= 10;
  row.isOldClock = text[8] == ':';
  row.time = static_cast<int64_t>(*hours * 3600 + *minutes * 60 + *seconds) * kNsPerSecond + fraction;
  return true;
}

std::optional<uint64_t> pointerOf(std::string_view text) {
  if (text == "(nil)") return 0;
  return parseNumber(text);
}

bool readPlace(std::string_view pointer, std::string_view size, std::string_view stream, RmmRow& row) {
  const auto address = pointerOf(pointer), bytes = parseDecimal(size), streamValue = pointerOf(stream);
  if (!address || !bytes || !streamValue) return false;
  row.address = *address;
  row.bytes = *bytes;
  row.stream = *streamValue;
  return true;
}

std::optional<RmmRow> parseLegacy(const Fields& fields, size_t count) {
  RmmRow row;
  row.isLegacy = true;
  row.clock = RmmClock::Seconds;
  if (fields[0] == "Alloc") {
    row.action = Action::Allocate;
  } else if (fields[0] == "Free") {
    row.action = Action::Free;
  } else if (fields[0] == "Realloc") {
    row.action = Action::Realloc;
  } else {
    return std::nullopt;
  }
  const auto device = parseDecimal(fields[1]);
  const auto start = count > 8 ? parseTime(fields[8], kNsPerSecond) : std::nullopt;
  if (!device || !start || !readPlace(fields[2], fields[4], fields[3], row)) return std::nullopt;
  row.device = *device;
  row.time = *start;
  row.total = parseDecimal(fields[6]).value_or(0);
  if (count == kLegacyFields) row.location = fields[11];
  return row;
}

std::optional<RmmRow> parseFields(const Fields& fields, size_t count) {
  if (count < 5) return std::nullopt;
  const size_t hasThread = actionOf(fields[1]) ? 0 : 1;
  const auto action = actionOf(fields[1 + hasThread]);
  if (!action) return parseLegacy(fields, count);
  RmmRow row;
  row.action = *action;
  if (count < 5 + hasThread) return std::nullopt;
  if (hasThread != 0) row.thread = parseDecimal(fields[0]);
  if (hasThread != 0 && !row.thread) return std::nullopt;
  if (!readTime(fields[hasThread], row)) return std::nullopt;
  if (!readPlace(fields[2 + hasThread], fields[3 + hasThread], fields[4 + hasThread], row))
    return std::nullopt;
  return row;
}

constexpr std::string_view kActions[] = {",allocate,", ",free,", ",allocate failure,", ",deallocate,"};

size_t findAction(std::string_view line) {
  size_t found = std::string_view::npos;
  for (const std::string_view action : kActions) found = std::min(found, line.find(action));
  return found;
}

/// Takes characters of a set off the end of a text.
std::string_view takeBack(std::string_view& text, std::string_view characters) {
  const size_t before = text.find_last_not_of(characters);
  const size_t from = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view taken = text.substr(from);
  text = text.substr(0, from);
  return taken;
}

/// A row behind the prefix of a log's line, and before what may follow it.
std::optional<RmmRow> parseInside(std::string_view line) {
  const size_t action = findAction(line);
  if (action == std::string_view::npos) return std::nullopt;
  std::string_view before = line.substr(0, action);
  takeBack(before, "0123456789:.");
  if (before.ends_with(',')) {
    before.remove_suffix(1);
    takeBack(before, "0123456789");
  }
  std::string_view row = line.substr(before.size());
  const size_t stream = row.rfind(',') + 1;
  const size_t end = row.find_first_not_of("0123456789abcdefABCDEFxX()nil", stream);
  if (end != std::string_view::npos) row = row.substr(0, end);
  Fields fields;
  return parseFields(fields, split(row, fields));
}

/// The value of each hexadecimal digit, 255 for what is none.
constexpr std::array<uint8_t, 256> hexadecimalDigits() {
  std::array<uint8_t, 256> values{};
  for (uint8_t& value : values) value = 255;
  for (uint8_t digit = 0; digit < 10; ++digit) values['0' + digit] = digit;
  for (uint8_t digit = 0; digit < 6; ++digit) values['a' + digit] = static_cast<uint8_t>(10 + digit);
  return values;
}

constexpr std::array<uint8_t, 256> kHexadecimal = hexadecimalDigits();

/// A row as RMM writes it today, read letter by letter: nearly every line of a log is one. Whatever is
/// different in any way is left to the readers above.
class PlainRow {
 public:
  explicit PlainRow(std::string_view line) : at_(line.data()), end_(at_ + line.size()) {}

  bool read(RmmRow& row) {
    uint64_t thread = 0, hours = 0, minutes = 0, seconds = 0, micros = 0;
    if (!decimal(thread, 1, kMostDigits) || !take(',')) return false;
    if (!decimal(hours, 2, 2) || !take(':') || !decimal(minutes, 2, 2) || !take(':')) return false;
    if (!decimal(seconds, 2, 2) || !take('.') || !decimal(micros, 6, 6) || !take(',')) return false;
    if (hours > 23 || minutes > 59 || seconds > 60) return false;
    if (take("allocate,")) {
      row.action = Action::Allocate;
    } else if (take("free,")) {
      row.action = Action::Free;
    } else {
      return false;
    }
    if (!number(row.address) || !take(',') || !decimal(row.bytes, 1, kMostDigits) || !take(',')) return false;
    if (!number(row.stream) || at_ != end_) return false;
    row.thread = thread;
    row.time = static_cast<int64_t>((hours * 3600 + minutes * 60 + seconds) * 1'000'000 + micros) * 1000;
    return true;
  }

 private:
  static constexpr ptrdiff_t kMostDigits = 18;  // below 2^64 for sure

  bool take(char letter) {
    if (at_ == end_ || *at_ != letter) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (static_cast<size_t>(end_ - at_) < word.size() || std::memcmp(at_, word.data(), word.size()) != 0)
      return false;
    at_ += word.size();
    return true;
  }
  bool decimal(uint64_t& number, ptrdiff_t least, ptrdiff_t most) {
    const char* from = at_;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      number = number * 10 + static_cast<uint64_t>(*at_ - '0');
    }
    return at_ - from >= least && at_ - from <= most;
  }
  bool number(uint64_t& number) {
    number = 0;
    if (!take("0x")) return decimal(number, 1, kMostDigits);
    const char* from = at_;
    for (; at_ != end_; ++at_) {
      const uint8_t digit = kHexadecimal[static_cast<unsigned char>(*at_)];
      if (digit > 15) break;
      number = number << 4 | digit;
    }
    return at_ != from && at_ - from <= 16;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

std::optional<RmmRow> parseRmmRow(std::string_view line) {
  RmmRow plain;
  if (PlainRow(line).read(plain)) return plain;
  Fields fields;
  const size_t count = split(line, fields);
  if (count < 5) return std::nullopt;
  if (const auto row = parseFields(fields, count)) return row;
  return parseInside(line);
}

bool isRmmHeader(std::string_view line) {
  line = trimmed(line);
  return line == "Thread,Time,Action,Pointer,Size,Stream" || line == "Time,Action,Pointer,Size,Stream" ||
         line.starts_with("Event Type,Device ID,Address,Stream,Size (bytes),");
}

bool namesRmmAction(std::string_view line) { return findAction(line) != std::string_view::npos; }

}  // namespace strata
